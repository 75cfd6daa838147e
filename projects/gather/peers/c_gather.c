/* Elements where a table says, in C. */
enum { COUNT = 65536 };

void run(const void *const *inputs, void *const *outputs)
{
    const float *restrict values = inputs[0];
    const int *restrict index = inputs[1];
    float *restrict result = outputs[0];
#pragma omp parallel for
    for (int i = 0; i < COUNT; i++)
        result[i] = values[index[i]];
}
