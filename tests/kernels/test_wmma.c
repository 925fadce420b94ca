/* SPDX-License-Identifier: MIT */
/* Products of fragments of all types, shapes and layouts, from global and from shared memory. The
 * elements are small whole numbers: sums are the same in any order. */
#include "kernels.h"

enum { LANES = 32, STEPS = 3, BYTES = 8192, PAD = 16, NOBODY = 2 };

/* struct matrices of wmma.cu. */
struct matrices {
    CUdeviceptr a, b, c, d;
    int steps, lda, ldb, ldc, c_columns, shared, odd;
    CUdeviceptr counts;
};

enum element { F16, BF16, F32, F64, S8, U8, S32 };

static const unsigned sizes[] = {
    [F16] = 2, [BF16] = 2, [F32] = 4, [F64] = 8, [S8] = 1, [U8] = 1, [S32] = 4};

static const struct shape {
    const char *name;
    int m, n, k;
    enum element factor, sum;
} shapes[] = {
    {"f16_16x16", 16, 16, 16, F16, F32}, {"f16_32x8", 32, 8, 16, F16, F32},
    {"f16_8x32", 8, 32, 16, F16, F32},   {"half_16x16", 16, 16, 16, F16, F16},
    {"half_8x32", 8, 32, 16, F16, F16},  {"bf16_16x16", 16, 16, 16, BF16, F32},
    {"tf32_16x16", 16, 16, 8, F32, F32}, {"s8_16x16", 16, 16, 16, S8, S32},
    {"s8_32x8", 32, 8, 16, S8, S32},     {"u8_8x32", 8, 32, 16, U8, S32},
    {"f64_8x8", 8, 8, 4, F64, F64},
};

/* Lines of a matrix in memory, rows or columns. */
struct memory {
    unsigned char bytes[BYTES];
    enum element element;
    bool columns;
    int stride;
};

static int number_at(int matrix, int row, int column, enum element element)
{
    uint64_t random =
        ((uint64_t)matrix << 40 | (uint64_t)row << 20 | (unsigned)column) * 0x9e3779b97f4a7c15u;

    return (int)(random >> 61) - (element == U8 ? 0 : 4);
}

static uint16_t half_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (value == 0)
        return 0;
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)(((bits & 0x7fffffff) - (112u << 23)) >> 13);
}

static float float_of_half(uint16_t half)
{
    uint32_t bits = (half & 0x8000u) << 16 | (((half & 0x7fffu) << 13) + (112u << 23));
    float value;

    memcpy(&value, &bits, sizeof value);
    return half & 0x7fff ? value : 0;
}

static unsigned char *element_at(struct memory *memory, int row, int column)
{
    int line = memory->columns ? column : row, at = memory->columns ? row : column;
    size_t offset = ((size_t)line * (size_t)memory->stride + (size_t)at) * sizes[memory->element];

    check(offset + sizes[memory->element] <= BYTES);
    return memory->bytes + offset;
}

static void put(struct memory *memory, int row, int column, int number)
{
    unsigned char *to = element_at(memory, row, column);
    double wide = number;
    float single = (float)number;
    uint16_t half = half_of(single);
    uint32_t bits;

    memcpy(&bits, &single, sizeof bits);
    switch (memory->element) {
    case F16:
        memcpy(to, &half, sizeof half);
        break;
    case BF16:
        half = (uint16_t)(bits >> 16);
        memcpy(to, &half, sizeof half);
        break;
    case F32:
        memcpy(to, &single, sizeof single);
        break;
    case F64:
        memcpy(to, &wide, sizeof wide);
        break;
    case S32:
        memcpy(to, &number, sizeof number);
        break;
    default:
        *to = (unsigned char)number;
    }
}

static double get(struct memory *memory, int row, int column)
{
    const unsigned char *from = element_at(memory, row, column);
    double wide;
    float single;
    uint16_t half;
    int32_t number;

    switch (memory->element) {
    case F16:
        memcpy(&half, from, sizeof half);
        return float_of_half(half);
    case F32:
        memcpy(&single, from, sizeof single);
        return single;
    case F64:
        memcpy(&wide, from, sizeof wide);
        return wide;
    default:
        memcpy(&number, from, sizeof number);
        return number;
    }
}

static void fill(struct memory *memory, int matrix, int rows, int columns)
{
    memset(memory->bytes, 0x5a, BYTES);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            put(memory, row, column, number_at(matrix, row, column, memory->element));
}

static int product_at(const struct shape *shape, int row, int column)
{
    int sum = 0;

    for (int k = 0; k < STEPS * shape->k; k++)
        sum += number_at(0, row, k, shape->factor) * number_at(1, k, column, shape->factor);
    return sum;
}

struct how {
    bool a_columns, b_columns, c_columns, shared;
    unsigned odd;
};

static void check_product(CUfunction function, const struct shape *shape, struct how how,
                          int factor_of_c, int factor_of_product)
{
    static struct memory a, b, c, d;
    int depth = STEPS * shape->k;
    uint32_t counts[LANES + 1] = {0};

    a.element = b.element = shape->factor;
    c.element = shape->sum;
    a.columns = how.a_columns;
    b.columns = how.b_columns;
    c.columns = how.c_columns;
    a.stride = (a.columns ? shape->m : depth) + PAD;
    b.stride = (b.columns ? depth : shape->n) + PAD;
    c.stride = (c.columns ? shape->m : shape->n) + PAD;
    fill(&a, 0, shape->m, depth);
    fill(&b, 1, depth, shape->n);
    fill(&c, 2, shape->m, shape->n);
    d = c;
    memset(d.bytes, 0x5a, BYTES);
    struct matrices m = {.a = device_copy_of(a.bytes, BYTES),
                         .b = device_copy_of(b.bytes, BYTES),
                         .c = device_copy_of(c.bytes, BYTES),
                         .d = device_copy_of(d.bytes, BYTES),
                         .steps = STEPS,
                         .lda = a.stride,
                         .ldb = b.stride,
                         .ldc = c.stride,
                         .c_columns = how.c_columns,
                         .shared = how.shared,
                         .odd = (int)how.odd,
                         .counts = device_copy_of(counts, sizeof counts)};
    void *parameters[] = {&m};

    launch_line(function, 1, LANES, 0, parameters);
    check_success(cuMemcpyDtoH(d.bytes, m.d, BYTES));
    for (int row = 0; row < shape->m; row++)
        for (int column = 0; column < shape->n; column++) {
            int wanted = factor_of_c * number_at(2, row, column, shape->sum) +
                         factor_of_product * product_at(shape, row, column);

            if (get(&d, row, column) != wanted)
                printf("# %s, a %d b %d c %d shared %d: row %d, column %d\n", shape->name,
                       how.a_columns, how.b_columns, how.c_columns, how.shared, row, column);
            check(get(&d, row, column) == wanted);
            put(&d, row, column, 0);
        }
    for (int row = 0; row < shape->m; row++) /* what is not of the matrix is not written */
        for (int column = 0; column < shape->n; column++)
            memset(element_at(&d, row, column), 0x5a, sizes[d.element]);
    for (unsigned i = 0; i < BYTES; i++)
        check(d.bytes[i] == 0x5a);
    check_success(cuMemFree(m.a));
    check_success(cuMemFree(m.b));
    check_success(cuMemFree(m.c));
    check_success(cuMemFree(m.d));
    check_success(cuMemFree(m.counts));
}

static void check_layout(CUmodule module, const struct shape *shape, unsigned layout, unsigned odd)
{
    struct how how = {.a_columns = layout & 1,
                      .b_columns = layout & 2,
                      .c_columns = layout & 4,
                      .shared = layout & 8,
                      .odd = odd};
    char name[64];

    snprintf(name, sizeof name, "%s_%c%c", shape->name, how.a_columns ? 'c' : 'r',
             how.b_columns ? 'c' : 'r');
    check_product(kernel_of(module, name), shape, how, 1, 1);
}

/* All layouts of the shapes whose names begin so. */
static void check_shapes(const char *prefix)
{
    CUmodule module;

    with_context();
    module = module_from("wmma.ptx");
    for (unsigned s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (unsigned layout = 0; layout < 16; layout++)
            if (strncmp(shapes[s].name, prefix, strlen(prefix)) == 0 &&
                (shapes[s].factor != F64 || (layout & 3) == 2))
                check_layout(module, &shapes[s], layout, NOBODY);
}

TEST(fragments_of_f16)
{
    check_shapes("f16");
}

TEST(fragments_of_f16_with_sums_of_f16)
{
    check_shapes("half");
}

TEST(fragments_of_bf16)
{
    check_shapes("bf16");
}

TEST(fragments_of_tf32)
{
    check_shapes("tf32");
}

TEST(fragments_of_signed_bytes)
{
    check_shapes("s8");
}

TEST(fragments_of_unsigned_bytes)
{
    check_shapes("u8");
}

TEST(fragments_of_f64)
{
    check_shapes("f64");
}

TEST(fragments_of_warps_whose_lanes_diverge)
{
    CUmodule module;

    with_context();
    module = module_from("wmma.ptx");
    for (unsigned s = 0; s < sizeof shapes / sizeof shapes[0]; s += 2)
        for (unsigned layout = 2; layout < 16; layout += 4)
            check_layout(module, &shapes[s], layout, 1);
}

TEST(several_sums_at_the_same_time)
{
    CUfunction function = kernel_from("wmma.ptx", "several");

    for (unsigned odd = 0; odd <= NOBODY; odd++)
        check_product(function, &shapes[0], (struct how){.b_columns = true, .odd = odd}, 3, 2);
}

enum { KINDS = 3, REPEATS = 12 };

/* Of the results of each shape, with elements of any bits, of finite numbers, and of numbers that
 * are about as large as each other: recorded from an H200. */
static const uint64_t recorded[][KINDS] = {
    {0x335eaeb47b96e6da, 0xe7b68f69103c18da, 0xacbe40c53f69907d},
    {0x739b92c44d1944f0, 0x8ce7f6fb02e81fcc, 0x8061ab552dea2bf6},
    {0x7a6070289975449f, 0x660ee20fe19db2de, 0x9cd4c259b15471aa},
    {0xb29b42370e701ebe, 0xc4d1232b952024d9, 0x0c980a4db8b2a994},
    {0xe18556a16a39899d, 0xb1bdd2f3b3076d44, 0x2ea2235403085426},
    {0xd346744c766b1013, 0xb082d51ea614a982, 0x9036627f512682e1},
    {0x35bab7e24b4ec78e, 0xf27fb4ea3bf9533c, 0xc0e632bdf1b26942},
    {0x9d45c402c2a15123, 0x6222f0df91a169ed, 0xc856b9c61aebfc1d},
    {0xbb33395335400a48, 0xc7e7ba33424c5af7, 0x7c5b76ee784c62ac},
    {0xbea52ef180c0da35, 0x12a68a68d0c2f257, 0x031abfaaa6b433c6},
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t random_element(uint64_t random, enum element element, unsigned kind)
{
    uint64_t wide = kind == 1 ? 100 + random % 50 : 125 + random % 4,
             narrow = kind == 1 ? random % 26 : 13 + random % 4;

    if (kind == 0 || element == S8 || element == U8 || element == S32)
        return random;
    if (element == F16)
        return (random >> 20 & 0x83ff) | narrow << 10;
    return element == BF16 ? (random >> 20 & 0x807f) | wide << 7
                           : (random >> 20 & 0x807fffff) | wide << 23;
}

static CUdeviceptr random_matrix(uint64_t *state, enum element element, unsigned kind)
{
    unsigned char bytes[BYTES];

    for (unsigned i = 0; i < BYTES; i += sizes[element]) {
        uint64_t value = random_element(next_random(state), element, kind);

        memcpy(bytes + i, &value, sizes[element]);
    }
    return device_copy_of(bytes, BYTES);
}

static uint64_t hash_of_product(CUfunction function, unsigned s, unsigned kind, unsigned repeat,
                                uint64_t hash)
{
    const struct shape *shape = &shapes[s];
    uint64_t state = ((uint64_t)s << 40) - (UINT64_C(1) << 31) + (kind << 20) + repeat,
             words[BYTES / 8];
    int steps = 1 + (int)repeat % 2;
    struct matrices m = {.steps = steps,
                         .lda = steps * shape->k + PAD,
                         .ldb = steps * shape->k + PAD,
                         .ldc = shape->n + PAD,
                         .shared = repeat & 1,
                         .odd = NOBODY,
                         .d = device_zeros(BYTES),
                         .counts = device_zeros(4 * (LANES + 1))};
    void *parameters[] = {&m};

    m.a = random_matrix(&state, shape->factor, kind);
    m.b = random_matrix(&state, shape->factor, kind);
    m.c = random_matrix(&state, shape->sum, kind);
    launch_line(function, 1, LANES, 0, parameters);
    check_success(cuMemcpyDtoH(words, m.d, BYTES));
    for (unsigned i = 0; i < BYTES / 8; i++)
        hash = (hash ^ words[i]) * 0x100000001b3u;
    check_success(cuMemFree(m.a));
    check_success(cuMemFree(m.b));
    check_success(cuMemFree(m.c));
    check_success(cuMemFree(m.d));
    check_success(cuMemFree(m.counts));
    return hash;
}

TEST(bits_as_recorded)
{
    CUmodule module;

    with_context();
    module = module_from("wmma.ptx");
    for (unsigned s = 0; s < sizeof recorded / sizeof recorded[0]; s++)
        for (unsigned kind = 0; kind < KINDS; kind++) {
            uint64_t hash = 0xcbf29ce484222325u;
            char name[64];

            snprintf(name, sizeof name, "%s_rc", shapes[s].name);
            for (unsigned repeat = 0; repeat < REPEATS; repeat++)
                hash = hash_of_product(kernel_of(module, name), s, kind, repeat, hash);
            if (hash != recorded[s][kind])
                printf("# %s, kind %u\n", name, kind);
            check(hash == recorded[s][kind]);
        }
}
