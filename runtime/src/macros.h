/* SPDX-License-Identifier: MIT */
/* Compiler attributes that all files use. */
#ifndef RT_MACROS_H
#define RT_MACROS_H

#define rt_likely(x) __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)
#define RT_EXPORT __attribute__((visibility("default")))
#define RT_COLD __attribute__((cold, noinline))

#endif
