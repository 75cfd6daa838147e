/* The software fused multiply-add:
 *   multiply_add f32|f64  <triples of bits  >results
 *   multiply_add libm COUNT SEED    compares both widths with the C library on random operands */
#include "driver.h"
#include "mapal_runtime.h"

#include <math.h>
#include <string.h>

static uint64_t state;

/* splitmix64 */
static uint64_t next_random(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static double f64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool same_f64(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_f32(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* A number within a factor of 2^8 of minus the product, where sums cancel and round. */
static double near_f64(double product)
{
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    return -f64_of(bits ^ (next_random() & UINT64_C(0x007fffffffffffff) >> next_random() % 56));
}

static void compare_with_libm(long count)
{
    for (long i = 0; i < count; ++i) {
        uint64_t bits = next_random();
        double a = f64_of(next_random());
        double b = f64_of(next_random());
        double c = bits % 3 != 0 ? near_f64(a * b) : f64_of(bits);
        CHECK(same_f64(mapal_fma_f64(a, b, c), fma(a, b, c)));
        float x = f32_of((uint32_t)next_random());
        float y = f32_of((uint32_t)next_random());
        float z = bits % 3 != 0 ? (float)near_f64((double)(x * y)) : f32_of((uint32_t)bits);
        CHECK(same_f32(mapal_fma_f32(x, y, z), fmaf(x, y, z)));
    }
}

int main(int count, char **argument)
{
    CHECK(count >= 2);
    if (strcmp(argument[1], "libm") == 0) {
        CHECK(count == 4);
        state = (uint64_t)atol(argument[3]);
        compare_with_libm(atol(argument[2]));
    } else if (strcmp(argument[1], "f32") == 0) {
        float operand[3];
        while (fread(operand, sizeof operand, 1, stdin) == 1) {
            float result = mapal_fma_f32(operand[0], operand[1], operand[2]);
            CHECK(fwrite(&result, sizeof result, 1, stdout) == 1);
        }
    } else {
        double operand[3];
        while (fread(operand, sizeof operand, 1, stdin) == 1) {
            double result = mapal_fma_f64(operand[0], operand[1], operand[2]);
            CHECK(fwrite(&result, sizeof result, 1, stdout) == 1);
        }
    }
    return 0;
}
