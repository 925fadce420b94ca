/* SPDX-License-Identifier: MIT */
/* Products of matrices by a warp, against plain loops. Small whole numbers give exact sums in any
 * order; of fractions the last bits are the device's own. Kernels are made as text, one a variant.
 */
#include "kernels.h"

#include <math.h>

enum type { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, S32 };

static const struct {
    const char *name;
    unsigned bits;
} types[10] = {
    [F16] = {"f16", 16}, [BF16] = {"bf16", 16}, [TF32] = {"tf32", 32}, [F32] = {"f32", 32},
    [F64] = {"f64", 64}, [S8] = {"s8", 8},      [U8] = {"u8", 8},      [S4] = {"s4", 4},
    [U4] = {"u4", 4},    [S32] = {"s32", 32},
};

/* ---- Elements ---- */

static uint64_t encode(enum type type, double value)
{
    float single = (float)value;
    uint32_t bits, exponent;
    uint64_t wide;

    memcpy(&bits, &single, 4);
    memcpy(&wide, &value, 8);
    switch (type) {
    case F16: /* numbers that a half has, and that are not too small */
        exponent = bits >> 23 & 255;
        return value == 0 ? bits >> 16
                          : (bits >> 16 & 0x8000) | (exponent - 112) << 10 | (bits >> 13 & 0x3ff);
    case BF16:
        return bits >> 16;
    case F64:
        return wide;
    case F32:
    case TF32:
        return bits;
    default:
        return (uint64_t)(int64_t)value & ((UINT64_C(1) << types[type].bits) - 1);
    }
}

static double decode(enum type type, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float single;
    double wide;

    switch (type) {
    case F16: {
        unsigned exponent = word >> 10 & 31, fraction = word & 0x3ff;
        double value = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
        return word & 0x8000 ? -value : value;
    }
    case BF16:
        word <<= 16;
        /* fall through */
    case F32:
    case TF32:
        memcpy(&single, &word, 4);
        return single;
    case F64:
        memcpy(&wide, &bits, 8);
        return wide;
    case S32:
        return (int32_t)word;
    case S8:
        return (int8_t)word;
    case S4:
        return (int)((word & 15) ^ 8) - 8;
    default:
        return word & ((1u << types[type].bits) - 1);
    }
}

static uint32_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* A number of the type: a small whole one, or a fraction of few bits. */
static double number(enum type type, bool fractions)
{
    switch (type) {
    case U4:
        return draw() % 16;
    case S4:
        return (int)(draw() % 16) - 8;
    case U8:
        return draw() % 256;
    case S8:
        return (int)(draw() % 256) - 128;
    case S32:
        return (int)(draw() % 200001) - 100000;
    case F64:
        return fractions ? ldexp((double)draw() * 8191 + draw(), -30) - 20
                         : (int)(draw() % 33) - 16;
    default: /* 8 bits, which all the others have */
        return fractions ? ldexp((int)(draw() % 256) - 128, -(int)(draw() % 10))
                         : (int)(draw() % 17) - 8;
    }
}

/* ---- mma ---- */

struct variant {
    const char *shape;
    unsigned m, n, k;
    enum type a, b, c, d;
    const char *extra;
};

static unsigned registers(unsigned elements, enum type type)
{
    return elements / 32 * types[type].bits / (type == F64 ? 64 : 32);
}

static size_t put_list(char *text, const char *kind, unsigned first, unsigned count)
{
    size_t length = (size_t)sprintf(text, "{");

    for (unsigned i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "%s%s%u", i ? "," : "", kind, first + i);
    return length + (size_t)sprintf(text + length, "}");
}

/* kernel(words): register r of lane l is word 32 r + l, of A, B, C and then D. */
static void make_kernel(const struct variant *v, const unsigned *counts, char *text)
{
    bool wide = v->d == F64;
    const char *kind = wide ? "%d" : "%r";
    unsigned first[5] = {0};

    for (unsigned p = 0; p < 4; p++)
        first[p + 1] = first[p] + counts[p];
    text += sprintf(text, ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry multiply(.param .u64 words)\n{\n"
                          ".reg .u64 %%p, %%o;\n.reg .u32 %%t;\n.reg .b32 %%r<64>;\n"
                          ".reg .f64 %%d<64>;\nld.param.u64 %%p, [words];\nmov.u32 %%t, %%tid.x;\n"
                          "mul.wide.u32 %%o, %%t, 8;\nadd.u64 %%p, %%p, %%o;\n");
    for (unsigned r = 0; r < first[3]; r++)
        text += sprintf(text, "ld.global.%s %s%u, [%%p + %u];\n", wide ? "f64" : "b32", kind, r,
                        256 * r);
    text += sprintf(text, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s ", v->shape,
                    v->extra ? v->extra : "", types[v->d].name, types[v->a].name, types[v->b].name,
                    types[v->c].name);
    text += put_list(text, kind, first[3], counts[3]);
    for (unsigned p = 0; p < 3; p++) {
        text += sprintf(text, ", ");
        text += put_list(text, kind, first[p], counts[p]);
    }
    text += sprintf(text, ";\n");
    for (unsigned r = first[3]; r < first[4]; r++)
        text += sprintf(text, "st.global.%s [%%p + %u], %s%u;\n", wide ? "f64" : "b32", 256 * r,
                        kind, r);
    sprintf(text, "ret;\n}\n");
}

/* Where an element is, as the manual says. */
static void place(const struct variant *v, unsigned part, unsigned row, unsigned column,
                  unsigned *lane, unsigned *reg, unsigned *bit)
{
    enum type type = part == 0 ? v->a : part == 1 ? v->b : part == 2 ? v->c : v->d;
    unsigned bits = types[type].bits, each = type == F64 ? 1 : 32 / bits;

    if (part == 0) {
        *lane = row % 8 * 4 + column % (4 * each) / each;
        *reg = v->m == 16 ? column / (4 * each) * 2 + row / 8 : column / (4 * each);
        *bit = column % each * bits;
    } else if (part == 1) {
        *lane = column * 4 + row % (4 * each) / each;
        *reg = row / (4 * each);
        *bit = row % each * bits;
    } else {
        unsigned i = row / 8 * 2 + column % 2;
        *lane = row % 8 * 4 + column / 2;
        *reg = i / each;
        *bit = i % each * bits;
    }
}

struct matrices {
    double a[64][64], b[64][64], c[64][64];
};

static double expected(const struct variant *v, const struct matrices *x, unsigned row,
                       unsigned column, double *size)
{
    double sum = x->c[row][column];

    *size = fabs(sum);
    for (unsigned k = 0; k < v->k; k++) {
        double a = x->a[row][k], b = x->b[k][column];
        *size += fabs(a * b);
        sum = v->d == F64 ? fma(a, b, sum) : sum + a * b;
    }
    if (v->d == S32 && v->extra)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return sum;
}

static void fill(const struct variant *v, unsigned part, unsigned rows, unsigned columns,
                 enum type type, bool fractions, double (*matrix)[64], uint64_t *words)
{
    unsigned lane, reg, bit;

    for (unsigned row = 0; row < rows; row++)
        for (unsigned column = 0; column < columns; column++) {
            double value = number(part == 2 && type != S32 && type != F64 ? F16 : type, fractions);
            if (part == 2 && v->extra)
                value = value > 0 ? INT32_MAX - 5 : INT32_MIN + 5;
            matrix[row][column] = value;
            place(v, part, row, column, &lane, &reg, &bit);
            words[32 * reg + lane] |= encode(type, value) << bit;
        }
}

static void check_variant(const struct variant *v, bool fractions)
{
    unsigned counts[4] = {registers(v->m * v->k, v->a), registers(v->k * v->n, v->b),
                          registers(v->m * v->n, v->c), registers(v->m * v->n, v->d)};
    unsigned before = counts[0] + counts[1] + counts[2], lane, reg, bit;
    static struct matrices x;
    static uint64_t words[64 * 32];
    static char text[16384];
    CUmodule module;
    CUdeviceptr memory;
    void *parameters[] = {&memory};

    memset(words, 0, sizeof words);
    fill(v, 0, v->m, v->k, v->a, fractions, x.a, words);
    fill(v, 1, v->k, v->n, v->b, fractions, x.b, words + 32 * counts[0]);
    fill(v, 2, v->m, v->n, v->c, fractions, x.c, words + 32 * (counts[0] + counts[1]));
    make_kernel(v, counts, text);
    check_success(cuModuleLoadData(&module, text));
    memory = device_copy_of(words, sizeof words);
    launch_line(kernel_of(module, "multiply"), 1, 32, 0, parameters);
    check_success(cuMemcpyDtoH(words, memory, sizeof words));
    for (unsigned row = 0; row < v->m; row++)
        for (unsigned column = 0; column < v->n; column++) {
            double size, wanted = expected(v, &x, row, column, &size), got;
            place(v, 3, row, column, &lane, &reg, &bit);
            got = decode(v->d, words[32 * (before + reg) + lane] >> bit &
                                   (types[v->d].bits == 16 ? 0xffff : UINT64_MAX));
            double most = !fractions || v->d == F64 || v->d == S32 ? 0
                          : v->d == F16                            ? size * 0x1p-9
                                                                   : size * 0x1p-20;
            if (!(fabs(got - wanted) <= most))
                test_fail(__FILE__, __LINE__, "%s %s.%s.%s.%s row %u column %u: %a, and not %a",
                          v->shape, types[v->d].name, types[v->a].name, types[v->b].name,
                          types[v->c].name, row, column, got, wanted);
        }
    check_success(cuMemFree(memory));
    check_success(cuModuleUnload(module));
}

static const struct variant floats[] = {
    {"m16n8k8", 16, 8, 8, F16, F16, F32, F32, NULL},
    {"m16n8k8", 16, 8, 8, F16, F16, F16, F16, NULL},
    {"m16n8k16", 16, 8, 16, F16, F16, F32, F32, NULL},
    {"m16n8k16", 16, 8, 16, F16, F16, F16, F16, NULL},
    {"m16n8k8", 16, 8, 8, BF16, BF16, F32, F32, NULL},
    {"m16n8k16", 16, 8, 16, BF16, BF16, F32, F32, NULL},
    {"m16n8k4", 16, 8, 4, TF32, TF32, F32, F32, NULL},
    {"m16n8k8", 16, 8, 8, TF32, TF32, F32, F32, NULL},
};

static const struct variant doubles[] = {
    {"m8n8k4", 8, 8, 4, F64, F64, F64, F64, NULL},
    {"m16n8k4", 16, 8, 4, F64, F64, F64, F64, NULL},
    {"m16n8k8", 16, 8, 8, F64, F64, F64, F64, NULL},
    {"m16n8k16", 16, 8, 16, F64, F64, F64, F64, NULL},
};

static const struct variant integers[] = {
    {"m8n8k16", 8, 8, 16, S8, S8, S32, S32, NULL},
    {"m8n8k16", 8, 8, 16, U8, S8, S32, S32, ".satfinite"},
    {"m16n8k16", 16, 8, 16, S8, U8, S32, S32, NULL},
    {"m16n8k32", 16, 8, 32, U8, U8, S32, S32, NULL},
    {"m16n8k32", 16, 8, 32, S8, S8, S32, S32, ".satfinite"},
    {"m8n8k32", 8, 8, 32, S4, S4, S32, S32, NULL},
    {"m16n8k32", 16, 8, 32, U4, S4, S32, S32, NULL},
    {"m16n8k64", 16, 8, 64, S4, U4, S32, S32, NULL},
};

#define CHECK_ALL(variants, fractions)                                                             \
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)                                \
    check_variant(&variants[i], fractions)

TEST(products_of_small_floats)
{
    with_context();
    CHECK_ALL(floats, false);
}

TEST(products_of_small_fractions)
{
    with_context();
    CHECK_ALL(floats, true);
}

TEST(products_of_doubles)
{
    with_context();
    CHECK_ALL(doubles, false);
    CHECK_ALL(doubles, true);
}

TEST(products_of_integers)
{
    with_context();
    CHECK_ALL(integers, false);
}

/* ---- What was recorded ---- */

static FILE *recordings(void)
{
    const char *folder = getenv("CUPIPE_TEST_KERNELS");
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/recorded/matrix.txt", folder ? folder : KERNELS_FOLDER);
    file = fopen(path, "r");
    check(file != NULL);
    return file;
}

static enum type type_named(const char *name)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(types[t].name, name) == 0)
            return (enum type)t;
    test_fail(__FILE__, __LINE__, "no type %s", name);
    return F16;
}

static unsigned read_words(const char *text, uint64_t *words)
{
    unsigned count = 0;
    char *end;

    for (;; count++) {
        words[count] = strtoull(text, &end, 16);
        if (end == text)
            return count;
        text = end;
    }
}

/* All bits of sums of fractions: how far apart numbers may be, and what is cut off. */
TEST(sums_as_recorded)
{
    static char line[1 << 16], text[16384], shape[32];
    static uint64_t recorded[64 * 32], words[64 * 32];
    FILE *file = recordings();
    unsigned seen = 0;
    char d[8], a[8], b[8], c[8];
    int at;

    with_context();
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "mma %31[^.].row.col.%7[^.].%7[^.].%7[^.].%7[^ ]%n", shape, d, a, b, c,
                   &at) != 5)
            continue;
        struct variant v = {.shape = shape,
                            .a = type_named(a),
                            .b = type_named(b),
                            .c = type_named(c),
                            .d = type_named(d)};
        check(sscanf(shape, "m%un%uk%u", &v.m, &v.n, &v.k) == 3);
        unsigned counts[4] = {registers(v.m * v.k, v.a), registers(v.k * v.n, v.b),
                              registers(v.m * v.n, v.c), registers(v.m * v.n, v.d)};
        unsigned inputs = 32 * (counts[0] + counts[1] + counts[2]), all = inputs + 32 * counts[3];
        CUdeviceptr memory;
        void *parameters[] = {&memory};
        CUmodule module;

        check(read_words(line + at, recorded) == all);
        memcpy(words, recorded, inputs * 8);
        memset(words + inputs, 0, sizeof words - inputs * 8);
        make_kernel(&v, counts, text);
        check_success(cuModuleLoadData(&module, text));
        memory = device_copy_of(words, sizeof words);
        launch_line(kernel_of(module, "multiply"), 1, 32, 0, parameters);
        check_success(cuMemcpyDtoH(words, memory, sizeof words));
        for (unsigned i = inputs; i < all; i++)
            if (words[i] != recorded[i])
                test_fail(__FILE__, __LINE__, "%s %s.%s.%s.%s, word %u: %#llx, and not %#llx",
                          shape, d, a, b, c, i - inputs, (unsigned long long)words[i],
                          (unsigned long long)recorded[i]);
        seen++;
    }
    check(seen == 14);
}

/* Which elements a lane has after wmma.load: every third line. */
static void check_parts(unsigned third)
{
    static char line[1 << 16], text[8192];
    static uint64_t recorded[16 * 32], words[16 * 32];
    static uint8_t in[1024 * 8];
    FILE *file = recordings();
    char part[4], shape[32], name[8], layout[8];
    unsigned seen = 0, lines = 0;
    int at;

    with_context();
    while (fgets(line, sizeof line, file)) {
        if (lines++ % 3 != third ||
            sscanf(line, "wmma %3s %31s %7s %7s%n", part, shape, name, layout, &at) != 4)
            continue;
        unsigned count = read_words(line + at, recorded) / 32,
                 bytes = types[type_named(name)].bits / 8;
        const char *kind = bytes == 8 ? "%d" : "%r";
        char *end = text;
        CUdeviceptr memory = device_zeros(sizeof words), from;
        void *parameters[] = {&memory, &from};
        CUmodule module;

        for (uint64_t i = 0; i < 1024; i++)
            memcpy(in + i * bytes, &i, bytes);
        from = device_copy_of(in, sizeof in);
        end += sprintf(end,
                       ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry load(.param .u64 to, .param .u64 from)\n{\n"
                       ".reg .u64 %%p, %%q, %%o;\n.reg .u32 %%t;\n.reg .b32 %%r<16>;\n"
                       ".reg .f64 %%d<16>;\nld.param.u64 %%p, [to];\nld.param.u64 %%q, [from];\n"
                       "mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%o, %%t, 8;\nadd.u64 %%p, %%p, %%o;\n"
                       "wmma.load.%s.sync.aligned.%s.%s.global.%s ",
                       part, layout, shape, name);
        end += put_list(end, kind, 0, count);
        end += sprintf(end, ", [%%q], %u;\n", bytes == 1 ? 16 : 32);
        for (unsigned r = 0; r < count; r++)
            end += sprintf(end, "st.global.%s [%%p + %u], %s%u;\n", bytes == 8 ? "f64" : "b32",
                           256 * r, kind, r);
        sprintf(end, "ret;\n}\n");
        check_success(cuModuleLoadData(&module, text));
        launch_line(kernel_of(module, "load"), 1, 32, 0, parameters);
        check_success(cuMemcpyDtoH(words, memory, sizeof words));
        for (unsigned i = 0; i < 32 * count; i++)
            if (words[i] != recorded[i])
                test_fail(__FILE__, __LINE__, "%s %s %s %s, word %u: %#llx, and not %#llx", part,
                          shape, name, layout, i, (unsigned long long)words[i],
                          (unsigned long long)recorded[i]);
        seen++;
    }
    check(seen > 6);
}

TEST(parts_of_matrices_as_recorded)
{
    check_parts(0);
}

TEST(more_parts_of_matrices_as_recorded)
{
    check_parts(1);
}

TEST(all_parts_of_matrices_as_recorded)
{
    check_parts(2);
}

/* ---- wmma ---- */

struct wmma {
    const char *shape;
    unsigned m, n, k;
    enum type in, out;
    unsigned a, b, c; /* registers */
};

/* kernel(a, b, c, d), with strides of its own for each. */
static void make_wmma(const struct wmma *w, bool a_col, bool b_col, bool c_col, char *text)
{
    const char *kind = w->in == F64 ? "%d" : "%r", *in = types[w->in].name,
               *out = types[w->out].name;
    const char *layouts[2] = {"row", "col"};
    unsigned ldc = (c_col ? w->m : w->n) + 8, lda = (a_col ? w->m : w->k) + 8,
             ldb = (b_col ? w->k : w->n) + 8;

    text +=
        sprintf(text, ".version 8.0\n.target sm_90\n.address_size 64\n"
                      ".visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 c, "
                      ".param .u64 d)\n{\n.reg .u64 %%a, %%b, %%c, %%e;\n.reg .b32 %%r<64>;\n"
                      ".reg .f64 %%d<64>;\n.reg .u32 %%s;\nld.param.u64 %%a, [a];\n"
                      "ld.param.u64 %%b, [b];\nld.param.u64 %%c, [c];\nld.param.u64 %%e, [d];\n");
    text +=
        sprintf(text, "wmma.load.a.sync.aligned.%s.%s.global.%s ", layouts[a_col], w->shape, in);
    text += put_list(text, kind, 0, w->a);
    text += sprintf(text, ", [%%a], %u;\nmov.u32 %%s, %u;\nwmma.load.b.sync.aligned.%s.%s.%s ", lda,
                    ldb, layouts[b_col], w->shape, in);
    text += put_list(text, kind, w->a, w->b);
    text += sprintf(text, ", [%%b], %%s;\nwmma.load.c.sync.aligned.%s.%s.global.%s ",
                    layouts[c_col], w->shape, out);
    text += put_list(text, kind, w->a + w->b, w->c);
    text += sprintf(text, ", [%%c], %u;\nwmma.mma.sync.aligned.%s.%s.%s", ldc, layouts[a_col],
                    layouts[b_col], w->shape);
    if (w->in == F16)
        text += sprintf(text, ".%s.%s ", out, out);
    else
        text += sprintf(text, "%s.%s.%s.%s.%s ", w->in == F64 ? ".rn" : "", out, in, in, out);
    text += put_list(text, kind, w->a + w->b + w->c, w->c);
    text += sprintf(text, ", ");
    text += put_list(text, kind, 0, w->a);
    text += sprintf(text, ", ");
    text += put_list(text, kind, w->a, w->b);
    text += sprintf(text, ", ");
    text += put_list(text, kind, w->a + w->b, w->c);
    text += sprintf(text, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%e], ", layouts[c_col],
                    w->shape, out);
    text += put_list(text, kind, w->a + w->b + w->c, w->c);
    sprintf(text, ", %u;\nret;\n}\n", ldc);
}

static uint8_t *element(uint8_t *memory, enum type type, bool col, unsigned rows, unsigned columns,
                        unsigned row, unsigned column)
{
    unsigned stride = (col ? rows : columns) + 8;

    return memory + (col ? column * stride + row : row * stride + column) * (types[type].bits / 8);
}

static void check_wmma(const struct wmma *w, unsigned layouts)
{
    bool a_col = layouts & 1, b_col = layouts & 2, c_col = layouts & 4;
    static uint8_t memory[4][40 * 40 * 8];
    static double a[40][40], b[40][40], c[40][40];
    static char text[16384];
    CUdeviceptr places[4];
    void *parameters[] = {&places[0], &places[1], &places[2], &places[3]};
    CUmodule module;

    for (unsigned r = 0; r < 40; r++)
        for (unsigned s = 0; s < 40; s++) {
            uint64_t bits;
            if (r < w->m && s < w->k) {
                bits = encode(w->in, a[r][s] = number(w->in, false));
                memcpy(element(memory[0], w->in, a_col, w->m, w->k, r, s), &bits,
                       types[w->in].bits / 8);
            }
            if (r < w->k && s < w->n) {
                bits = encode(w->in, b[r][s] = number(w->in, false));
                memcpy(element(memory[1], w->in, b_col, w->k, w->n, r, s), &bits,
                       types[w->in].bits / 8);
            }
            if (r < w->m && s < w->n) {
                bits = encode(w->out, c[r][s] = number(w->out, false));
                memcpy(element(memory[2], w->out, c_col, w->m, w->n, r, s), &bits,
                       types[w->out].bits / 8);
            }
        }
    make_wmma(w, a_col, b_col, c_col, text);
    check_success(cuModuleLoadData(&module, text));
    for (unsigned i = 0; i < 4; i++)
        places[i] = device_copy_of(memory[i], sizeof memory[i]);
    launch_line(kernel_of(module, "multiply"), 1, 32, 0, parameters);
    check_success(cuMemcpyDtoH(memory[3], places[3], sizeof memory[3]));
    for (unsigned r = 0; r < w->m; r++)
        for (unsigned s = 0; s < w->n; s++) {
            double sum = c[r][s];
            uint64_t bits = 0;
            for (unsigned k = 0; k < w->k; k++)
                sum += a[r][k] * b[k][s];
            memcpy(&bits, element(memory[3], w->out, c_col, w->m, w->n, r, s),
                   types[w->out].bits / 8);
            if (decode(w->out, bits) != sum)
                test_fail(__FILE__, __LINE__, "%s %s layouts %u row %u column %u: %g, and not %g",
                          w->shape, types[w->in].name, layouts, r, s, decode(w->out, bits), sum);
        }
    for (unsigned i = 0; i < 4; i++)
        check_success(cuMemFree(places[i]));
    check_success(cuModuleUnload(module));
}

TEST(products_loaded_and_stored_by_a_warp)
{
    static const struct wmma variants[] = {
        {"m16n16k16", 16, 16, 16, F16, F32, 8, 8, 8},  {"m16n16k16", 16, 16, 16, F16, F16, 8, 8, 4},
        {"m32n8k16", 32, 8, 16, F16, F32, 8, 8, 8},    {"m8n32k16", 8, 32, 16, F16, F32, 8, 8, 8},
        {"m16n16k16", 16, 16, 16, BF16, F32, 4, 4, 8}, {"m32n8k16", 32, 8, 16, BF16, F32, 8, 2, 8},
        {"m8n32k16", 8, 32, 16, BF16, F32, 2, 8, 8},   {"m16n16k16", 16, 16, 16, S8, S32, 2, 2, 8},
        {"m32n8k16", 32, 8, 16, U8, S32, 4, 1, 8},     {"m8n32k16", 8, 32, 16, S8, S32, 1, 4, 8},
        {"m16n16k8", 16, 16, 8, TF32, F32, 4, 4, 8},   {"m8n8k4", 8, 8, 4, F64, F64, 1, 1, 2},
    };

    with_context();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (unsigned layouts = 0; layouts < 8; layouts++)
            if (v == 0 ? layouts % 3 == 0 : layouts == (3 * v + 1) % 8)
                check_wmma(&variants[v], layouts);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

TEST(small_matrices_loaded_stored_and_transposed)
{
    CUfunction function = kernel_from("matrix.ptx", "small");
    uint16_t in[4][8][8];
    uint32_t got[32 * 12];
    CUdeviceptr words = device_zeros(sizeof got), halves;
    void *parameters[] = {&words, &halves};

    for (unsigned i = 0; i < 4 * 64; i++)
        ((uint16_t *)in)[i] = (uint16_t)(i * 259 + 17);
    halves = device_copy_of(in, sizeof in);
    launch_line(function, 1, 32, 0, parameters);
    check_success(cuMemcpyDtoH(got, words, sizeof got));
    for (unsigned l = 0; l < 32; l++) {
        unsigned r = l / 4, c = l % 4 * 2;
        for (unsigned m = 0; m < 4; m++)
            check(got[m * 32 + l] == (in[m][r][c] | (uint32_t)in[m][r][c + 1] << 16));
        for (unsigned m = 0; m < 2; m++)
            check(got[(4 + m) * 32 + l] == (in[m][c][r] | (uint32_t)in[m][c + 1][r] << 16));
        check(got[6 * 32 + l] == (in[0][c][r] | (uint32_t)in[0][c + 1][r] << 16));
        /* What was stored: rows of matrix 0, then of matrix 1 on its side. */
        check(got[7 * 32 + l] == (in[0][r][c] | (uint32_t)in[0][r][c + 1] << 16));
        check(got[8 * 32 + l] == (in[1][c][r] | (uint32_t)in[1][c + 1][r] << 16));
    }
}
