/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel for one block shape. It is looked up in the image, then in the
 * on-disk cache, and compiled last. */
#ifndef CUP_EXEC_CODE_H
#define CUP_EXEC_CODE_H

#include "abi/kernel.h"
#include "exec/exec.h"
#include "exec/elf.h"
#include "jit/jit.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_code {
    _Atomic(uint32_t) state; /* futex word, see code.c */
    CUresult result;         /* of a compilation that would fail again */
    struct cup_elf_code object;
    cup_abi_run_blocks *run_blocks; /* exactly one of the two is set */
    cup_abi_run_warp *run_warp;
    struct cup_abi_kernel_info info;

    /* Measurements of earlier launches, for choosing the batch size of grids. */
    _Atomic(uint32_t) block_ns; /* duration of a block in 1/16 ns; 0: unknown */
};

/* Returns the code and compiles it if necessary. Concurrent callers compile it only once. */
CUresult cup_code_get(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                      struct cup_code **code);

enum jit_block_shape cup_code_shape(const uint32_t block[3]);

#endif
