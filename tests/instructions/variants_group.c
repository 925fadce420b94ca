/* SPDX-License-Identifier: MIT */
/* wgmma and wgmma.sp of all types, widths, layouts and swizzles. */
#include "matrix_text.h"
#include "variants.h"
#include <string.h>

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
    bool sparse;              /* A is; k is that of B */
    unsigned selector;        /* of the lanes that hold the metadata */
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

    snprintf(first, sizeof first, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s",
             p->sparse ? ".sp" : "", p->n, p->k, p->d, p->a, p->b, p->end);
    shared_write(file, p, spread);
    registers_write(file, p->a, spread, 'a', 4, 0);
    registers_write(file, p->d, spread, 'c', d, 16);
    descriptor_write(file, p, "da", 0);
    descriptor_write(file, p, "db", GROUP_B);
    if (p->sparse)
        metadata_write(file, (unsigned)element_named(p->a)->bits);
    fprintf(file, "setp.%s.u32 md, 0, 0; wgmma.fence.sync.aligned;\n%s ", p->zero ? "ne" : "eq",
            first);
    list_write(file, 'c', d);
    fprintf(file, ", ");
    if (p->registers)
        list_write(file, 'a', 4);
    else
        fprintf(file, "da");
    fprintf(file, ", db");
    if (p->sparse)
        fprintf(file, ", g, %u", p->selector);
    fprintf(file, ", md");
    if (!whole)
        fprintf(file, ", %d, %d", p->scale_a, p->scale_b);
    if (element_named(p->a)->bits == 16 && !p->registers)
        fprintf(file, ", %u, %u", p->transposed_a, p->transposed_b);
    else if (element_named(p->a)->bits == 16)
        fprintf(file, ", %u", p->transposed_b);
    fprintf(file, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    matrix_add(p->sparse ? "wgmma.sp" : "wgmma", file, &text, d, results, lanes, "%s-%s%s", first,
               spread_names[spread], suffix);
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

void variants_group(void)
{
    group_types_and_shapes();
    group_layouts();
}

/* The same with twice the depth. */
static struct group_product sparse(size_t type, unsigned n)
{
    struct group_product p =
        plain(group_types[type][0], group_types[type][1], group_types[type][2], n);

    p.k *= 2;
    p.sparse = true;
    return p;
}

static void sparse_types(void)
{
    enum { TYPES = sizeof group_types / sizeof *group_types - 1 }; /* not of bits */

    for (size_t i = 0; i < TYPES; i++) {
        unsigned selectors = element_named(group_types[i][1])->bits >= 16 ? 2 : 1;
        bool whole = !is_float(group_types[i][1]);
        struct group_product p = sparse(i, 8);

        for (int spread = NEAR; spread < (whole ? WIDE : SPREADS); spread++)
            wgmma_add(&p, whole ? ALL : spread, whole ? FEW_LANES : MATRIX_LANES, 4, "");
        for (unsigned n = 16; n <= 256; n *= 4) {
            p = sparse(i, n);
            p.selector = n / 16 % 2 % selectors;
            wgmma_add(&p, WIDE, FEW_LANES, 1, "");
        }
        p = sparse(i, 24);
        p.selector = selectors - 1;
        wgmma_add(&p, WIDE, FEW_LANES, 1, "-last");
        p.registers = true;
        wgmma_add(&p, WIDE, FEW_LANES, 1, "-registers");
        p.zero = true;
        wgmma_add(&p, WIDE, FEW_LANES, 1, "-registers-zero");
        if (whole) {
            p = sparse(i, 8);
            p.end = ".satfinite";
            wgmma_add(&p, ALL, FEW_LANES, 2, "");
        }
    }
}

/* Swizzled tiles. B's rows are twice as long as A's: longer than the narrowest pattern. */
static void sparse_layouts(void)
{
    static const size_t types[] = {0, 3, 4, 12};
    static const unsigned rows[] = {16, 128, 64, 32};
    char suffix[80];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned swizzle = 0; swizzle < 4; swizzle++)
            for (unsigned transposed = 0; transposed < (i ? 1 : 4); transposed++) {
                struct group_product p = sparse(types[i], 32);

                p.transposed_a = transposed & 1;
                p.transposed_b = transposed >> 1;
                p.swizzle = swizzle;
                p.stride = swizzle ? 8 * rows[swizzle] : 512;
                p.leading = swizzle ? 16 * rows[swizzle] + 2048 : 128;
                snprintf(suffix, sizeof suffix, "-swizzle%u-transposed%u", swizzle, transposed);
                wgmma_add(&p, NEAR, FEW_LANES, 1, suffix);
            }
}

void variants_group_sparse(void)
{
    sparse_types();
    sparse_layouts();
}
