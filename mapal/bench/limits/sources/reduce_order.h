/* The order that the language defines for reduce: blocks of 4096 elements in 64 lanes each, a tree
 * over the lanes, a tree over the blocks. ELEMENT(i) is element i. */
#define MOST_BLOCKS ((1 << 24) / 4096)

#define DEFINE_REDUCE(name, parameters, ELEMENT)                                                  \
    static REAL name##_block parameters                                                           \
    {                                                                                             \
        REAL lane[64];                                                                            \
        long width = count < 64 ? count : 64;                                                     \
        for (long i = 0; i < width; i++)                                                          \
            lane[i] = ELEMENT(first + i);                                                         \
        for (long i = width; i < count; i++)                                                      \
            lane[i % 64] += ELEMENT(first + i);                                                   \
        while (width > 1) {                                                                       \
            long half = 1;                                                                        \
            while (half * 2 < width)                                                              \
                half *= 2;                                                                        \
            for (long i = 0; i < width - half; i++)                                               \
                lane[i] += lane[i + half];                                                        \
            width = half;                                                                         \
        }                                                                                         \
        return lane[0];                                                                           \
    }

static REAL block_tree(REAL *value, long blocks)
{
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        for (long i = 0; i < (blocks + 1) / 2; i++)
            value[i] = 2 * i + 1 < blocks ? value[2 * i] + value[2 * i + 1] : value[2 * i];
    return value[0];
}
