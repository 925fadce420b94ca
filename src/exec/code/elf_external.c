/* SPDX-License-Identifier: MIT */
/* External functions that kernels may call besides the services: outlined operations, and the
 * functions that a compiler uses if the processor has no instruction. Those of libm are resolved
 * when an object first needs one, so the library itself does not depend on libm. */
#include "exec/code/elf_relocate.h"

#include "core/compiler.h"
#include "exec/code/outlined_library.h"
#include "exec/matrix/mma.h"
#include "jit/jit.h"
#include "os/dynlib.h"

#include <dlfcn.h>
#include <string.h>
#include <strings.h>

/* 128-bit division: in every compiler's runtime library, which is linked into this library. */
__int128 __divti3(__int128 a, __int128 b);
__int128 __modti3(__int128 a, __int128 b);
unsigned __int128 __udivti3(unsigned __int128 a, unsigned __int128 b);
unsigned __int128 __umodti3(unsigned __int128 a, unsigned __int128 b);

#ifdef __x86_64__
/* Conversions of .f16, for processors without F16C: what its instructions compute. A .f16 is in the
 * lowest 16 bits of the register that a float is in. */
static float with_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Multiplying moves the exponents, also of numbers below the normal ones. */
static float float_of_half(float half)
{
    uint32_t bits = cup_mma_float_bits(half) & 0xffff, sign = (bits & 0x8000) << 16,
             magnitude = (bits & 0x7fff) << 13;

    if (magnitude > 0x7c00u << 13) /* a NaN, which becomes quiet */
        return with_bits(sign | 0x7fc00000 | magnitude);
    if (magnitude == 0x7c00u << 13)
        return with_bits(sign | 0x7f800000);
    return with_bits(sign | cup_mma_float_bits(with_bits(magnitude) * 0x1p112f));
}

/* To nearest, ties to even. A NaN keeps its sign and the first bits of its fraction. */
static float half_of_float(float value)
{
    uint32_t bits = cup_mma_float_bits(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return with_bits((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x3ff));
    return with_bits(cup_mma_half_bits(value));
}
#endif

static const char *const math_names[] = {
    "fma",       "fmaf",       "fmod",      "fmodf",      "sqrt",  "sqrtf",  "sin",
    "sinf",      "cos",        "cosf",      "exp2",       "exp2f", "log2",   "log2f",
    "tanh",      "tanhf",      "ceil",      "ceilf",      "floor", "floorf", "trunc",
    "truncf",    "round",      "rint",      "pow",        "powf",  "rintf",  "roundf",
    "nearbyint", "nearbyintf", "roundeven", "roundevenf", "ldexp", "ldexpf",
};

static uint64_t find_math(const char *name)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(math_names); i++) {
        if (strcmp(name, math_names[i]) == 0) {
            void *libm = cup_dynlib_open("libm.so.6", CUP_DYNLIB_LOAD), *function = NULL;

            if (libm)
                cup_dynlib_resolve(libm, &(struct cup_dynlib_symbol){name, &function}, 1);
            return (uint64_t)(uintptr_t)function;
        }
    }
    return 0;
}

uint64_t cup_elf_external(const char *name)
{
#define KNOWN(function)                                                                            \
    {                                                                                              \
#function, (uint64_t)(uintptr_t)function                                                   \
    }
    const struct {
        const char *name;
        uint64_t address;
    } known[] = {
        KNOWN(memcpy),
        KNOWN(memset),
        KNOWN(memmove),
        KNOWN(memcmp),
        KNOWN(bcmp),
        KNOWN(__divti3),
        KNOWN(__modti3),
        KNOWN(__udivti3),
        KNOWN(__umodti3),
#ifdef __x86_64__
        {"__extendhfsf2", (uint64_t)(uintptr_t)float_of_half},
        {"__truncsfhf2", (uint64_t)(uintptr_t)half_of_float},
#endif
    };
#undef KNOWN

    for (size_t i = 0; i < CUP_ARRAY_COUNT(known); i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].address;
    }
    if (strncmp(name, JIT_OUTLINED_PREFIX, strlen(JIT_OUTLINED_PREFIX)) == 0)
        return cup_outlined_find(name);
    return find_math(name);
}
