/* SPDX-License-Identifier: MIT */
/* Random bits by position: Philox 4x32 with ten rounds. */
#ifndef DNN_ENGINE_PHILOX_H
#define DNN_ENGINE_PHILOX_H

#include <stdint.h>

/* 32 random bits: word index % 4 of block offset + index / 4. */
uint32_t dnn_philox(uint64_t seed, uint64_t offset, uint64_t index);

/* The same in (0, 1]. */
static inline double dnn_philox_uniform(uint64_t seed, uint64_t offset, uint64_t index)
{
    return ((double)dnn_philox(seed, offset, index) + 1) * 0x1p-32;
}

#endif
