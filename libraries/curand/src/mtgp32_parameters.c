/* SPDX-License-Identifier: MIT */
/* The table of MTGP32's parameters. */
#include "mtgp32_parameters.h"

const struct mtgp32_parameters mtgp32_parameters[MTGP32_PARAMETER_SETS] = {
#define MTGP32(position, shift1, shift2, r0, r1, r2, r3, t0, t1, t2, t3)                           \
    {position, shift1, shift2, {r0, r1, r2, r3}, {t0, t1, t2, t3}},
#include "mtgp32_parameters.def"
#undef MTGP32
};
