/* SPDX-License-Identifier: MIT */
/* NaNs of .f64 in values that loops carry, which take their bits from an operand; and products and
 * sums without a rounding modifier, which a compiler may make one operation. */
#include "variants.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One to four rounds of an instruction, by the thread's index. Where two operands are NaNs, ptxas
 * decides whose bits are kept when it orders the operands of add, mul and fma, so kernels that can
 * tell are not here. */
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
    loop("loop-div.f64", "div.rn.f64 %d0, %d0, %b;");
    loop("loop-rcp.f64", "rcp.rn.f64 %d0, %d0; add.rn.f64 %d1, %d1, %d0;");
    loop("loop-min-max.f64",
         "min.f64 %d0, %d0, %b; max.f64 %d1, %d0, %d1; add.rn.f64 %d0, %d0, %d1;");
    loop("loop-selp.f64",
         "setp.gt.f64 %p1, %d0, %b; selp.f64 %d0, %d0, %d1, %p1; mul.rn.f64 %d1, %d0, %c;");
}

static const struct {
    const char *name, *text; /* T: a type with its modifiers */
    bool orders;             /* of two NaNs of .f64, ptxas' order of operands decides */
} products[] = {
    {"add", "mulT %d0, %a, %b; addT %d0, %d0, %c;", false},
    {"add-turned", "mulT %d0, %a, %b; addT %d0, %c, %d0;", false},
    {"sub", "mulT %d0, %a, %b; subT %d0, %d0, %c;", false},
    {"sub-turned", "mulT %d0, %a, %b; subT %d0, %c, %d0;", false},
    {"mul-rn", "mul.rnT %d0, %a, %b; addT %d0, %d0, %c;", true},
    {"add-rn", "mulT %d0, %a, %b; add.rnT %d0, %d0, %c;", true},
    {"kept", "mulT %d1, %a, %b; addT %d0, %d1, %c;", true},
    {"twice", "mulT %d0, %a, %b; subT %d1, %d0, %b; addT %d0, %d0, %c;", false},
    {"both", "mulT %d0, %a, %b; mulT %d1, %b, %c; addT %d0, %d0, %d1;", false},
    {"both-sub", "mulT %d0, %a, %b; mulT %d1, %b, %c; subT %d0, %d0, %d1;", false},
    {"square", "mulT %d0, %a, %a; addT %d0, %d0, %c;", false},
    {"chain", "mulT %d0, %a, %b; addT %d0, %d0, %c; mulT %d0, %d0, %a; addT %d0, %d0, %b;", false},
    {"same", "mulT %d0, %a, %b; addT %d0, %d0, %d0;", false},
    {"negative", "mulT %d0, %a, %b; negT %d0, %d0; addT %d0, %d0, %c;", false},
    {"branch",
     "mulT %d0, %a, %b; setp.lt.u32 %p0, %i, 5; @%p0 bra over; addT %d0, %d0, %c; over:", true},
    {"guarded", "mulT %d0, %a, %b; setp.gt.u32 %p0, %i, 5; @%p0 addT %d0, %d0, %c;", true},
    {"later",
     "mulT %d0, %a, %b; and.b32 %r0, %i, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra over; "
     "bar.warp.sync 0xffffffff; over: addT %d0, %d0, %c;",
     true},
};

static void contraction(const char *type, const char *operand, const char *results,
                        const char *modifiers)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        char text[400], name[80], operands[40];
        int length = 0;

        if (products[i].orders && !strcmp(type, "f64"))
            continue;
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
