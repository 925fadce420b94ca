/* SPDX-License-Identifier: MIT */
/* More products and sums without a rounding modifier. The operands are numbers from one to two, of
 * either sign: results then tell a fused operation from two, and there are no NaNs, whose bits
 * would depend on the order that ptxas gives the operands. */
#include "variants.h"
#include <stdio.h>
#include <string.h>

/* T: the type with its modifiers; W: its bits; O: a constant, 1.25. */
static const struct {
    const char *name, *text;
} products[] = {
    {"add", "mulT %d0, %a, %b; addT %d0, %d0, %c;"},
    {"add-turned", "mulT %d0, %a, %b; addT %d0, %c, %d0;"},
    {"sub", "mulT %d0, %a, %b; subT %d0, %d0, %c;"},
    {"sub-turned", "mulT %d0, %a, %b; subT %d0, %c, %d0;"},
    {"mul-rn", "mul.rnT %d0, %a, %b; addT %d0, %d0, %c;"},
    {"add-rn", "mulT %d0, %a, %b; add.rnT %d0, %d0, %c;"},
    {"kept", "mulT %d1, %a, %b; addT %d0, %d1, %c;"},
    {"kept-sub", "mulT %d1, %a, %b; subT %d0, %c, %d1;"},
    {"twice", "mulT %d0, %a, %b; subT %d1, %d0, %b; addT %d0, %d0, %c;"},
    {"both", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d0, %d1;"},
    {"both-turned", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d1, %d0;"},
    {"both-sub", "mulT %d0, %a, %b; mulT %d1, %b, %c; subT %d0, %d0, %d1;"},
    {"both-kept", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d0, %d1; mov.bW %d1, %d1;"},
    {"sum-of-three", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d0, %d1; mulT %d1, %a, %c; "
                     "addT %d0, %d0, %d1;"},
    {"complex",
     "{.reg .bW x<4>; mulT x0, %a, %b; mulT x1, %b, %c; subT %d0, x0, x1; mulT x2, %a, %c; "
     "mulT x3, %b, %b; addT %d1, x2, x3;}"},
    {"negated-factor", "negT %d0, %a; mulT %d0, %d0, %b; addT %d0, %d0, %c;"},
    {"negated-addend", "mulT %d0, %a, %b; negT %d1, %c; addT %d0, %d0, %d1;"},
    {"negative-sub", "mulT %d0, %a, %b; negT %d0, %d0; subT %d0, %d0, %c;"},
    {"negative-sub-turned", "mulT %d0, %a, %b; negT %d0, %d0; subT %d0, %c, %d0;"},
    {"negative-twice", "mulT %d0, %a, %b; negT %d0, %d0; negT %d0, %d0; addT %d0, %d0, %c;"},
    {"negative-kept", "mulT %d0, %a, %b; negT %d1, %d0; addT %d0, %d0, %c;"},
    {"absolute", "mulT %d0, %a, %b; absT %d0, %d0; addT %d0, %d0, %c;"},
    {"copied", "mulT %d0, %a, %b; mov.bW %d1, %d0; addT %d0, %d1, %c;"},
    {"copied-kept", "mulT %d1, %a, %b; mov.bW %d0, %d1; addT %d0, %d0, %c;"},
    {"factor-changed", "mulT %d0, %a, %b; mov.bW %a, %c; addT %d0, %d0, %a;"},
    {"product-twice", "mulT %d0, %a, %b; mulT %d1, %a, %b; addT %d0, %d0, %c;"},
    {"product-twice-turned", "mulT %d0, %a, %b; mulT %d1, %b, %a; addT %d0, %d0, %c;"},
    {"unused-use",
     "mulT %d0, %a, %b; addT %d1, %d0, %c; {.reg .pred q; setp.ltT q, %d0, %c;} mov.bW %d0, %d1;"},
    {"compared", "mulT %d0, %a, %b; setp.ltT %p0, %d0, %c; addT %d0, %d0, %c; "
                 "@%p0 mov.bW %d1, %c;"},
    {"selected",
     "mulT %d0, %a, %b; setp.lt.u32 %p0, %i, 99; selp.bW %d1, %d0, %b, %p0; addT %d0, %d1, %c;"},
    {"guarded-product", "mov.bW %d0, %b; setp.gt.u32 %p0, %i, 5; @%p0 mulT %d0, %a, %b; "
                        "addT %d0, %d0, %c;"},
    {"guarded-sum", "mulT %d0, %a, %b; setp.gt.u32 %p0, %i, 5; @%p0 addT %d0, %d0, %c;"},
    {"guarded-sum-other",
     "mov.bW %d0, %b; mulT %d1, %a, %b; setp.gt.u32 %p0, %i, 5; @%p0 addT %d0, %d1, %c; "
     "mov.bW %d1, %a;"},
    {"guarded-both", "mov.bW %d0, %b; setp.gt.u32 %p0, %i, 5; @%p0 mulT %d0, %a, %b; "
                     "@%p0 addT %d0, %d0, %c;"},
    {"guarded-both-other", "mov.bW %d0, %b; setp.gt.u32 %p0, %i, 5; @%p0 mulT %d1, %a, %b; "
                           "@%p0 addT %d0, %d1, %c; mov.bW %d1, %a;"},
    {"branch", "mulT %d0, %a, %b; setp.lt.u32 %p0, %i, 5; @%p0 bra over; addT %d0, %d0, %c; over:"},
    {"branch-other", "mov.bW %d0, %b; mulT %d1, %a, %b; setp.lt.u32 %p0, %i, 5; @%p0 bra over; "
                     "addT %d0, %d1, %c; over: mov.bW %d1, %a;"},
    {"branch-far", "mov.bW %d0, %b; mulT %d1, %a, %b; setp.lt.u32 %p0, %i, 5; @%p0 bra over; "
                   "bar.warp.sync 0xffffffff; addT %d0, %d1, %c; over: mov.bW %d1, %a;"},
    {"later", "mulT %d0, %a, %b; and.b32 %r0, %i, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra over; "
              "bar.warp.sync 0xffffffff; over: addT %d0, %d0, %c;"},
    {"two-blocks",
     "mulT %d1, %a, %b; addT %d0, %d1, %c; setp.lt.u32 %p0, %i, 5; @%p0 bra over; "
     "bar.warp.sync 0xffffffff; subT %d0, %d0, %c; addT %d0, %d1, %d0; over: mov.bW %d1, %a;"},
    {"loop", "and.b32 %r0, %i, 3; mov.bW %d0, %c; again: mulT %d1, %d0, %a; addT %d0, %d1, %b; "
             "sub.u32 %r0, %r0, 1; setp.ge.s32 %p0, %r0, 0; @%p0 bra again; mov.bW %d1, %a;"},
    {"loop-invariant",
     "and.b32 %r0, %i, 3; mov.bW %d0, %c; mulT %d1, %a, %b; again: addT %d0, %d0, %d1; "
     "sub.u32 %r0, %r0, 1; setp.ge.s32 %p0, %r0, 0; @%p0 bra again; mov.bW %d1, %a;"},
    {"constant-factor", "mulT %d0, %a, O; addT %d0, %d0, %c;"},
    {"constant-addend", "mulT %d0, %a, %b; addT %d0, %d0, O;"},
    {"constant-sub", "mulT %d0, %a, %b; subT %d0, O, %d0;"},
    {"constant-kept", "mulT %d1, %a, O; addT %d0, %d1, %c;"},
    {"fma", "mulT %d0, %a, %b; fma.rnT %d0, %b, %c, %d0;"},
    {"factor-of-fma", "mulT %d0, %a, %b; fma.rnT %d0, %d0, %c, %b;"},
    {"sum-product", "addT %d0, %a, %c; mulT %d0, %d0, %b; addT %d0, %d0, %c;"},
    {"stored", "mulT %d0, %a, %b; st.global.bW [%s], %d0; addT %d0, %d0, %c;"},
    {"through-memory",
     "mulT %d0, %a, %b; st.global.bW [%s], %d0; ld.global.bW %d1, [%s]; addT %d0, %d1, %c;"},
    {"reassigned", "mulT %d0, %a, %b; addT %d1, %d0, %c; mulT %d0, %c, %b; addT %d0, %d0, %a;"},
    {"minimum", "mulT %d0, %a, %b; minT %d1, %d0, %c; addT %d0, %d0, %c;"},
    {"zero", "mulT %d0, %a, %b; mov.bW %d1, 0; addT %d0, %d0, %d1;"},
    {"twofold", "mulT %d0, %a, %b; addT %d0, %d0, %d0; addT %d0, %d0, %c;"},
};

struct number_type {
    const char *type, *modifiers, *constant;
    int bits;
    unsigned long long fraction, one; /* the sign and fraction of a number; the bits of 1 */
};

static size_t expand(char *out, size_t size, const char *text, const struct number_type *n)
{
    size_t length = 0;

    for (; *text; text++) {
        if (*text == 'T')
            length += (size_t)snprintf(out + length, size - length, "%s.%s", n->modifiers, n->type);
        else if (*text == 'W')
            length += (size_t)snprintf(out + length, size - length, "%d", n->bits);
        else if (*text == 'O')
            length += (size_t)snprintf(out + length, size - length, "%s", n->constant);
        else
            length += (size_t)snprintf(out + length, size - length, "%c", *text);
    }
    return length;
}

static void add_products(const struct number_type *n)
{
    static const char prepare[] = "and.b%d %%%c, %%%c, 0x%llx; or.b%d %%%c, %%%c, 0x%llx;\n";
    char results[20], operands[20];

    snprintf(results, sizeof results, "%d %d", n->bits, n->bits);
    snprintf(operands, sizeof operands, "i%d i%d i%d", n->bits, n->bits, n->bits);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        char text[2000], name[80];
        size_t length = 0;

        if (!n->constant && strchr(products[i].text, 'O'))
            continue;
        for (char letter = 'a'; letter <= 'c'; letter++)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, prepare, n->bits, letter,
                                 letter, n->fraction, n->bits, letter, letter, n->one);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "mov.b%d %%d1, %%a;\n", n->bits);
        expand(text + length, sizeof text - length, products[i].text, n);
        snprintf(name, sizeof name, "product-%s%s.%s", products[i].name, n->modifiers, n->type);
        variant_add("contract", name, results, operands, "%s", text)->lanes = 256;
    }
}

void variants_products(void)
{
    static const struct number_type types[] = {
        {"f32", "", "0f3FA00000", 32, 0x807fffff, 0x3f800000},
        {"f32", ".ftz", "0f3FA00000", 32, 0x807fffff, 0x3f800000},
        {"f64", "", "0d3FF4000000000000", 64, 0x800fffffffffffff, 0x3ff0000000000000},
        {"f16", "", NULL, 16, 0x83ff, 0x3c00},
        {"f16x2", "", NULL, 32, 0x83ff83ff, 0x3c003c00},
        {"bf16", "", NULL, 16, 0x807f, 0x3f80},
        {"bf16x2", "", NULL, 32, 0x807f807f, 0x3f803f80},
    };

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        add_products(&types[t]);
}
