/* SPDX-License-Identifier: MIT */
/* What a compiled kernel is: its entry points and what the compiler says of it. The headers of this
 * folder are the interface between compiled code (src/jit) and the runtime (src/exec). Compiled
 * code is kept on disk: a change of any of these structures changes CUP_ABI_VERSION.
 *
 * Compiled code refers to no symbol and to no address of the library: it finds everything through
 * the pointers of struct cup_abi_block. So an object from the cache runs in any process.
 *
 * A warp is 32 consecutive threads in the (z, y, x) order of the block. Compiled code runs a whole
 * warp as a vector, or a part of it of `width` lanes if the kernel cannot tell the difference.
 * There are two kinds of kernels:
 *
 * - free: no thread ever waits for another, or only at barriers of its block, where compiled code
 *   itself runs the warps in turn (looped). cup_abi_run_blocks runs a sequence of blocks, or, if it
 *   is not looped, the same warps of each of them.
 * - waiting: barriers, spinning, grid-wide waits. cup_abi_run_warp runs one warp on a stack of its
 *   own (a fiber); the services it calls may switch to another warp of the same or another block.
 */
#ifndef CUP_ABI_KERNEL_H
#define CUP_ABI_KERNEL_H

#include <stdint.h>

enum { CUP_ABI_VERSION = 25 };

enum { CUP_ABI_DESCRIPTOR_BYTES = 1 << 18 };

struct cup_abi_block;

/* The compiler's information about a kernel. The object also has it, as the data symbol
 * `cup_abi_kernel_info`. */
struct cup_abi_kernel_info {
    uint32_t abi_version;
    uint32_t size_bytes;   /* of this structure */
    uint32_t waiting;      /* 0: run_blocks; 1: run_warp */
    uint32_t width;        /* lanes of a vector; informative */
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* per thread */
    uint32_t stack_bytes;  /* of a warp, without recursion: at least what its frames take */
    uint32_t recursive;    /* calls itself, or calls through pointers */
    uint32_t registers;    /* what cuFuncGetAttribute returns */
    uint32_t uses_printf, uses_malloc, uses_grid_sync;
    uint32_t spins;  /* waiting: has loops that may wait for other blocks or for the host. 0: its
                        warps wait only for each other, so that the launching thread may run it */
    uint32_t looped; /* not waiting, but has barriers */
    uint32_t
        clusters; /* waiting: its blocks access the others of their cluster, or wait for them */
    uint32_t frame_bytes; /* what a looped kernel keeps of a warp; a multiple of 512 */
    uint32_t counters;    /* of cup_abi_counters (profile.h); 0: the kernel does not count */
    uint32_t descriptors; /* of matrices in shared memory: wgmma has the lowest 18 bits of
                             addresses, which a program may take of generic ones, so shared memory
                             begins at a multiple of CUP_ABI_DESCRIPTOR_BYTES */
    uint32_t is_large;    /* has one variant because of its size: the hot tier makes faster code */
    uint32_t ordered;     /* has atomics, or calls what prints, allocates or asserts: what it does
                             may show in which order its warps ran */
};

/* The entry points of an object: the symbols `cup_abi_run_blocks` or `cup_abi_run_warp`. Both leave
 * the floating-point control word as they found it: round to nearest, no flushing.
 *
 * run_blocks: block->launch, shared, local, sm and the threads are set; it sets index and linear of
 * one block after the other, and leaves them at the block that faulted. run_warp: all fields are
 * set. */
typedef void cup_abi_run_blocks(struct cup_abi_block *block, uint64_t first, uint64_t count);
typedef void cup_abi_run_warp(struct cup_abi_block *block, uint32_t warp);

#endif
