/* SPDX-License-Identifier: MIT */
/* How the loops of this folder are compiled; a file includes this before its functions. Each
 * operation rounds by itself, and what the card fuses is written as fmaf() or fma(): compilers may
 * not fuse more. */
#ifndef CUPIPE_TORCH_RANDOM_VECTOR_H
#define CUPIPE_TORCH_RANDOM_VECTOR_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#endif

/* On x86_64 more versions of a function, for processors with AVX2 and FMA and for those with
 * AVX-512, of which the loader chooses. A version for the architecture of one processor would be
 * chosen on that processor alone. Elsewhere the processor's baseline has both. The loader chooses
 * before TSan is there, whose calls would then crash. */
#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12 && !defined(__SANITIZE_THREAD__)
#define CUP_VECTOR_CLONES                                                                          \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CUP_VECTOR_CLONES
#endif

/* Stands before a short loop in such a loop, which is vectorized if the short one is unrolled. */
#define CUP_UNROLL _Pragma("GCC unroll 16")

/* A part of such a function: compilers inline it, so that it has the versions too. */
#define CUP_INLINE static inline __attribute__((always_inline))

#endif
