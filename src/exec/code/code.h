/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel for one block shape. It is looked up in the image, then in the
 * on-disk cache, and compiled last.
 *
 * There are tiers (jit/jit.h). A kernel is compiled by the first tier. When its launches have run
 * about as long as the next tier takes to compile it, the worker that notices compiles it again;
 * blocks that start afterwards run the new code. */
#ifndef CUP_EXEC_CODE_CODE_H
#define CUP_EXEC_CODE_CODE_H

#include "abi/kernel.h"
#include "exec/code/elf.h"
#include "exec/exec.h"
#include "jit/jit.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_code {
    _Atomic(uint32_t) state; /* futex word, see code.c */
    CUresult result;         /* of a compilation that would fail again */
    struct cup_elf_code object;
    struct cup_debugger_entry *debugger_entry; /* NULL: not announced */
    struct cup_profiler_kernel *profile;       /* NULL: the code does not count */
    cup_abi_run_blocks *run_blocks;            /* exactly one of the two is set */
    cup_abi_run_warp *run_warp;
    struct cup_abi_kernel_info info;

    /* What the code was compiled from, for compiling it again. */
    const struct ptx_program *program;
    uint32_t function;
    enum jit_block_shape shape;
    enum jit_tier tier;
    bool is_counted; /* it counts what it executes, for an observer */

    /* Code of the same kernel that counts; owned. NULL: not compiled. */
    _Atomic(struct cup_code *) counted;

    /* Of code of which another tier may make better code. */
    _Atomic(uint64_t) run_ns;          /* duration of all completed launches */
    _Atomic(bool) upgrading;           /* a thread compiles it again, or has done so */
    _Atomic(struct cup_code *) better; /* owned; NULL: not compiled */

    /* Measurements of earlier launches, for choosing the batch size of grids. */
    _Atomic(uint32_t) block_ns; /* duration of a block in 1/16 ns; 0: unknown */
    /* The same of blocks that may run whole or by rows, of the fastest launches of either way. */
    _Atomic(uint32_t) fastest_ns[2];
    _Atomic(uint32_t) order_launches; /* of such blocks */
};

/* Returns the best code there is and compiles it if necessary. Concurrent callers compile it only
 * once. */
CUresult cup_code_get(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                      struct cup_code **code);

/* Returns the best code there is in memory or in the cache; NULL: it remains to be compiled, which
 * cup_code_get() and cup_code_prepare() do. Fails if it cannot be compiled: there is no compiler,
 * or no memory for it. */
CUresult cup_code_find(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                       struct cup_code **code);

/* Returns the best code there is in memory; NULL: none. */
struct cup_code *cup_code_ready(struct cup_code_image *image, uint32_t function,
                                enum jit_block_shape shape);

/* Compiles the code unless another thread does or has done so; never waits for that thread. Whoever
 * needs the code learns of failures from cup_code_get(). */
void cup_code_prepare(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape);

/* Returns code that counts what it executes (`profile` is set), and compiles it if necessary. */
CUresult cup_code_get_counted(struct cup_code_image *image, uint32_t function,
                              enum jit_block_shape shape, struct cup_code **code);

/* Whether another tier may make better code, so that its launches are timed. */
bool cup_code_may_improve(const struct cup_code *code);

/* Returns the best code there is of the kernel of `code`. If that has run for long enough, compiles
 * better code now. `running_ns` is the duration of the current launch, of `code`, so far. */
struct cup_code *cup_code_best(struct cup_code *code, uint64_t running_ns);

/* Code that may improve is compiled again once its launches have run so long. */
uint64_t cup_code_hot_ns(const struct cup_code *code);

enum jit_block_shape cup_code_shape(const uint32_t block[3]);

/* Calls `visit` with each address at which the code of another line begins, in order. Objects that
 * were compiled without lines have none. */
void cup_code_lines_visit(const uint8_t *object, size_t object_bytes,
                          const struct cup_elf_code *code,
                          void (*visit)(uint64_t address, const char *file, uint32_t line,
                                        void *argument),
                          void *argument);

#endif
