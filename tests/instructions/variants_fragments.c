/* SPDX-License-Identifier: MIT */
/* Matrix instructions of older devices: mma.m8n8k4, four products at once of eight lanes each, and
 * wmma of integers of 4 bits and of bits. */
#include "matrix_text.h"
#include "variants.h"
#include <string.h>

static const char *const layouts[] = {"row", "col"};

static void quad_pairs(void)
{
    static const char *const accumulators[][2] = {{"f16", "f16"}, {"f32", "f16"}, {"f32", "f32"}};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned layout = 0; layout < 4; layout++)
            for (int spread = NEAR; spread < SPREADS; spread++) {
                const char *d = accumulators[i][0], *c = accumulators[i][1];
                unsigned d_count = d[1] == '1' ? 4 : 8, c_count = c[1] == '1' ? 4 : 8;
                char *text, first[120];
                FILE *file = text_open(&text);

                snprintf(first, sizeof first, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
                         layouts[layout & 1], layouts[layout >> 1], d, c);
                registers_write(file, "f16", (enum spread)spread, 'a', 2, 0);
                registers_write(file, "f16", (enum spread)spread, 'b', 2, 8);
                registers_write(file, c, (enum spread)spread, 'c', c_count, 16);
                fprintf(file, "%s ", first);
                list_write(file, 'c', d_count);
                fprintf(file, ", {a0,a1}, {b0,b1}, ");
                list_write(file, 'c', c_count);
                fprintf(file, ";\n");
                matrix_add("mma", file, &text, d_count, 8, FEW_LANES, "%s-%s", first,
                           spread_names[spread]);
            }
}

/* Each warp fills 512 bytes of its own, loads the matrices from them, and stores the product. The
 * results are the fragments of A, B and C, the product, and two words of what was stored. */
static void small_elements(const char *type, unsigned depth, const char *words, const char *end,
                           const char *layout, const char *space, unsigned stride)
{
    char *text;
    FILE *file = text_open(&text);
    const char *in = space[0] ? "wb" : "wg";
    unsigned k = 8 * stride; /* elements between rows of A, columns of B */

    if (strcmp(type, "b1") != 0)
        k = 2 * stride;
    fprintf(file,
            ".shared .align 128 .b8 tiles[4096]; .reg .b32 ws, wb, wl; .reg .b64 wg, wo;\n"
            "mov.u32 ws, tiles; mov.u32 wb, %%tid.x; and.b32 wl, wb, 31; shr.u32 wb, wb, 5;\n"
            "shl.b32 wb, wb, 10; add.u32 wb, wb, ws; cvt.u64.u32 wg, wb; cvta.shared.u64 wg, wg;\n"
            "shl.b32 ws, wl, 5; add.u32 ws, ws, wb;\n");
    registers_write(file, type, ALL, 'a', 4, 0);
    registers_write(file, type, ALL, 'b', 4, 8);
    fprintf(
        file,
        "st.shared.v4.b32 [ws], {a0,a1,a2,a3}; st.shared.v4.b32 [ws+16], {b0,b1,b2,b3};\n"
        "bar.warp.sync 0xffffffff;\n"
        "wmma.load.a.sync.aligned.row.m8n8k%u%s.%s {a0}, [%s], %u;\n"
        "wmma.load.b.sync.aligned.col.m8n8k%u%s.%s {b0}, [%s+256], %u;\n"
        "wmma.load.c.sync.aligned.%s.m8n8k%u%s.s32 {c2,c3}, [%s+512], 12;\n"
        "wmma.mma%s.sync.aligned.row.col.m8n8k%u.s32.%s.%s.s32%s {c0,c1}, {a0}, {b0}, {c2,c3};\n"
        "wmma.store.d.sync.aligned.%s.m8n8k%u%s.s32 [%s], {c0,c1}, 12;\n"
        "bar.warp.sync 0xffffffff; ld.shared.v2.b32 {c6,c7}, [ws];\n"
        "mov.b32 c4, a0; mov.b32 c5, b0;\n",
        depth, space, type, in, k, depth, space, type, in, k, layout, depth, space, in, words,
        depth, type, type, end, layout, depth, space, in);
    matrix_add("wmma", file, &text, 8, 8, FEW_LANES, "wmma%s.m8n8k%u.%s%s%s.%s-%u", words, depth,
               type, end, space, layout, stride);
}

void variants_fragments(void)
{
    static const char *const nibbles[] = {"s4", "u4"};
    static const char *const ends[] = {"", ".satfinite"}, *const spaces[] = {"", ".shared"};
    static const char *const bits[] = {".xor.popc", ".and.popc"};

    quad_pairs();
    for (unsigned i = 0; i < 16; i++)
        small_elements(nibbles[i & 1], 32, "", ends[i >> 1 & 1], layouts[i >> 2 & 1],
                       spaces[i >> 3 & 1], i & 1 ? 16 : 32);
    for (unsigned i = 0; i < 8; i++)
        small_elements("b1", 128, bits[i & 1], "", layouts[i >> 1 & 1], spaces[i >> 2 & 1],
                       i & 1 ? 16 : 32);
}
