/* SPDX-License-Identifier: MIT */
/* How loops over numbers are compiled; a file includes this before its functions. Each operation
 * rounds by itself, and what a card fuses is written as fmaf(). */
#ifndef NPP_VECTOR_H
#define NPP_VECTOR_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#endif

/* On x86_64 more versions of a function, for processors with AVX2 and FMA and for those with
 * AVX-512, of which the loader chooses. A version for the architecture of one processor would be
 * chosen on that processor alone. The loader chooses before TSan is there, whose calls would then
 * crash. */
#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12 && !defined(__SANITIZE_THREAD__)
#define NPP_VECTOR __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define NPP_VECTOR
#endif

/* A part of such a function: compilers inline it, so that it has the versions too. */
#define NPP_INLINE static inline __attribute__((always_inline))

#endif
