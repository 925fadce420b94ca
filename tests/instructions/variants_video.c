/* SPDX-License-Identifier: MIT */
/*
 * Video instructions: scalar ones with selectors, saturation and a second operation, and SIMD ones
 * on halves and bytes with masks and permutations.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const selectors[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
static const char *const seconds[] = {".add", ".min", ".max"};
static const char *const words[] = {"u32", "s32"};

static const char results16[] = "32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32";

struct text {
    char bytes[6000];
    int length;
};

/* One instruction into the next result. */
#define APPEND(t, ...)                                                                             \
    ((t)->length += snprintf((t)->bytes + (t)->length, sizeof(t)->bytes - (t)->length, __VA_ARGS__))

/* Seven pairs of selectors, three second operations, six destinations. `turn` makes other pairs. */
static struct variant *scalar_turned(const char *opcode, const char *mnemonic, int turn)
{
    struct text t = {"", 0};
    char name[80];
    int result = 0;

    for (int i = 0; i < 7; i++)
        APPEND(&t, "%s %%d%d, %%a%s, %%b%s;\n", mnemonic, result++, selectors[i],
               selectors[(i * 3 + 2 + turn) % 7]);
    for (int i = 0; i < 3; i++)
        APPEND(&t, "%s%s %%d%d, %%a%s, %%b%s, %%c;\n", mnemonic, seconds[i], result++,
               selectors[(i + 1 + turn) % 7], selectors[6 - i]);
    for (int i = 1; i < 7; i++)
        APPEND(&t, "%s %%d%d%s, %%a%s, %%b%s, %%c;\n", mnemonic, result++, selectors[i],
               selectors[(i + 2 + 2 * turn) % 7], selectors[(i + 4 + turn) % 7]);
    snprintf(name, sizeof name, "%s", mnemonic);
    if (turn)
        snprintf(name, sizeof name, "%s-turned%d", mnemonic, turn);
    return variant_add(opcode, name, results16, "i32 i32 i32", "%s", t.bytes);
}

static void scalar(const char *opcode, const char *mnemonic)
{
    scalar_turned(opcode, mnemonic, 0)->lanes = 256;
}

static void scalars(void)
{
    static const char *const opcodes[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    char mnemonic[60];

    for (int o = 0; o < 5; o++)
        for (int types = 0; types < 8; types++)
            for (int sat = 0; sat < 2; sat++) {
                snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.%s%s", opcodes[o], words[types >> 2],
                         words[types >> 1 & 1], words[types & 1], sat ? ".sat" : "");
                scalar(opcodes[o], mnemonic);
            }
    for (int left = 0; left < 2; left++)
        for (int types = 0; types < 4; types++)
            for (int sat = 0; sat < 2; sat++)
                for (int wrap = 0; wrap < 2; wrap++) {
                    snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.u32%s%s", left ? "vshl" : "vshr",
                             words[types >> 1], words[types & 1], sat ? ".sat" : "",
                             wrap ? ".wrap" : ".clamp");
                    scalar(left ? "vshl" : "vshr", mnemonic);
                }
    for (int types = 0; types < 4; types++)
        for (int c = 0; c < 6; c++) {
            snprintf(mnemonic, sizeof mnemonic, "vset.%s.%s.%s", words[types >> 1],
                     words[types & 1], comparisons[c]);
            scalar("vset", mnemonic);
        }
}

static void multiply(void)
{
    static const char *const scales[] = {"", ".shr7", ".shr15"};

    for (int types = 0; types < 8; types++)
        for (int sat = 0; sat < 2; sat++)
            for (int scale = 0; scale < 3; scale++) {
                struct text t = {"", 0};
                char name[60], rest[20];
                const char *d = words[types >> 2], *a = words[types >> 1 & 1],
                           *b = words[types & 1];
                int result = 0;

                snprintf(rest, sizeof rest, "%s%s", sat ? ".sat" : "", scales[scale]);
                snprintf(name, sizeof name, "vmad.%s.%s.%s%s", d, a, b, rest);
                for (int i = 0; i < 7; i++)
                    APPEND(&t, "vmad.%s.%s.%s%s %%d%d, %%a%s, %%b%s, %%c;\n", d, a, b, rest,
                           result++, selectors[i], selectors[(i * 3 + 2) % 7]);
                APPEND(&t, "vmad.%s.%s.%s.po%s %%d%d, %%a.h0, %%b.h1, %%c;\n", d, a, b, rest,
                       result++);
                variant_add("vmad", name, "32 32 32 32 32 32 32 32", "i32 i32 i32", "%s", t.bytes)
                    ->lanes = 256;
                /* Negated operands, for signed results. */
                snprintf(name, sizeof name, "vmad-negated.%s.%s.%s%s", d, a, b, rest);
                variant_add("vmad", name, "32 32", "i32 i32 i32",
                            "vmad.%s.%s.%s%s %%d0, -%%a.h0, %%b.h1, %%c;\n"
                            "vmad.%s.%s.%s%s %%d1, %%a.b1, %%b.h1, -%%c;",
                            d, a, b, rest, d, a, b, rest)
                    ->lanes = 256;
            }
}

static void simd(const char *opcode, const char *mnemonic, int bytes, int accumulates)
{
    static const char *const halves_masks[] = {"", ".h0", ".h1", ".h10"};
    static const char *const bytes_masks[] = {"", ".b0", ".b2", ".b31", ".b3210", ".b210"};
    static const char *const halves_a[] = {"", ".h10", ".h01", ".h32", ".h21", ".h00"};
    static const char *const halves_b[] = {"", ".h32", ".h23", ".h10", ".h03", ".h31"};
    static const char *const bytes_a[] = {"", ".b3210", ".b0123", ".b7654", ".b0246", ".b1111"};
    static const char *const bytes_b[] = {"", ".b7654", ".b4567", ".b3210", ".b1357", ".b6420"};
    struct text t = {"", 0};
    int result = 0;
    char words_text[80] = "";

    for (int i = 0; i < (bytes ? 6 : 4); i++)
        APPEND(&t, "%s %%d%d%s, %%a, %%b, %%c;\n", mnemonic, result++,
               bytes ? bytes_masks[i] : halves_masks[i]);
    for (int i = 1; i < 6; i++)
        APPEND(&t, "%s %%d%d, %%a%s, %%b%s, %%c;\n", mnemonic, result++,
               bytes ? bytes_a[i] : halves_a[i], bytes ? bytes_b[i] : halves_b[i]);
    if (accumulates)
        APPEND(&t, "%s.add %%d%d, %%a, %%b, %%c;\n", mnemonic, result++);
    for (int i = 0; i < result; i++)
        strcat(words_text, "32 ");
    variant_add(opcode, mnemonic, words_text, "i32 i32 i32", "%s", t.bytes)->lanes = 256;
}

static void simds(void)
{
    static const char *const opcodes[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    char opcode[20], mnemonic[60];

    for (int bytes = 0; bytes < 2; bytes++) {
        for (int o = 0; o < 6; o++)
            for (int types = 0; types < 8; types++)
                for (int sat = 0; sat < 2; sat++) {
                    snprintf(opcode, sizeof opcode, "%s%d", opcodes[o], bytes ? 4 : 2);
                    snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.%s%s", opcode, words[types >> 2],
                             words[types >> 1 & 1], words[types & 1], sat ? ".sat" : "");
                    simd(opcode, mnemonic, bytes, !sat);
                }
        for (int types = 0; types < 4; types++)
            for (int c = 0; c < 6; c++) {
                snprintf(opcode, sizeof opcode, "vset%d", bytes ? 4 : 2);
                snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.%s", opcode, words[types >> 1],
                         words[types & 1], comparisons[c]);
                simd(opcode, mnemonic, bytes, 1);
            }
    }
}

void variants_video(void)
{
    scalars();
    multiply();
    simds();
}

/* Sums and differences of operands of two signs: results beyond 32 bits. */
void variants_video_mixed(void)
{
    char mnemonic[60];

    for (int types = 1; types < 7; types++)
        for (int sub = 0; sub < 2; sub++)
            for (int turn = 1; turn < 7; turn += 2) {
                const char *opcode = sub ? "vsub" : "vadd";

                if ((types & 1) == (types >> 1 & 1))
                    continue;
                snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.%s%s", opcode, words[types >> 2],
                         words[types >> 1 & 1], words[types & 1], turn == 3 ? "" : ".sat");
                scalar_turned(opcode, mnemonic, turn)->lanes = 256;
            }
}

/* The second operations with whole operands, whose results need more than 32 bits. */
static void scalar_whole(const char *opcode, const char *mnemonic)
{
    static const char *const pairs[][2] = {
        {"", ""}, {"", ".b0"}, {"", ".h1"}, {".b2", ""}, {".h0", ""}};
    char name[80];
    struct text t = {"", 0};

    for (int i = 0; i < 15; i++)
        APPEND(&t, "%s%s %%d%d, %%a%s, %%b%s, %%c;\n", mnemonic, seconds[i % 3], i, pairs[i / 3][0],
               pairs[i / 3][1]);
    APPEND(&t, "%s %%d15.h1, %%a, %%b, %%c;\n", mnemonic);
    snprintf(name, sizeof name, "%s-whole", mnemonic);
    variant_add(opcode, name, results16, "i32 i32 i32", "%s", t.bytes)->lanes = 384;
}

void variants_video_whole(void)
{
    static const char *const opcodes[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    char mnemonic[60];

    for (int types = 0; types < 8; types++)
        for (int sat = 0; sat < 2; sat++) {
            for (int o = 0; o < 5; o++) {
                snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.%s%s", opcodes[o], words[types >> 2],
                         words[types >> 1 & 1], words[types & 1], sat ? ".sat" : "");
                scalar_whole(opcodes[o], mnemonic);
            }
            if (types % 2)
                continue;
            for (int way = 0; way < 4; way++) {
                snprintf(mnemonic, sizeof mnemonic, "%s.%s.%s.u32%s%s", way & 1 ? "vshl" : "vshr",
                         words[types >> 2], words[types >> 1 & 1], sat ? ".sat" : "",
                         way & 2 ? ".wrap" : ".clamp");
                scalar_whole(way & 1 ? "vshl" : "vshr", mnemonic);
            }
        }
}
