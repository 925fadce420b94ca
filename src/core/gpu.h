/* SPDX-License-Identifier: MIT */
/* The GPU models that a device can be, and what NVIDIA documents for each compute capability. */
#ifndef CUP_CORE_GPU_H
#define CUP_CORE_GPU_H

#include <stddef.h>
#include <stdint.h>

enum { CUP_GPU_CARVEOUTS = 10 };

/* Limits that all devices of one compute capability share. */
struct cup_capability {
    uint16_t number; /* 90 for 9.0 */
    uint16_t sm_threads, sm_blocks;
    uint16_t sm_shared_kib, block_shared_kib; /* the latter when a kernel asks for it */
    uint16_t reserved_shared_bytes;           /* of each block */
    uint16_t shared_granule_bytes;            /* in which a block's shared memory is allocated */
    uint16_t double_ratio;                    /* throughput of f32 to that of f64 */
    uint16_t persisting_l2_16ths;             /* how much of the L2 cache can be set aside */
    /* how much shared memory a multiprocessor can be set to, KiB, ascending; the largest is
     * sm_shared_kib */
    uint16_t carveouts_kib[CUP_GPU_CARVEOUTS];
};

struct cup_gpu {
    const char *key;  /* for CUPIPE_GPU */
    const char *name; /* as in NVIDIA's data sheet */
    uint16_t capability;
    uint16_t sms;
    uint32_t clock_khz, memory_clock_khz;
    uint16_t bus_bits;
    uint32_t l2_kib;
    uint32_t memory_mib;
    uint8_t copy_engines;
    uint8_t ecc, integrated;
    uint32_t pci_id, pci_subsystem; /* device << 16 | vendor; subsystem 0: not known */
};

/* The model of devices for which none is chosen. */
const struct cup_gpu *cup_gpu_default(void);

/* Returns NULL if there is no such model; `length` is that of the name. */
const struct cup_gpu *cup_gpu_find(const char *name, size_t length);

/* Single-precision operations per millisecond, by which devices are ordered: NVIDIA documents that
 * the fastest comes first, not how it tells. */
uint64_t cup_gpu_speed(const struct cup_gpu *gpu);

/* The keys of all models, separated by blanks. */
void cup_gpu_list(char *text, size_t bytes);

/* Returns NULL if there is no such compute capability: 86 for 8.6. */
const struct cup_capability *cup_capability_find(unsigned number);

#endif
