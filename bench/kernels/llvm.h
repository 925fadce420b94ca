/* SPDX-License-Identifier: MIT */
/* The time that LLVM alone needs for a module of IR: its O2 pipeline and generating an object. */
#ifndef BENCH_KERNELS_LLVM_H
#define BENCH_KERNELS_LLVM_H

/* The time in ns for the code in a file; 0, with the reason, when it cannot be measured. */
double llvm_compile_ns(const char *path, const char **why);

#endif
