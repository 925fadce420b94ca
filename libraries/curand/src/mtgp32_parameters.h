/* SPDX-License-Identifier: MIT */
/* The parameter sets for the period 2^11213 - 1 of MTGP, the generator of Mutsuo Saito and Makoto
 * Matsumoto (Hiroshima University): one for each block of threads. A published table of 16 words
 * holds the sums of four; those four are here. */
#ifndef CURAND_MTGP32_PARAMETERS_H
#define CURAND_MTGP32_PARAMETERS_H

#include <stdint.h>

enum { MTGP32_PARAMETER_SETS = 924 };

struct mtgp32_parameters {
    uint8_t position, shift1, shift2;
    uint32_t recursion[4], tempering[4];
};

extern const struct mtgp32_parameters mtgp32_parameters[MTGP32_PARAMETER_SETS];

#endif
