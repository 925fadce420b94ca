/* SPDX-License-Identifier: MIT */
/* Compiler attributes that all files use. */
#ifndef RT_MACROS_H
#define RT_MACROS_H

#define rt_likely(x) __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)
#define RT_EXPORT __attribute__((visibility("default")))
#define RT_COLD __attribute__((cold, noinline))
/* A function whose driver calls create or release what the runtime holds for itself, such as the
 * primary context. A driver that looks for leaks finds its address range in the note (note.c), and
 * does not take what it holds for the program's. */
#define RT_HOLDS __attribute__((noinline, section("cupipe_runtime_holds")))

#endif
