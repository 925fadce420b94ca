/* SPDX-License-Identifier: MIT */
/* Kernels for the soak, each with a model in C. SALT in a text is a number of the round: a text
 * with a new one must be compiled. */
#ifndef SOAK_KERNELS_H
#define SOAK_KERNELS_H

#include <cuda.h>
#include <stdint.h>

/* The texts, with the salt put in; to be freed. */
char *kernels_text(uint32_t salt);  /* mix, sum, tally, chain, warps, allocate */
char *print_text(uint32_t salt);    /* print, failing */
char *textures_text(uint32_t salt); /* fetch, rewrite */
char *caller_text(uint32_t salt);   /* ask, which needs the callee */
char *callee_text(uint32_t salt);

/* One step of mix: out[i] = in[i] mixed so many times. */
static inline uint32_t mix_once(uint32_t value, uint32_t salt)
{
    value = (value ^ salt) * 0x9e3779b1u;
    return value ^ value >> 15;
}

static inline uint32_t mix(uint32_t value, uint32_t salt, uint32_t times)
{
    while (times--)
        value = mix_once(value, salt);
    return value;
}

#endif
