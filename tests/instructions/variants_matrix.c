/* SPDX-License-Identifier: MIT */
/* Matrix instructions: mma, mma.sp and wgmma of all types and shapes. Kernels make their elements
 * from a hash of the thread's index, in one of three spreads of exponents: near each other, wide
 * with some zeros, and all bit patterns. Results of large shapes are folded into few words. */
#include "variants.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads of a variant: those of products of floats, and those of others. */
#ifndef MATRIX_LANES
#define MATRIX_LANES 256
#endif
enum { FEW_LANES = 128 };

enum spread { NEAR, WIDE, ALL, SPREADS };

static const char *const spread_names[] = {"near", "wide", "all"};

/* How random bits become elements: bits kept, then a number added. */
static const struct element {
    const char *name;
    int bits;
    struct {
        unsigned keep, add;
    } spread[SPREADS];
} elements[] = {
    {"f16", 16, {{0x8fff8fff, 0x30003000}, {0xbfffbfff, 0}, {0xffffffff, 0}}},
    {"bf16", 16, {{0x81ff81ff, 0x3e003e00}, {0x8fff8fff, 0x38003800}, {0xffffffff, 0}}},
    {"tf32", 32, {{0x81ffffff, 0x3e000000}, {0x8fffffff, 0x38000000}, {0xffffffff, 0}}},
    {"f32", 32, {{0x81ffffff, 0x3f000000}, {0x8fffffff, 0x38000000}, {0xffffffff, 0}}},
    {"e4m3", 8, {{0x9f9f9f9f, 0x20202020}, {0xbfbfbfbf, 0}, {0xffffffff, 0}}},
    {"e5m2", 8, {{0x8f8f8f8f, 0x30303030}, {0xbfbfbfbf, 0}, {0xffffffff, 0}}},
    {"s8", 8, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"u8", 8, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"s4", 4, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"u4", 4, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"b1", 1, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"s32", 32, {{0x00ffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
};

static const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (!strcmp(elements[i].name, name))
            return &elements[i];
    abort();
}

/* Of the elements that are spread wide, one word in sixteen is zero. */
static void word_write(FILE *file, const struct element *element, enum spread spread,
                       const char *to, const char *from, unsigned number)
{
    fprintf(file,
            "add.u32 m0, %s, %u; mul.lo.u32 m0, m0, 0x9E3779B1; shr.u32 m1, m0, 15;\n"
            "xor.b32 m0, m0, m1; mul.lo.u32 m0, m0, 0x85EBCA77; shr.u32 m1, m0, 13;\n"
            "xor.b32 m0, m0, m1; mul.lo.u32 m0, m0, 0xC2B2AE3D; shr.u32 m1, m0, 16;\n"
            "xor.b32 m0, m0, m1; and.b32 %s, m0, 0x%x; add.u32 %s, %s, 0x%x;\n",
            from, number * 0x1003, to, element->spread[spread].keep, to, to,
            element->spread[spread].add);
    if (spread == WIDE)
        fprintf(file,
                "mul.lo.u32 m0, m0, 0x2545F491; shr.u32 m0, m0, 28; setp.eq.u32 mp, m0, 0;\n"
                "selp.b32 %s, 0, %s, mp;\n",
                to, to);
}

/* The first registers are hashes of the lane, later ones follow from the one before. */
static void registers_write(FILE *file, const char *element, enum spread spread, char prefix,
                            unsigned count, unsigned number)
{
    enum { HASHED = 4 };
    const struct element *e = element_named(element);

    for (unsigned i = 0; i < count; i++) {
        char name[16];

        snprintf(name, sizeof name, "%c%u", prefix, i);
        if (i < HASHED)
            word_write(file, e, spread, name, "mi", number + i);
        else
            fprintf(file,
                    "mad.lo.u32 m0, m0, 0x9E3779B1, 0x7F4A7C15; and.b32 %s, m0, 0x%x; add.u32 %s, "
                    "%s, 0x%x;\n",
                    name, e->spread[spread].keep, name, name, e->spread[spread].add);
    }
}

static void list_write(FILE *file, char prefix, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "%s%c%u", i ? "," : "{", prefix, i);
    fprintf(file, "}");
}

static FILE *text_open(char **text)
{
    static size_t size;
    FILE *file = open_memstream(text, &size);

    fprintf(file, ".reg .b32 m0, m1, mi, a<8>, b<8>, c<128>; .reg .pred mp, md;\n"
                  "mul.lo.u32 mi, %%i, 64;\n");
    return file;
}

/* Folds `count` registers c into the results. */
static void results_write(FILE *file, unsigned count, unsigned results)
{
    for (unsigned i = 0; i < count; i++)
        if (i < results)
            fprintf(file, "mov.b32 %%d%u, c%u;\n", i, i);
        else
            fprintf(file, "mad.lo.u32 %%d%u, %%d%u, 0x01000193, c%u;\n", i % results, i % results,
                    i);
}

static void matrix_add(const char *opcode, FILE *file, char **text, unsigned registers,
                       unsigned results, unsigned lanes, const char *format, ...)
{
    char name[200], sizes[80] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (results > registers)
        results = registers;
    results_write(file, registers, results);
    fclose(file);
    for (unsigned i = 0; i < results; i++)
        strcat(sizes, "32 ");
    variant_add(opcode, name, sizes, "", "%s", *text)->lanes = lanes;
    free(*text);
}

/* ---- mma and mma.sp ---- */

struct product {
    const char *words; /* between .aligned and the types, without the shape */
    const char *d, *a, *b, *c;
    unsigned m, n, k;
    const char *end; /* after the types */
};

static bool is_float(const char *type)
{
    return strchr(type, 'f') || type[0] == 'e';
}

static void mma_add(const struct product *p, bool sparse, unsigned selector, enum spread spread)
{
    char *text, first[120];
    FILE *file = text_open(&text);
    unsigned a_bits = (unsigned)element_named(p->a)->bits,
             c_bits = (unsigned)element_named(p->c)->bits,
             d_bits = (unsigned)element_named(p->d)->bits;
    unsigned a = p->m * p->k * a_bits / 1024 / (sparse ? 2 : 1), b = p->n * p->k * a_bits / 1024,
             c = p->m * p->n * c_bits / 1024, d = p->m * p->n * d_bits / 1024;

    snprintf(first, sizeof first, "mma%s.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s",
             sparse ? ".sp::ordered_metadata" : "", p->m, p->n, p->k, p->words, p->d, p->a, p->b,
             p->c, p->end);
    registers_write(file, p->a, spread, 'a', a, 0);
    registers_write(file, p->b, spread, 'b', b, 8);
    registers_write(file, p->c, spread, 'c', c, 16);
    if (sparse) {
        /* Indices of two of four elements in growing order; .tf32: one of two. */
        fprintf(file, ".reg .b32 e, f, g; mul.lo.u32 e, mi, 0x9E3779B1; shr.u32 f, e, 7;\n"
                      "xor.b32 e, e, f; mov.u32 g, 0;\n");
        for (unsigned i = 0; i < 8; i++)
            fprintf(file, "bfe.u32 f, e, %u, 2; %s\nshl.b32 f, f, %u; or.b32 g, g, f;\n", 3 * i,
                    a_bits == 32 ? "setp.eq.u32 mp, f, 0; selp.u32 f, 0xe, 0x4, mp;"
                                 : "shl.b32 f, f, 2; shr.u32 f, 0xedc4, f; and.b32 f, f, 15;",
                    4 * i);
    }
    fprintf(file, "%s ", first);
    list_write(file, 'c', d);
    fprintf(file, ", ");
    list_write(file, 'a', a);
    fprintf(file, ", ");
    list_write(file, 'b', b);
    fprintf(file, ", ");
    list_write(file, 'c', c);
    if (sparse)
        fprintf(file, ", g, %u", selector);
    fprintf(file, ";\n");
    if (sparse)
        matrix_add("mma.sp", file, &text, d, 4, FEW_LANES, "%s-%u-%s", first, selector,
                   spread_names[spread]);
    else
        matrix_add("mma", file, &text, d, 4, is_float(p->a) ? MATRIX_LANES : FEW_LANES, "%s-%s",
                   first, spread_names[spread]);
}

static void mma_spreads(const struct product *p, bool sparse, unsigned selectors)
{
    for (unsigned selector = 0; selector < selectors; selector++)
        for (int spread = sparse ? WIDE : NEAR; spread < (sparse ? ALL : SPREADS); spread++)
            if (is_float(p->a) || spread == WIDE)
                mma_add(p, sparse, selector, is_float(p->a) ? spread : ALL);
}

static void products_of_small_floats(void)
{
    static const char *const small[] = {"e4m3", "e5m2"};

    for (unsigned i = 0; i < 4; i++)
        for (unsigned half = 0; half < 2; half++) {
            const char *c = half ? "f16" : "f32";

            mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 32, ""},
                        false, 1);
            mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 16, ""},
                        false, 1);
            if (!half)
                mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 64, ""},
                            true, 1);
        }
}

static void products_of_halves(void)
{
    static const char *const accumulators[][2] = {{"f32", "f32"}, {"f16", "f16"}};

    for (unsigned k = 8; k <= 16; k += 8) {
        for (unsigned i = 0; i < 2; i++) {
            const char *d = accumulators[i][0], *c = accumulators[i][1];

            mma_spreads(&(struct product){"", d, "f16", "f16", c, 16, 8, k, ""}, false, 1);
            mma_spreads(&(struct product){"", d, "f16", "f16", c, 16, 8, 2 * k, ""}, true,
                        k == 8 ? 4 : 2);
        }
        mma_spreads(&(struct product){"", "f32", "bf16", "bf16", "f32", 16, 8, k, ""}, false, 1);
        mma_spreads(&(struct product){"", "f32", "bf16", "bf16", "f32", 16, 8, 2 * k, ""}, true, 1);
        mma_spreads(&(struct product){"", "f32", "tf32", "tf32", "f32", 16, 8, k / 2, ""}, false,
                    1);
        mma_spreads(&(struct product){"", "f32", "tf32", "tf32", "f32", 16, 8, k, ""}, true,
                    k == 8 ? 4 : 2);
    }
}

static void products_of_integers(void)
{
    static const char *const bytes[] = {"s8", "u8"}, *const nibbles[] = {"s4", "u4"};
    static const char *const bits[] = {".xor.popc", ".and.popc"};

    for (unsigned i = 0; i < 8; i++) {
        const char *words = i & 4 ? ".satfinite" : "";
        const char *a = bytes[i & 1], *b = bytes[i >> 1 & 1];

        mma_spreads(&(struct product){words, "s32", a, b, "s32", 8, 8, 16, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 16, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, true, 2);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, true, 1);
        a = nibbles[i & 1];
        b = nibbles[i >> 1 & 1];
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 8, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, true, 2);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 128, ""}, true, 1);
    }
    for (unsigned i = 0; i < 2; i++) {
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 8, 8, 128, bits[i]}, false, 1);
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 16, 8, 128, bits[i]}, false, 1);
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 16, 8, 256, bits[i]}, false, 1);
    }
}

/* ---- wgmma ---- */

struct group_product {
    const char *d, *a, *b;
    unsigned n, k;
    const char *end; /* after the types */
    bool registers;  /* A is in registers */
    bool zero;       /* scale-d is false */
    int scale_a, scale_b;
    unsigned transposed_a, transposed_b;
    unsigned swizzle;         /* of descriptors: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes */
    unsigned leading, stride; /* byte offsets of descriptors */
    unsigned base;            /* of descriptors: the base offset */
    unsigned start;           /* of matrices, beyond a multiple of 1024 bytes */
};

enum { GROUP_SHARED = 32768, GROUP_B = 16384 }; /* bytes; where B begins */

static void descriptor_write(FILE *file, const struct group_product *p, const char *to,
                             unsigned offset)
{
    uint64_t constant = (uint64_t)(p->leading >> 4) << 16 | (uint64_t)(p->stride >> 4) << 32 |
                        (uint64_t)p->base << 49 | (uint64_t)p->swizzle << 62;

    fprintf(file,
            "add.u32 m0, sb, %u; shr.u32 m0, m0, 4; and.b32 m0, m0, 0x3fff; cvt.u64.u32 %s, m0;\n"
            "or.b64 %s, %s, 0x%llx;\n",
            offset + p->start, to, to, to, (unsigned long long)constant);
}

/* Fills shared memory; every thread writes every 128th word. */
static void shared_write(FILE *file, const struct group_product *p, enum spread spread)
{
    fprintf(file,
            ".shared .align 1024 .b8 tile[%d]; .reg .b32 sb, si, sa, sv, sw; .reg .b64 da, db;\n"
            "mov.u32 sb, tile; mov.u32 si, %%tid.x; mov.u32 sw, %%ctaid.x; mul.lo.u32 sw, sw, "
            "65536;\nfill: shl.b32 sa, si, 2; add.u32 sa, sa, sb; add.u32 sw, sw, si;\n"
            "setp.lt.u32 mp, si, %d; @!mp bra second;\n",
            GROUP_SHARED, GROUP_B / 4);
    word_write(file, element_named(p->a), spread, "sv", "sw", 1);
    fprintf(file, "bra.uni filled;\nsecond:\n");
    word_write(file, element_named(p->b), spread, "sv", "sw", 2);
    fprintf(file,
            "filled: sub.u32 sw, sw, si; st.shared.b32 [sa], sv; add.u32 si, si, 128;\n"
            "setp.lt.u32 mp, si, %d; @mp bra fill;\n"
            "fence.proxy.async; bar.sync 0;\n",
            GROUP_SHARED / 4);
}

static void wgmma_add(const struct group_product *p, enum spread spread, unsigned lanes,
                      unsigned results, const char *suffix)
{
    char *text, first[120];
    FILE *file = text_open(&text);
    unsigned d = 64 * p->n / 128 * (unsigned)element_named(p->d)->bits / 32;
    bool whole = !is_float(p->a);

    snprintf(first, sizeof first, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s", p->n, p->k,
             p->d, p->a, p->b, p->end);
    shared_write(file, p, spread);
    registers_write(file, p->a, spread, 'a', 4, 0);
    registers_write(file, p->d, spread, 'c', d, 16);
    descriptor_write(file, p, "da", 0);
    descriptor_write(file, p, "db", GROUP_B);
    fprintf(file, "setp.%s.u32 md, 0, 0; wgmma.fence.sync.aligned;\n%s ", p->zero ? "ne" : "eq",
            first);
    list_write(file, 'c', d);
    fprintf(file, ", ");
    if (p->registers)
        list_write(file, 'a', 4);
    else
        fprintf(file, "da");
    fprintf(file, ", db, md");
    if (!whole)
        fprintf(file, ", %d, %d", p->scale_a, p->scale_b);
    if (element_named(p->a)->bits == 16 && !p->registers)
        fprintf(file, ", %u, %u", p->transposed_a, p->transposed_b);
    else if (element_named(p->a)->bits == 16)
        fprintf(file, ", %u", p->transposed_b);
    fprintf(file, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    matrix_add("wgmma", file, &text, d, results, lanes, "%s-%s%s", first, spread_names[spread],
               suffix);
}

/* A form whose tiles have no swizzle: eight rows of 16 bytes lie together. */
static struct group_product plain(const char *d, const char *a, const char *b, unsigned n)
{
    return (struct group_product){.d = d,
                                  .a = a,
                                  .b = b,
                                  .n = n,
                                  .k = 256 / (unsigned)element_named(a)->bits,
                                  .end = strcmp(a, "b1") ? "" : ".and.popc",
                                  .scale_a = 1,
                                  .scale_b = 1,
                                  .leading = 128,
                                  .stride = 256};
}

static const char *const group_types[][3] = {
    {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
    {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f32", "e4m3", "e5m2"},
    {"f32", "e5m2", "e4m3"}, {"f32", "e5m2", "e5m2"}, {"f16", "e4m3", "e4m3"},
    {"f16", "e4m3", "e5m2"}, {"f16", "e5m2", "e4m3"}, {"f16", "e5m2", "e5m2"},
    {"s32", "s8", "s8"},     {"s32", "s8", "u8"},     {"s32", "u8", "s8"},
    {"s32", "u8", "u8"},     {"s32", "b1", "b1"},
};

/* All widths of the first type; of the others some. */
static bool is_tried(size_t type, unsigned n)
{
    return type == 0 || n == 16 || n == 96 || n == 256;
}

static void group_types_and_shapes(void)
{
    for (size_t i = 0; i < sizeof group_types / sizeof *group_types; i++) {
        const char *d = group_types[i][0], *a = group_types[i][1], *b = group_types[i][2];
        bool whole = !is_float(a);
        struct group_product p;

        for (unsigned n = 16; n <= 256; n += 8) {
            p = plain(d, a, b, n);
            if (is_tried(i, n))
                wgmma_add(&p, WIDE, FEW_LANES, 1, "");
        }
        p = plain(d, a, b, 8);
        for (int spread = NEAR; spread < (whole ? WIDE : SPREADS); spread++)
            wgmma_add(&p, whole ? ALL : spread, whole ? FEW_LANES : MATRIX_LANES, 4, "");
        p.zero = true;
        wgmma_add(&p, WIDE, FEW_LANES, 1, "-zero");
        p.zero = false;
        p.registers = true;
        wgmma_add(&p, WIDE, FEW_LANES, 2, "-registers");
    }
}

/* Signs, layouts and swizzles. */
static void group_layouts(void)
{
    static const unsigned rows[] = {16, 128, 64, 32}; /* bytes, by swizzle */
    char suffix[80];

    for (unsigned signs = 1; signs < 4; signs++)
        for (int i = 0; i < 4; i++) {
            struct group_product p =
                plain(group_types[i][0], group_types[i][1], group_types[i][2], 8);

            p.scale_a = signs & 1 ? -1 : 1;
            p.scale_b = signs & 2 ? -1 : 1;
            snprintf(suffix, sizeof suffix, "-signs%u", signs);
            wgmma_add(&p, ALL, FEW_LANES, 2, suffix);
        }
    for (unsigned i = 0; i < sizeof group_types / sizeof *group_types; i += i < 2 ? 1 : 2)
        for (unsigned swizzle = 0; swizzle < 4; swizzle++)
            for (unsigned transposed = 0; transposed < 4; transposed++)
                for (unsigned start = 0; start < 3; start++) {
                    struct group_product p =
                        plain(group_types[i][0], group_types[i][1], group_types[i][2], 32);

                    if (transposed && element_named(p.a)->bits != 16)
                        continue;
                    if (i && start)
                        continue;
                    if ((start && !swizzle) || (start == 1 && rows[swizzle] == 32))
                        continue;
                    p.transposed_a = transposed & 1;
                    p.transposed_b = transposed >> 1;
                    p.swizzle = swizzle;
                    if (swizzle) {
                        p.stride = 8 * rows[swizzle];
                        p.leading = transposed ? 16 * rows[swizzle] : 16;
                    }
                    /* A start inside the swizzled rows, and one that is not on the grid of 1024
                     * bytes. */
                    p.start = start == 1 ? 32 : start == 2 ? 8 * rows[swizzle] : 0;
                    snprintf(suffix, sizeof suffix, "-swizzle%u-transposed%u-start%u", swizzle,
                             transposed, start);
                    wgmma_add(&p, NEAR, FEW_LANES, 1, suffix);
                }
    for (unsigned base = 1; base < 8; base += 2)
        for (unsigned row = 0; row < 8; row += 3) {
            struct group_product p = plain("f32", "f16", "f16", 8);

            p.swizzle = 1;
            p.stride = 1024;
            p.leading = 16;
            p.base = base;
            p.start = 128 * row;
            snprintf(suffix, sizeof suffix, "-base%u-row%u", base, row);
            wgmma_add(&p, NEAR, FEW_LANES, 1, suffix);
        }
}

void variants_matrix(void)
{
    products_of_halves();
    products_of_small_floats();
    products_of_integers();
    group_types_and_shapes();
    group_layouts();
}
