/* SPDX-License-Identifier: MIT */
/*
 * The groups about modules and kernels: the functions they call, the PTX they load and the helpers
 * they share. Everything else is the recorder's (../recorder.h).
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "../recorder.h"

/* The functions of kernels/functions.def in the library under test. */
struct kernel_functions {
#define FUNCTION(name) __typeof__(name) *name;
#include "functions.def"
#undef FUNCTION
};
extern struct kernel_functions driver;

/* Modules as text. BASIC has one kernel of each shape, FAULTS one for each way to fail, PRINTING
 * those that print or allocate, CLUSTERS those that need sm_90. */
extern const char ptx_basic[], ptx_faults[], ptx_printing[], ptx_clusters[], ptx_empty_module[],
    ptx_link_user[], ptx_link_callee[];
/* The kernels of BASIC, ending with NULL. */
extern const char *const basic_kernels[];

/* The driver's functions found and the primary context current. */
void use_kernels(void);
void resolve_kernels(void);
/* These end the group when they fail. */
CUmodule module_of(const char *text);
CUfunction function_of(CUmodule module, const char *name);
CUlibrary library_of(const char *text);
/* A launch of one block without parameters, or with these. */
CUresult launch(CUfunction function, unsigned grid, unsigned block, void **parameters);
/* BASIC's "store": writes the value at the address. */
CUresult launch_store(CUfunction store, CUdeviceptr address, unsigned value, CUstream stream);
unsigned word_at(CUdeviceptr address);
/* "null", or "set". */
const char *pointer_state(const void *ptr);
/* Takes what the process writes to standard output until capture_end, which gives it as text in
 * one line. */
void capture_begin(void);
const char *capture_end(void);

#endif
