/* The most multiply-adds that one core does in registers: FUSED of them at once, or as products
 * and sums, each rounded. FLOP operations in all. Not a peer: a limit. */
#define VECTORS 12
#define VALUES (BYTES / (int)sizeof(REAL))
#define STEPS (FLOP / (2L * VECTORS * VALUES))

#if defined(__x86_64__)
#define HOLD(x) __asm__ volatile("" : "+v"(x))
#else
#define HOLD(x) __asm__ volatile("" : "+w"(x))
#endif

typedef REAL vector __attribute__((vector_size(BYTES)));

static volatile REAL sink;

void run(void *const *inputs, void *const *outputs)
{
    (void)inputs;
    (void)outputs;
    vector a = {0}, b = {0}, sum[VECTORS];
    a += (REAL)0.999999;
    b += (REAL)1.0e-7;
    for (int i = 0; i < VECTORS; i++)
        sum[i] = b * (REAL)i;
    for (long step = 0; step < STEPS; step++) {
#pragma GCC unroll 32
        for (int i = 0; i < VECTORS; i++) {
            if (FUSED) {
                sum[i] = sum[i] * a + b;
            } else {
                vector product = a * b;
                HOLD(product);
                sum[i] += product;
                HOLD(a);
            }
        }
    }
    REAL total = 0;
    for (int i = 0; i < VECTORS; i++)
        for (int lane = 0; lane < VALUES; lane++)
            total += sum[i][lane];
    sink = total;
}
