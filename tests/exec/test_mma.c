/* SPDX-License-Identifier: MIT */
/* The vector code of tensor cores against the rule, element by element: all formats, with exponents
 * that are drawn so that sums cancel, terms lie about the last bit that is kept, and infinities,
 * NaNs, zeros and numbers below the normal ones occur. */
#include "test.h"

#include "exec/matrix/mma.h"
#include "exec/matrix/mma_amx.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = CUP_MMA_ROWS, COLUMNS = CUP_MMA_COLUMNS, ROUNDS = 150 };

static const struct shape {
    uint8_t types[4];
    unsigned depth;
    bool is_group;
} shapes[] = {
    {{PTX_F16, PTX_F16, PTX_F32, PTX_F32}, 16, false},
    {{PTX_F16, PTX_F16, PTX_F32, PTX_F32}, 8, false},
    {{PTX_F16, PTX_F16, PTX_F16, PTX_F16}, 16, false},
    {{PTX_BF16, PTX_BF16, PTX_F32, PTX_F32}, 16, false},
    {{PTX_BF16, PTX_BF16, PTX_F32, PTX_F32}, 8, false},
    {{PTX_TF32, PTX_TF32, PTX_F32, PTX_F32}, 8, false},
    {{PTX_TF32, PTX_TF32, PTX_F32, PTX_F32}, 4, false},
    {{PTX_E4M3, PTX_E5M2, PTX_F32, PTX_F32}, 32, false},
    {{PTX_E5M2, PTX_E4M3, PTX_F32, PTX_F32}, 16, false},
    {{PTX_E4M3, PTX_E4M3, PTX_F16, PTX_F16}, 32, false},
    {{PTX_E4M3, PTX_E5M2, PTX_F32, PTX_F32}, 32, true},
    {{PTX_E5M2, PTX_E4M3, PTX_F16, PTX_F16}, 32, true},
    {{PTX_S8, PTX_U8, PTX_S32, PTX_S32}, 32, false},
    {{PTX_U8, PTX_S8, PTX_S32, PTX_S32}, 16, false},
    {{PTX_S4, PTX_U4, PTX_S32, PTX_S32}, 64, false},
};

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % below);
}

/* What the elements of a round are like. */
struct taste {
    unsigned span;   /* how many neighbouring exponents occur */
    unsigned zeros;  /* one of so many is 0; 0: none */
    unsigned others; /* one of so many has any bits; 0: none */
    bool round;      /* few bits of the fractions are set */
    bool large;      /* all are positive, with a large fraction: sums do not fit 32 bits */
};

/* A number of `exponent_bits` and `fraction_bits`, as bits. */
static uint32_t number(const struct taste *taste, unsigned exponent_bits, unsigned fraction_bits,
                       unsigned middle)
{
    uint32_t top = (1u << exponent_bits) - 1, whole = exponent_bits + fraction_bits + 1;
    uint32_t exponent = middle + draw(taste->span), fraction = draw(1u << fraction_bits);

    if (taste->large)
        return (middle + 1) << fraction_bits | ((1u << fraction_bits) - 1 - draw(2));
    if (taste->zeros && draw(taste->zeros) == 0)
        return draw(2) << (whole - 1);
    if (taste->others && draw(taste->others) == 0)
        return (uint32_t)(state >> 20) & (uint32_t)((1ull << whole) - 1);
    if (taste->round)
        fraction &= 3u << (fraction_bits - 2);
    exponent = exponent > top - 1 ? top - 1 : exponent;
    return draw(2) << (whole - 1) | exponent << fraction_bits | fraction;
}

static uint32_t element(const struct taste *taste, enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return number(taste, 5, 10, 15 - taste->span / 2);
    case PTX_BF16:
        return number(taste, 8, 7, 127 - taste->span / 2);
    case PTX_TF32:
    case PTX_F32:
        return number(taste, 8, 23, 127 - taste->span / 2);
    case PTX_E4M3:
        return number(taste, 4, 3, taste->span > 7 ? 0 : 7 - taste->span / 2);
    case PTX_E5M2:
        return number(taste, 5, 2, 15 - taste->span / 2);
    default:
        return draw(256) | draw(256) << 8 | draw(256) << 16 | draw(256) << 24;
    }
}

static void fill(const struct taste *taste, enum ptx_type type, uint8_t *bytes, size_t count)
{
    unsigned size = ptx_type_bits(type) < 8 ? 1 : ptx_type_bits(type) / 8;

    for (size_t i = 0; i < count; i += size) {
        uint32_t bits = element(taste, type);

        memcpy(bytes + i, &bits, size);
    }
}

/* Element k of line `line`: of A, which has two cores of lines side by side, or of B, which has
 * one. */
static float element_of(enum ptx_type type, const uint8_t *cores, unsigned beside, unsigned line,
                        unsigned k)
{
    unsigned bits = ptx_type_bits(type), each = 128 / bits;
    uint32_t word;

    cores += (k / each * beside + line / 8) * CUP_MMA_CORE_BYTES + line % 8 * 16;
    memcpy(&word, cores + k % each * bits / 32 * 4, sizeof(word));
    return cup_mma_element(type, word, k % (32 / bits));
}

/* The rule for one element; operands are in cores. */
static uint32_t expected(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                         unsigned row, unsigned column, uint32_t c)
{
    unsigned counts[2] = {0}, parts;
    float x[2][CUP_MMA_DEPTH], y[2][CUP_MMA_DEPTH], sum;
    int64_t whole = (int32_t)c;

    for (unsigned k = 0; k < rule->depth; k++) {
        unsigned part = rule->in_halves && k % 4 >= 2;

        x[part][counts[part]] = element_of(rule->a, a, 2, row, k);
        y[part][counts[part]] = element_of(rule->b, b, 1, column, k);
        if (rule->negate)
            x[part][counts[part]] = -x[part][counts[part]];
        if (rule->d == PTX_S32)
            whole += (int64_t)(x[part][counts[part]] * y[part][counts[part]]);
        counts[part]++;
    }
    if (rule->d == PTX_S32) {
        if (rule->saturate)
            whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
        return (uint32_t)whole;
    }
    sum = rule->in_halves ? 0 : cup_mma_element(rule->c, c, 0);
    parts = rule->in_halves ? 2 : 1;
    for (unsigned part = 0; part < parts; part++) {
        sum = cup_mma_sum(rule, x[part], y[part], counts[part], sum);
        if (rule->in_halves && rule->d == PTX_F16)
            sum = cup_mma_round_half(sum);
    }
    if (rule->in_halves)
        sum = cup_mma_canonical(sum + cup_mma_element(rule->c, c, 0));
    if (rule->d == PTX_F16)
        return cup_mma_half_bits(sum);
    memcpy(&c, &sum, sizeof(c));
    return c;
}

/* Whether operands of this shape can be decoded once for many products. */
static bool has_columns(const struct shape *shape)
{
    return shape->depth == 16 && shape->types[2] == PTX_F32 &&
           (shape->types[0] == PTX_F16 || shape->types[0] == PTX_BF16);
}

static void columns_of(const uint32_t (*words)[32], cup_mma_columns columns)
{
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            memcpy(&columns[column][row],
                   &words[row / 8 * 2 + column % 2][row % 8 * 4 + column / 2], 4);
}

/* The same product with operands that are decoded by themselves. */
static void check_columns(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                          const uint32_t (*c)[32], const uint32_t (*d)[32])
{
    static struct cup_mma_a decoded_a;
    static struct cup_mma_b decoded_b;
    cup_mma_columns columns __attribute__((aligned(64))), wanted;

    columns_of(c, columns);
    columns_of(d, wanted);
    cup_mma_decode_a(rule, a, &decoded_a);
    cup_mma_decode_b(rule, b, &decoded_b);
    cup_mma_multiply_columns(rule, &decoded_a, &decoded_b, &columns);
    check(!memcmp(columns, wanted, sizeof(columns)));
}

static void check_round(struct cup_mma *tensor, const struct shape *shape)
{
    static const unsigned spans[] = {1, 2, 6, 12, 30};
    struct taste taste = {.span = spans[draw(5)],
                          .zeros = draw(3) * 3,
                          .others = draw(2) ? 0 : 1u << draw(12),
                          .round = draw(3) == 0,
                          .large = draw(8) == 0};
    uint8_t a[CUP_MMA_A_CORES * CUP_MMA_CORE_BYTES], b[2 * CUP_MMA_CORE_BYTES];
    uint32_t c[4][32] = {{0}}, d[4][32];
    bool half = shape->types[2] == PTX_F16;

    if (shape->types[0] == PTX_BF16 && draw(2))
        taste.span = 200;
    tensor->rule = cup_mma_rule_of(shape->types, shape->depth, shape->is_group);
    tensor->rule.saturate = draw(2);
    tensor->rule.negate = shape->types[3] != PTX_S32 && draw(2);
    fill(&taste, shape->types[0], a, sizeof(a));
    fill(&taste, shape->types[1], b, sizeof(b));
    taste.span += taste.large ? 0 : draw(12);
    if (draw(4))
        fill(&taste, shape->types[2], (uint8_t *)c, half ? sizeof(c) / 2 : sizeof(c));
    cup_mma_set_a(tensor, a);
    cup_mma_set_b(tensor, b);
    cup_mma_set_c(tensor, c[0]);
    cup_mma_multiply(tensor);
    cup_mma_get_d(tensor, d[0]);
    if (has_columns(shape))
        check_columns(&tensor->rule, a, b, c, d);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned lane = row % 8 * 4 + column / 2,
                     reg = half ? row / 8 : row / 8 * 2 + column % 2,
                     shift = half ? column % 2 * 16 : 0;
            uint32_t mask = half ? 0xffff : UINT32_MAX,
                     want =
                         expected(&tensor->rule, a, b, row, column, c[reg][lane] >> shift & mask);

            if ((d[reg][lane] >> shift & mask) != want)
                test_fail(__FILE__, __LINE__, "shape %u, row %u, column %u: %#x instead of %#x",
                          (unsigned)(shape - shapes), row, column, d[reg][lane] >> shift & mask,
                          want);
        }
}

/* Rounds of all shapes with the functions of this name, or of those that sum in .f32. */
static void check_shapes(const char *name, bool floats_only,
                         void (*round)(struct cup_mma *tensor, const struct shape *shape))
{
    static struct cup_mma tensor;

    cup_mma_init(&tensor);
    if (!cup_mma_choose(name))
        return;
    for (unsigned n = 0; n < ROUNDS; n++)
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            if (!floats_only || shapes[i].types[2] == PTX_F32)
                round(&tensor, &shapes[i]);
}

static void check_all(const char *name)
{
    check_shapes(name, false, check_round);
}

TEST(plain_vectors_follow_the_rule)
{
    check_all("plain");
}

TEST(vectors_of_256_bits_follow_the_rule)
{
    check_all("avx2");
}

TEST(vectors_of_512_bits_follow_the_rule)
{
    check_all("avx512");
}

/* Fast products are added one by one in .f32, in any order. */
static void check_fast_round(struct cup_mma *tensor, const struct shape *shape)
{
    struct taste taste = {.span = 6, .zeros = 5};
    uint8_t a[CUP_MMA_A_CORES * CUP_MMA_CORE_BYTES], b[2 * CUP_MMA_CORE_BYTES];
    uint32_t c[4][32], d[4][32];

    tensor->rule = cup_mma_rule_of(shape->types, shape->depth, shape->is_group);
    tensor->rule.negate = draw(2);
    tensor->rule.is_fast = true;
    fill(&taste, shape->types[0], a, sizeof(a));
    fill(&taste, shape->types[1], b, sizeof(b));
    fill(&taste, shape->types[2], (uint8_t *)c, sizeof(c));
    cup_mma_set_a(tensor, a);
    cup_mma_set_b(tensor, b);
    cup_mma_multiply_fast(tensor, draw(2) ? c[0] : memset(c, 0, sizeof(c)), d[0]);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned lane = row % 8 * 4 + column / 2, reg = row / 8 * 2 + column % 2;
            double sum = cup_mma_element(PTX_F32, c[reg][lane], 0), size = fabs(sum);

            for (unsigned k = 0; k < shape->depth; k++) {
                double product = (double)element_of(shape->types[0], a, 2, row, k) *
                                 element_of(shape->types[1], b, 1, column, k);

                sum += tensor->rule.negate ? -product : product;
                size += fabs(product);
            }
            sum -= cup_mma_element(PTX_F32, d[reg][lane], 0);
            check(fabs(sum) <= size * (shape->depth + 1) * 0x1p-24);
        }
}

static void check_fast(const char *name)
{
    check_shapes(name, true, check_fast_round);
}

TEST(fast_products_are_near)
{
    check_fast("plain");
    check_fast("avx2");
    check_fast("avx512");
}

enum { EACH = 2 * CUP_MMA_AMX_PAIRS, PRODUCTS = 2 * EACH };

/* Operands of products that add to tiles one behind the other, and what they should come to. */
struct series {
    uint8_t a[2][4 * CUP_MMA_CORE_BYTES], b[PRODUCTS][2 * CUP_MMA_CORE_BYTES];
    cup_mma_columns c[PRODUCTS] __attribute__((aligned(64)));
    double sums[PRODUCTS][COLUMNS][ROWS], sizes[PRODUCTS][COLUMNS][ROWS];
};

/* Product i is of A i / EACH and B i. */
static void make_series(const struct cup_mma_rule *rule, struct series *s)
{
    struct taste taste = {.span = 30, .zeros = 7};

    fill(&taste, rule->a, s->a[0], sizeof(s->a));
    fill(&taste, rule->b, s->b[0], sizeof(s->b));
    taste.span = 12;
    fill(&taste, PTX_F32, (uint8_t *)s->c, sizeof(s->c));
    for (unsigned i = 0; i < PRODUCTS; i++)
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++) {
                double sum = s->c[i][column][row], size = fabs(sum);

                for (unsigned k = 0; k < 16; k++) {
                    double product = (double)element_of(rule->a, s->a[i / EACH], 2, row, k) *
                                     element_of(rule->b, s->b[i], 1, column, k);

                    sum += rule->negate ? -product : product;
                    size += fabs(product);
                }
                s->sums[i][column][row] = sum;
                s->sizes[i][column][row] = size;
            }
}

static void check_series(const struct series *s)
{
    for (unsigned i = 0; i < PRODUCTS; i++)
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++)
                check(fabs(s->sums[i][column][row] - s->c[i][column][row]) <=
                      s->sizes[i][column][row] * 64 * 0x1p-24);
}

static struct cup_mma_rule fast_rule(enum ptx_type type)
{
    const uint8_t types[4] = {type, type, PTX_F32, PTX_F32};
    struct cup_mma_rule rule = cup_mma_rule_of(types, 16, false);

    rule.is_fast = true;
    rule.negate = draw(2);
    return rule;
}

static void check_fast_columns(const char *name, enum ptx_type type)
{
    static struct series s;
    static struct cup_mma_a a;
    static struct cup_mma_b b;

    if (!cup_mma_choose(name))
        return;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cup_mma_rule rule = fast_rule(type);

        make_series(&rule, &s);
        for (unsigned i = 0; i < PRODUCTS; i++) {
            cup_mma_decode_a(&rule, s.a[i / EACH], &a);
            cup_mma_decode_b(&rule, s.b[i], &b);
            cup_mma_multiply_columns(&rule, &a, &b, &s.c[i]);
        }
        check_series(&s);
    }
}

TEST(fast_products_of_columns_are_near)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};

    for (unsigned i = 0; i < 3; i++) {
        check_fast_columns(names[i], PTX_F16);
        check_fast_columns(names[i], PTX_BF16);
    }
}

static bool decode_a(const struct cup_mma_rule *rule, const void *cores, uint8_t *tiles)
{
    return cup_mma_amx_decode_a(rule, &(struct cup_mma_source){.rows = cores}, tiles);
}

static bool decode_b(const struct cup_mma_rule *rule, const void *cores, uint8_t *tile)
{
    return cup_mma_amx_decode_b(rule, &(struct cup_mma_source){.rows = cores}, tile);
}

static void check_amx(enum ptx_type type)
{
    static struct series s;
    static uint8_t a[2][CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64))),
        b[PRODUCTS][CUP_MMA_AMX_B_BYTES] __attribute__((aligned(64)));
    bool has_shapes = false;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cup_mma_rule rule = fast_rule(type);

        make_series(&rule, &s);
        cup_mma_amx_wake(&has_shapes);
        for (unsigned i = 0; i < PRODUCTS; i++)
            check(decode_b(&rule, s.b[i], b[i]));
        for (unsigned i = 0; i < 2; i++)
            check(decode_a(&rule, s.a[i], a[i]));
        for (unsigned i = 0, pairs; i < PRODUCTS; i += 2 * pairs) {
            pairs = i == EACH ? 1 : i > EACH ? CUP_MMA_AMX_PAIRS - 1 : CUP_MMA_AMX_PAIRS;
            cup_mma_amx_load((const cup_mma_columns *)s.c + i, pairs);
            cup_mma_amx_multiply(&rule, a[i / EACH], b[i], pairs);
            cup_mma_amx_wake(&has_shapes);
            cup_mma_amx_store(s.c + i, pairs);
        }
        check_series(&s);
    }
}

TEST(products_by_amx_are_near)
{
    if (!cup_mma_amx_is_there())
        return;
    check_amx(PTX_F16);
    check_amx(PTX_BF16);
}

/* The parts of an infinite element would make a NaN of any product. */
TEST(amx_takes_no_infinite_elements)
{
    struct cup_mma_rule rule = fast_rule(PTX_F16);
    uint16_t a[256] = {0}, b[128] = {0};
    static uint8_t tiles[CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64)));

    if (!cup_mma_amx_is_there())
        return;
    a[255] = 0x7bff;
    b[17] = 0xfbff;
    check(decode_a(&rule, a, tiles));
    check(decode_b(&rule, b, tiles));
    a[255] = 0x7c00;
    b[17] = 0xfe00;
    check(!decode_a(&rule, a, tiles));
    check(!decode_b(&rule, b, tiles));
}

/* Operands that lie apart are those that lie together, also numbers below the normal ones. */
TEST(amx_reads_rows_at_places)
{
    struct cup_mma_rule rule = fast_rule(PTX_F16);
    static uint8_t memory[4096], cores[4 * CUP_MMA_CORE_BYTES];
    static uint8_t together[CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64))),
        apart[CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64)));
    uint16_t places[2][8];
    struct cup_mma_source source = {
        .rows = memory, .places = (const uint16_t(*)[8])places, .stride = 2048};
    uint8_t copy[2 * CUP_MMA_CORE_BYTES] __attribute__((aligned(64)));

    if (!cup_mma_amx_is_there())
        return;
    for (unsigned i = 0; i < sizeof(memory) / 2; i++) {
        uint16_t half = (uint16_t)(draw(0x7c00) | draw(2) << 15);

        memcpy(memory + 2 * i, &half, 2);
    }
    for (unsigned i = 0; i < 16; i++)
        places[i / 8][i % 8] = (uint16_t)((i % 8 * 192 + 64) ^ (i / 8 ? 16 : 0) ^ (i & 1 ? 16 : 0));
    for (unsigned i = 0; i < 32; i++)
        memcpy(cores + 16 * i, memory + i / 8 % 2 * 2048 + places[i / 16][i % 8], 16);
    check(decode_a(&rule, cores, together));
    check(cup_mma_amx_decode_a(&rule, &source, apart));
    check(!memcmp(together, apart, CUP_MMA_AMX_A_BYTES));
    memmove(cores + CUP_MMA_CORE_BYTES, cores + 2 * CUP_MMA_CORE_BYTES, CUP_MMA_CORE_BYTES);
    check(decode_b(&rule, cores, together));
    check(cup_mma_amx_decode_b(&rule, &source, apart));
    check(!memcmp(together, apart, CUP_MMA_AMX_B_BYTES));
    cup_mma_amx_copy(&source, copy);
    check(cup_mma_amx_is_copy(&source, copy));
    memory[places[1][7] + 5] ^= 1;
    check(!cup_mma_amx_is_copy(&source, copy));
}

/* A is remembered; another A, and the same bits of another type, are not taken for it. */
TEST(a_changes_between_products)
{
    static struct cup_mma tensor;
    uint8_t types[4] = {PTX_F16, PTX_F16, PTX_F32, PTX_F32};
    uint16_t a[256], b[128];
    float first, second, third;

    for (unsigned i = 0; i < 256; i++)
        a[i] = 0x3c00; /* 1 */
    for (unsigned i = 0; i < 128; i++)
        b[i] = 0x3c00;
    cup_mma_init(&tensor);
    tensor.rule = cup_mma_rule_of(types, 16, false);
    cup_mma_set_a(&tensor, (const uint8_t *)a);
    cup_mma_set_b(&tensor, (const uint8_t *)b);
    cup_mma_clear_c(&tensor);
    cup_mma_multiply(&tensor);
    first = tensor.c[0][0];
    a[0] = 0x4000; /* 2 */
    cup_mma_set_a(&tensor, (const uint8_t *)a);
    cup_mma_clear_c(&tensor);
    cup_mma_multiply(&tensor);
    second = tensor.c[0][0];
    tensor.rule.negate = true;
    cup_mma_set_a(&tensor, (const uint8_t *)a);
    cup_mma_clear_c(&tensor);
    cup_mma_multiply(&tensor);
    third = tensor.c[0][0];
    check(first == 16 && second == 17 && third == -17);
}
