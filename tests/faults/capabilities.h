/* SPDX-License-Identifier: MIT */
/* A bit of work for each capability of the driver, sizes and bytes drawn from a seed, every byte
 * that comes back compared. Each gives back all it took, also when a call fails in the middle. Used
 * with failing calls (faults.c) and for hours (fuzz/soak). */
#ifndef CAPABILITIES_H
#define CAPABILITIES_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORK_PLACE_BYTES = 64 << 10 };

struct work {
    uint64_t random;   /* the state of the draw; not 0 */
    const char *call;  /* what failed last, */
    CUresult result;   /* and with what; CUDA_SUCCESS: nothing failed */
    const char *wrong; /* what came back wrong, or NULL */
    uint64_t bytes;    /* compared so far */
    size_t largest;    /* of a piece of memory, in bytes */
    void *place;       /* WORK_PLACE_BYTES of memory to register; NULL: the heap's */
};

struct capability {
    const char *name;
    bool (*run)(struct work *work); /* false: see call and result, or wrong */
    bool alone;                     /* only when it is asked for by its name */
    size_t varies; /* by how many bytes what is in use at the end differs from run to run */
};

/* warps.c */
bool run_one_kernel(struct work *work);
bool run_warps(struct work *work);

extern const struct capability capabilities[];
extern const unsigned capability_count;

uint64_t work_draw(struct work *work, uint64_t below);

#endif
