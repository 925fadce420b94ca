/* SPDX-License-Identifier: MIT */
/* The compiler: a kernel of a typed program becomes an object file of machine code. This is the
 * whole surface of the shared object libcupipe-jit.so, which is loaded at the first kernel that
 * must be compiled; it alone knows LLVM. */
#ifndef CUP_JIT_JIT_H
#define CUP_JIT_JIT_H

#include "abi/kernel.h"
#include "ptx/program.h"

/* How the threads of a block lie in warps: what the compiler may rely upon. */
enum jit_block_shape {
    CUP_SHAPE_ROWS, /* the x size is a multiple of 32: a warp is one piece of a row */
    CUP_SHAPE_LINE, /* y and z sizes are 1; the last warp may be partial */
    CUP_SHAPE_ANY,
    CUP_SHAPE_SHORT,   /* the x size is a multiple of 8, but not of 32 */
    CUP_SHAPE_SIXTEEN, /* the x size is 16, and y's is even or z's is 1: a warp is two rows */
    CUP_SHAPE_COUNT
};

struct jit_request {
    const struct ptx_program *program;
    uint32_t function; /* index of the kernel */
    enum jit_block_shape shape;
    const char *cpu_features; /* LLVM's feature string, made from what the system says; NULL: the
                                 compiler asks */
    unsigned optimization;    /* 0..4 as CU_JIT_OPTIMIZATION_LEVEL */
    bool debug;               /* keep the IR: CUPIPE_DUMP */
    bool limited;             /* ask before touching global memory: there are several devices */
};

struct jit_result {
    uint8_t *object; /* relocatable ELF; freed with jit_free */
    size_t object_bytes;
    struct cup_abi_kernel_info info;
    uint64_t passes_ns, codegen_ns, total_ns;
};

#define JIT_COMPILE_SYMBOL "jit_compile"
#define JIT_FREE_SYMBOL "jit_free"
#define JIT_IDENTITY_SYMBOL "jit_identity"

enum { JIT_NO_MEMORY = -2 };

/* 0, JIT_NO_MEMORY, or the log says why not. Safe to call from several threads at once. LLVM
 * walks deep structures by calling itself: the thread's stack has to be large. */
typedef int jit_compile_function(const struct jit_request *request, struct jit_result *result,
                                 struct ptx_log *log);
typedef void jit_free_function(struct jit_result *result);

/* A string that changes whenever the same request would give other code: the compiler's own
 * version, LLVM's, the ABI's. Must be had without loading LLVM too: see src/exec/cache. */
typedef const char *jit_identity_function(void);

#endif
