/* SPDX-License-Identifier: MIT */
/* NaNs of .f64 in values that loops carry, which take their bits from an operand; and products and
 * sums without a rounding modifier, which a compiler may make one operation. */
#include "variants.h"
#include <stdio.h>

/* One to four rounds of an instruction, by the thread's index. Where two operands are NaNs, ptxas
 * decides whose bits are kept when it orders the operands of add, mul and fma in a loop, so kernels
 * that tell (fma of a carried factor, say) are not here. */
static void loop(const char *name, const char *body)
{
    variant_add("loop", name, "64 64", "f64 f64 f64",
                "and.b32 %%r0, %%i, 3; mov.b64 %%d0, %%a; mov.b64 %%d1, %%c;\n"
                "again: %s\n"
                "sub.u32 %%r0, %%r0, 1; setp.ge.s32 %%p0, %%r0, 0; @%%p0 bra again;",
                body);
}

void variants_loops(void)
{
    loop("loop-add.f64", "add.rn.f64 %d0, %d0, %b;");
    loop("loop-add-turned.f64", "add.rn.f64 %d0, %b, %d0;");
    loop("loop-sub.f64", "sub.rn.f64 %d0, %d0, %b;");
    loop("loop-sub-turned.f64", "sub.rn.f64 %d0, %b, %d0;");
    loop("loop-mul.f64", "mul.rn.f64 %d0, %d0, %b;");
    loop("loop-mul-turned.f64", "mul.rn.f64 %d0, %b, %d0;");
    loop("loop-fma-second.f64", "fma.rn.f64 %d0, %b, %d0, %c;");
    loop("loop-fma-third.f64", "fma.rn.f64 %d0, %b, %c, %d0;");
    loop("loop-fma-both.f64", "fma.rn.f64 %d0, %b, %d1, %d0; fma.rn.f64 %d1, %d0, %d1, %b;");
    loop("loop-div.f64", "div.rn.f64 %d0, %d0, %b;");
    loop("loop-rcp.f64", "rcp.rn.f64 %d0, %d0; add.rn.f64 %d1, %d1, %d0;");
    loop("loop-sqrt.f64", "sqrt.rn.f64 %d0, %d0; sub.rn.f64 %d1, %b, %d1;");
    loop("loop-min-max.f64",
         "min.f64 %d0, %d0, %b; max.f64 %d1, %d0, %d1; add.rn.f64 %d0, %d0, %d1;");
    loop("loop-neg-abs.f64", "neg.f64 %d0, %d0; abs.f64 %d1, %d1; add.rn.f64 %d0, %d0, %d1;");
    loop("loop-rz.f64", "add.rz.f64 %d0, %d0, %b; mul.rm.f64 %d1, %d1, %d0;");
    loop("loop-selp.f64",
         "setp.gt.f64 %p1, %d0, %b; selp.f64 %d0, %d0, %d1, %p1; mul.rn.f64 %d1, %d0, %c;");
}

static const struct {
    const char *name, *text; /* T: a type with its modifiers */
} products[] = {
    {"add", "mulT %d0, %a, %b; addT %d0, %d0, %c;"},
    {"add-turned", "mulT %d0, %a, %b; addT %d0, %c, %d0;"},
    {"sub", "mulT %d0, %a, %b; subT %d0, %d0, %c;"},
    {"sub-turned", "mulT %d0, %a, %b; subT %d0, %c, %d0;"},
    {"mul-rn", "mul.rnT %d0, %a, %b; addT %d0, %d0, %c;"},
    {"add-rn", "mulT %d0, %a, %b; add.rnT %d0, %d0, %c;"},
    {"kept", "mulT %d1, %a, %b; addT %d0, %d1, %c;"},
    {"twice", "mulT %d0, %a, %b; subT %d1, %d0, %b; addT %d0, %d0, %c;"},
    {"both", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d0, %d1;"},
    {"both-sub", "mulT %d0, %a, %b; mulT %d1, %b, %c; subT %d0, %d0, %d1;"},
    {"square", "mulT %d0, %a, %a; addT %d0, %d0, %c;"},
    {"chain", "mulT %d0, %a, %b; addT %d0, %d0, %c; mulT %d0, %d0, %a; addT %d0, %d0, %b;"},
    {"same", "mulT %d0, %a, %b; addT %d0, %d0, %d0;"},
    {"negative", "mulT %d0, %a, %b; negT %d0, %d0; addT %d0, %d0, %c;"},
    {"branch", "mulT %d0, %a, %b; setp.lt.u32 %p0, %i, 5; @%p0 bra over; addT %d0, %d0, %c; over:"},
    {"guarded", "mulT %d0, %a, %b; setp.gt.u32 %p0, %i, 5; @%p0 addT %d0, %d0, %c;"},
    {"later", "mulT %d0, %a, %b; and.b32 %r0, %i, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra over; "
              "bar.warp.sync 0xffffffff; over: addT %d0, %d0, %c;"},
};

static void contraction(const char *type, const char *operand, const char *results,
                        const char *modifiers)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        char text[400], name[80], operands[40];
        int length = 0;

        for (const char *letter = products[i].text; *letter; letter++)
            length += *letter == 'T'
                          ? snprintf(text + length, sizeof text - (size_t)length, "%s.%s",
                                     modifiers, type)
                          : snprintf(text + length, sizeof text - (size_t)length, "%c", *letter);
        snprintf(name, sizeof name, "contract-%s%s.%s", products[i].name, modifiers, type);
        snprintf(operands, sizeof operands, "%s %s %s", operand, operand, operand);
        variant_add("contract", name, results, operands, "mov.b%c%c %%d1, %%a;\n%s", results[0],
                    results[1], text);
    }
}

void variants_contraction(void)
{
    contraction("f32", "f32", "32 32", "");
    contraction("f32", "f32", "32 32", ".ftz");
    contraction("f64", "f64", "64 64", "");
    contraction("f16", "f16", "16 16", "");
    contraction("f16x2", "f16x2", "32 32", "");
    contraction("bf16x2", "bf16x2", "32 32", "");
}
