/* SPDX-License-Identifier: MIT */
/* Arguments for the fuzzer of the API, drawn from an input's bytes and, when those are used up,
 * from a sequence they begin. Handles and addresses that calls made are kept and come again, also
 * when they are stale by then; others are NULL, garbage, or of another kind.
 *
 * Memory the program vouches for is vouched for: pointers to structures and outputs are NULL or
 * good. What the driver has to judge itself may be anything: handles, device addresses, sizes, and
 * the host's side of a copy. */
#ifndef DRAW_H
#define DRAW_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaEGL.h>
#include <cudaGL.h>
#include <cudaProfiler.h>
#include <cudaVDPAU.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind {
    KIND_ADDRESS,
    KIND_CUcontext,
    KIND_CUstream,
    KIND_CUevent,
    KIND_CUarray,
    KIND_CUmipmappedArray,
    KIND_CUmemoryPool,
    KIND_CUmodule,
    KIND_CUfunction,
    KIND_CUlibrary,
    KIND_CUkernel,
    KIND_CUlinkState,
    KIND_CUexternalMemory,
    KIND_CUexternalSemaphore,
    KIND_CUgraphicsResource,
    KIND_CUasyncCallbackHandle,
    KIND_CUtexref,
    KIND_CUsurfref,
    KIND_CUgreenCtx,
    KIND_CUdevResourceDesc,
    KIND_CUlogsCallbackHandle,
    KIND_CUgraph,
    KIND_CUgraphNode,
    KIND_CUgraphExec,
    KIND_CUuserObject,
    KIND_CUmemGenericAllocationHandle,
    KIND_CUtexObject,
    KIND_CUsurfObject,
    KIND_IPC,
    KIND_nvmlDevice,
    KIND_nvmlUnit,
    KIND_nvmlEventSet,
    KIND_COUNT,
};

struct draw {
    const uint8_t *bytes; /* what is left of the input */
    size_t left;
    uint64_t state;
    unsigned char *buffers; /* this thread's, for structures and outputs */
    unsigned next_buffer;
    bool only_bad_handles; /* garbage, stale and zeroed ones */
};

struct call {
    const char *name;
    CUresult (*call)(struct draw *draw);
};

enum { BUFFER_BYTES = 1 << 16, BUFFERS = 16, DRAW_HANDLES = 128 };

extern bool draw_is_alone; /* is there one thread only? */

void draw_init(struct draw *draw, const uint8_t *bytes, size_t size, uint64_t seed);
void draw_finish(struct draw *draw);

uint64_t draw_bits(struct draw *draw);
unsigned draw_below(struct draw *draw, unsigned below);
uint64_t draw_number(struct draw *draw); /* counts, flags, enumerations: mostly small */
uint64_t draw_size(struct draw *draw);   /* any, for what the driver judges */
void *draw_handle(struct draw *draw, enum kind kind);
CUdeviceptr draw_address(struct draw *draw);
void *draw_handles(struct draw *draw, enum kind kind); /* an array of DRAW_HANDLES, or NULL */
void *draw_buffer(struct draw *draw); /* BUFFER_BYTES of plausible words, or NULL */
void *draw_struct(struct draw *draw); /* the same, never NULL */
void *draw_host(struct draw *draw);   /* memory of the program's, or what is none */
const char *draw_string(struct draw *draw);
void (*draw_function(struct draw *draw))(void);

void keep(struct draw *draw, enum kind kind, uint64_t handle);

#endif
