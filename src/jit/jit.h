/* SPDX-License-Identifier: MIT */
/* The compiler: compiles a kernel of a typed program to an object file. This is the whole
 * interface of the shared object libcupipe-jit.so, which is loaded when the first kernel must be
 * compiled; only it uses LLVM. */
#ifndef CUP_JIT_JIT_H
#define CUP_JIT_JIT_H

#include "abi/kernel.h"
#include "ptx/program.h"

/* How the threads of a block are placed in warps; the compiler may rely on it. */
enum jit_block_shape {
    CUP_SHAPE_ROWS, /* the x size is a multiple of 32: a warp is part of one row */
    CUP_SHAPE_LINE, /* y and z sizes are 1; the last warp may be partial */
    CUP_SHAPE_ANY,
    CUP_SHAPE_SHORT,   /* the x size is a multiple of 8, but not of 32 */
    CUP_SHAPE_SIXTEEN, /* the x size is 16, and y's is even or z's is 1: a warp is two rows */
    CUP_SHAPE_ONE,     /* one thread */
    CUP_SHAPE_COUNT
};

/* The first tier compiles a kernel several times faster than the optimised one, to code that runs
 * several times slower: one variant with its registers in memory, LLVM's code generation without
 * optimisation. The optimised tier makes two variants of a kernel, but only one, with its registers
 * in memory, of a large one; the hot tier makes two of that, too, which takes several times as
 * long. All compute the same. The numbers are part of the cache's keys. */
enum jit_tier { JIT_TIER_FIRST, JIT_TIER_OPTIMISED, JIT_TIER_HOT };

/* Whether the library of outlined operations (jit/emit/outlined_operations.h) has one of this name.
 */
typedef bool jit_has_outlined_function(const char *name);

struct jit_request {
    const struct ptx_program *program;
    uint32_t function; /* index of the kernel */
    enum jit_block_shape shape;
    const char *cpu_features; /* LLVM's feature string; NULL: the compiler asks the system */
    enum jit_tier tier;
    const char *dump_path; /* CUPIPE_DUMP: the folder for IR and assembly; NULL: none */
    bool lines;            /* say which source line the code is of: dwarf.h */
    /* Code to step through: lines, variables, no optimisation, each instruction by itself, one lane
     * at a time unless the kernel has instructions of whole warps. The tier is the first. */
    bool debugger;
    const char *text_folder; /* where <hash>.ptx of the programs' texts are; NULL: nowhere */
    bool counted;    /* count instructions and accesses, for a profile: counters.h; first tier */
    uint32_t checks; /* enum cup_abi_check: report accesses to the runtime: accesses.h */
    bool limited;    /* check accesses to global memory: there are several devices */
    bool fast_math;  /* approximate instructions need not have the device's bits: CUPIPE_MATH */
    jit_has_outlined_function *has_outlined; /* NULL: there is no library */
};

struct jit_result {
    uint8_t *object; /* relocatable ELF; freed with jit_free */
    size_t object_bytes;
    struct cup_abi_kernel_info info;
    uint64_t passes_ns, codegen_ns, total_ns;
};

/* Compiles the outlined operations of all kernels of these texts to one object, the library of
 * outlined operations. */
struct jit_outlined_request {
    const char *const *texts;
    uint32_t text_count;
    const char *cpu_features;
};

#define JIT_OUTLINED_PREFIX "cup_outlined_"
/* A string in that library: the identity of the compiler that made it. */
#define JIT_OUTLINED_IDENTITY_SYMBOL "cup_library_identity"
#define JIT_COMPILE_SYMBOL "jit_compile"
#define JIT_COMPILE_OUTLINED_SYMBOL "jit_compile_outlined"
#define JIT_FREE_SYMBOL "jit_free"
#define JIT_IDENTITY_SYMBOL "jit_identity"
#define JIT_INTERFACE_SYMBOL "jit_interface"
#define JIT_ON_FATAL_ERROR_SYMBOL "jit_on_fatal_error"

enum { JIT_NO_MEMORY = -2 };

/* Returns 0, JIT_NO_MEMORY, or another number after it has written to the log. Thread-safe. LLVM
 * recurses deeply: the thread needs a large stack. */
typedef int jit_compile_function(const struct jit_request *request, struct jit_result *result,
                                 struct ptx_log *log);
typedef int jit_compile_outlined_function(const struct jit_outlined_request *request,
                                          struct jit_result *result, struct ptx_log *log);
typedef void jit_free_function(struct jit_result *result);

/* A string that changes whenever the same request may give other code: a hash of the sources of the
 * compiler and of the ABI, and the version of LLVM. */
typedef const char *jit_identity_function(void);

/* A string that changes whenever this interface may: a hash of the declarations that both sides
 * share. The driver uses no compiler with another one than its own. */
typedef const char *jit_interface_function(void);

/* Installs the handler that LLVM calls before it ends the process. */
typedef void jit_on_fatal_error_function(void (*handler)(const char *reason));

#endif
