/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel for one shape of block: found in the image, in the cache on disk, or
 * made by the compiler, in this order. */
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
    _Atomic(uint32_t) state; /* futex: see code.c */
    CUresult result;         /* of a compilation that will not go better next time */
    struct cup_elf_code object;
    cup_abi_run_blocks *run_blocks; /* one of the two */
    cup_abi_run_warp *run_warp;
    struct cup_abi_kernel_info info;

    /* What was seen of it so far, to cut grids into parts of a good size. */
    _Atomic(uint32_t) block_ns; /* what a block takes, in 1/16 ns; 0: not known */
};

/* The code, compiled if need be. Two threads that want the same do not both compile it. */
CUresult cup_code_get(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                      struct cup_code **code);

enum jit_block_shape cup_code_shape(const uint32_t block[3]);

#endif
