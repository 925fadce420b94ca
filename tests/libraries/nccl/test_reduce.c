/* SPDX-License-Identifier: MIT */
/* Reductions against plain loops that compute in double and round by the definition of the type.
 * All types, operators and numbers of sources, in place and not, with all bit patterns of the small
 * types. The seeds are fixed. CUPIPE_CPU chooses the instruction set, so that each is tried. */
#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 7, ELEMENTS = 20011, SMALL = 65536 };

static const char *const type_names[] = {"i8",  "u8",  "i32", "u32",  "i64",  "u64",
                                         "f16", "f32", "f64", "bf16", "e4m3", "e5m2"};
static const char *const op_names[] = {"sum", "prod", "max", "min", "avg", "premulsum"};
static uint64_t state = 7;
static int failures;

static uint64_t random_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32 | (state * 0x9e3779b97f4a7c15u) << 32;
}

/* A binary format: digits after the first, the exponent of the smallest normal number, and the
 * largest number. */
struct format {
    int bits, digits, least;
    double largest;
    int has_infinity, saturates;
    uint64_t nan;
};

static const struct format *format_of(ncclDataType_t type)
{
    static const struct format formats[] = {
        [ncclFloat16] = {16, 10, -14, 65504, 1, 0, 0x7fff},
        [ncclFloat32] = {32, 23, -126, 0x1.fffffep127, 1, 0, 0x7fffffff},
        [ncclFloat64] = {64, 52, -1022, 0x1.fffffffffffffp1023, 1, 0, UINT64_C(0x7ff8) << 48},
        [ncclBfloat16] = {16, 7, -126, 0x1.fep127, 1, 0, 0x7fff},
        [ncclFloat8e4m3] = {8, 3, -6, 448, 0, 1, 0x7f},
        [ncclFloat8e5m2] = {8, 2, -14, 57344, 1, 1, 0x7f},
    };

    return &formats[type];
}

static double value_of(const struct format *f, uint64_t bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << f->digits) - 1);
    int exponent_bits = f->bits - 1 - f->digits;
    int exponent = (int)(bits >> f->digits & ((UINT64_C(1) << exponent_bits) - 1));
    double sign = bits >> (f->bits - 1) & 1 ? -1 : 1;

    if (!f->has_infinity && exponent == (1 << exponent_bits) - 1 && fraction == 7)
        return NAN;
    if (f->has_infinity && exponent == (1 << exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp((double)fraction, f->least - f->digits);
    return sign *
           ldexp((double)fraction + ldexp(1, f->digits), f->least + exponent - 1 - f->digits);
}

static double rounded(const struct format *f, double value)
{
    int exponent;
    double quantum, result;

    if (!isfinite(value) || value == 0)
        return value;
    frexp(value, &exponent);
    exponent = exponent - 1 < f->least ? f->least : exponent - 1;
    quantum = ldexp(1, exponent - f->digits);
    result = nearbyint(value / quantum) * quantum;
    return fabs(result) > f->largest ? copysign(INFINITY, value) : result;
}

static uint64_t bits_of_value(const struct format *f, double value)
{
    uint64_t sign = signbit(value) ? UINT64_C(1) << (f->bits - 1) : 0;
    int exponent;

    if (isnan(value))
        return f->nan;
    value = rounded(f, fabs(value));
    if (isinf(value) && !f->saturates)
        return sign | ((UINT64_C(1) << (f->bits - 1 - f->digits)) - 1) << f->digits;
    if (isinf(value))
        value = f->largest;
    frexp(value, &exponent);
    if (value == 0 || exponent - 1 < f->least)
        return sign | (uint64_t)ldexp(value, f->digits - f->least);
    return sign | (((uint64_t)(exponent - f->least) << f->digits) +
                   (uint64_t)ldexp(value, f->digits - exponent + 1) - (UINT64_C(1) << f->digits));
}

/* The lesser or greater; a number wins over a NaN, and -0 is less than 0. */
static double best(double a, double b, int greater)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return signbit(a) == greater ? b : a;
    return (a < b) == greater ? b : a;
}

static uint64_t fold_float(ncclDataType_t type, enum nccl_operator op, uint64_t a, uint64_t b)
{
    const struct format *f = format_of(type), *half = format_of(ncclFloat16);
    double x = value_of(f, a), y = value_of(f, b), result;

    if (type == ncclFloat32 && op < NCCL_OP_MAX) /* the sum of two f32 is not always exact in f64 */
        result = op == NCCL_OP_PROD ? (float)((float)x * (float)y) : (float)((float)x + (float)y);
    else
        result = op == NCCL_OP_PROD  ? x * y
                 : op == NCCL_OP_MAX ? best(x, y, 1)
                 : op == NCCL_OP_MIN ? best(x, y, 0)
                                     : x + y;
    if (f->bits == 8)
        result = rounded(half, result);
    return bits_of_value(f, result);
}

static uint64_t fold_integer(ncclDataType_t type, enum nccl_operator op, uint64_t a, uint64_t b)
{
    unsigned shift = 64 - 8 * (unsigned)nccl_type_bytes(type);
    int is_signed = type == ncclInt8 || type == ncclInt32 || type == ncclInt64;
    int less = is_signed ? (int64_t)(a << shift) < (int64_t)(b << shift) : a < b;

    return op == NCCL_OP_PROD  ? a * b
           : op == NCCL_OP_MAX ? (less ? b : a)
           : op == NCCL_OP_MIN ? (less ? a : b)
                               : a + b;
}

static uint64_t divided(ncclDataType_t type, uint64_t value, uint64_t divisor)
{
    unsigned shift = 64 - 8 * (unsigned)nccl_type_bytes(type);

    if (type == ncclInt8 || type == ncclInt32 || type == ncclInt64)
        return (uint64_t)(((int64_t)(value << shift) >> shift) / (int64_t)divisor);
    return (value << shift >> shift) / divisor;
}

static uint64_t load(const void *vector, size_t index, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)vector + index * bytes, bytes);
    return value;
}

static int is_nan(ncclDataType_t type, uint64_t bits)
{
    return type >= ncclFloat16 && isnan(value_of(format_of(type), bits));
}

static uint64_t expected(const struct nccl_reduction *r, const void *const *sources, size_t count,
                         size_t index)
{
    size_t bytes = nccl_type_bytes(r->type);
    int is_float = r->type >= ncclFloat16;
    uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1, sum = 0;

    for (size_t k = 0; k < count; k++) {
        uint64_t term = load(sources[k], index, bytes);
        uint64_t factor = r->scalars ? r->scalars[k] : r->scalar;

        if (r->op == NCCL_OP_SCALED_SUM)
            term =
                is_float ? fold_float(r->type, NCCL_OP_PROD, term, factor) : term * factor & mask;
        if (k == 0)
            sum = term;
        else
            sum = is_float ? fold_float(r->type, r->op, sum, term)
                           : fold_integer(r->type, r->op, sum, term) & mask;
    }
    return r->op == NCCL_OP_SUM_DIVIDED ? divided(r->type, sum, r->divisor) & mask : sum;
}

static void compare(const struct nccl_reduction *r, int op, const void *const *sources,
                    size_t source_count, const void *result, size_t count)
{
    size_t bytes = nccl_type_bytes(r->type);

    for (size_t i = 0; i < count; i++) {
        uint64_t want = expected(r, sources, source_count, i), have = load(result, i, bytes);

        if (have == want ||
            (r->type == ncclFloat64 && is_nan(r->type, have) && is_nan(r->type, want)))
            continue;
        if (failures++ < 20)
            printf("not ok: %s %s of %zu at %zu: %#llx, not %#llx; first %#llx %#llx\n",
                   type_names[r->type], op_names[op], source_count, i, (unsigned long long)have,
                   (unsigned long long)want, (unsigned long long)load(sources[0], i, bytes),
                   (unsigned long long)load(sources[source_count - 1], i, bytes));
    }
}

/* Random numbers: any bits, or of moderate size so that sums neither overflow nor vanish. */
static void fill(ncclDataType_t type, char *to, size_t count)
{
    size_t bytes = nccl_type_bytes(type);

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = random_bits();

        if (type >= ncclFloat16 && bits % 4)
            bits = bits_of_value(format_of(type), (double)(int16_t)(bits >> 8) / 256);
        memcpy(to + i * bytes, &bits, bytes);
    }
}

static int init(struct nccl_reduction *r, ncclDataType_t type, int op, int ranks, uint64_t *scalars)
{
    if (op <= ncclAvg)
        return nccl_reduction_init(r, type, (ncclRedOp_t)op, ranks);
    *r = (struct nccl_reduction){.type = type, .op = NCCL_OP_SCALED_SUM, .scalars = scalars};
    for (int i = 0; i < ranks; i++) {
        scalars[i] = 0;
        fill(type, (char *)&scalars[i], 1);
    }
    return 1;
}

static void random_vectors(ncclDataType_t type, int op, size_t source_count, size_t count)
{
    size_t bytes = count * nccl_type_bytes(type);
    char *sources[SOURCES], *copies[SOURCES], *other = malloc(bytes + 8);
    const void *given[SOURCES];
    void *destinations[SOURCES + 1];
    uint64_t scalars[SOURCES];
    struct nccl_reduction r;

    for (size_t i = 0; i < source_count; i++) {
        sources[i] = malloc(bytes + 8);
        copies[i] = malloc(bytes + 8);
        fill(type, copies[i], count);
        memcpy(sources[i], copies[i], bytes);
        given[i] = copies[i];
        destinations[i] = sources[i];
    }
    destinations[source_count] = other;
    memset(other, 0x55, bytes + 8);
    if (init(&r, type, op, (int)source_count, scalars)) {
        nccl_reduce(&r, other, (const void *const *)sources, source_count, count, true);
        compare(&r, op, given, source_count, other, count);
        failures += memcmp(other + bytes, "UUUUUUUU", 8) != 0;
        nccl_reduce_all(&r, destinations, source_count + 1, (const void *const *)sources,
                        source_count, count, true);
        for (size_t i = 0; i <= source_count; i++)
            compare(&r, op, given, source_count, destinations[i], i ? count % 97 : count);
        for (size_t i = 0; i < source_count; i++)
            failures += memcmp(sources[i], other, bytes) != 0;
    } else if (op != ncclAvg || type < ncclFloat8e4m3) {
        printf("not ok: %s %s is refused\n", type_names[type], op_names[op]);
        failures++;
    }
    for (size_t i = 0; i < source_count; i++) {
        free(sources[i]);
        free(copies[i]);
    }
    free(other);
}

/* Every pair of 8-bit elements; every 16-bit element with some others. */
static void all_patterns(ncclDataType_t type, int op)
{
    static uint16_t a[SMALL], b[SMALL], result[SMALL];
    const void *sources[] = {a, b};
    struct nccl_reduction r;

    if (!nccl_reduction_init(&r, type, (ncclRedOp_t)op, 2))
        return;
    for (int round = 0; round < (nccl_type_bytes(type) == 1 ? 1 : 8); round++) {
        for (unsigned i = 0; i < SMALL; i++) {
            a[i] = (uint16_t)i;
            b[i] = (uint16_t)(round < 4 ? random_bits() : (i & 0xff80) + random_bits() % 999);
            if (nccl_type_bytes(type) == 1) {
                ((uint8_t *)a)[i] = (uint8_t)i;
                ((uint8_t *)b)[i] = (uint8_t)(i >> 8);
            }
        }
        nccl_reduce(&r, result, sources, 2, SMALL, true);
        compare(&r, op, sources, 2, result, SMALL);
    }
}

/* Partial results: without the division, and with it in a second step. */
static void partial(void)
{
    int32_t a = 7, b = 6, c = -20, out = 0;
    const void *first[] = {&a, &b}, *second[] = {&out, &c};
    struct nccl_reduction r;

    nccl_reduction_init(&r, ncclInt32, ncclAvg, 3);
    nccl_reduce(&r, &out, first, 2, 1, false);
    failures += out != 13;
    nccl_reduce(&r, &out, second, 2, 1, true);
    failures += out != -2;
    failures += nccl_reduction_init(&r, ncclNumTypes, ncclSum, 2);
    failures += nccl_reduction_init(&r, ncclInt32, ncclNumOps, 2);
    failures += nccl_type_bytes((ncclDataType_t)-1) != 0;
}

int main(void)
{
    static const size_t counts[] = {0, 1, 3, 17, 100, ELEMENTS};

    for (int type = 0; type < ncclNumTypes; type++)
        for (int op = 0; op <= ncclAvg + 1; op++) {
            for (size_t n = 1; n <= SOURCES; n += n < 3 ? 1 : 4)
                for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
                    random_vectors((ncclDataType_t)type, op, n, counts[i] / (n > 3 ? 8 : 1));
            if (op <= ncclAvg && nccl_type_bytes((ncclDataType_t)type) <= 2)
                all_patterns((ncclDataType_t)type, op);
        }
    partial();
    printf("%s: %d failures\n", failures ? "not ok" : "ok", failures);
    return failures != 0;
}
