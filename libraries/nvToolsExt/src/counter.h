/* SPDX-License-Identifier: MIT */
/* NVTX's extension for counters: values over time, one or several at once. */
#ifndef NVTOOLSEXT_COUNTER_H
#define NVTOOLSEXT_COUNTER_H

#include "nvtx.h"

struct nvtx_counter_attributes {
    size_t size;
    uint64_t schema; /* of the values, or a predefined type */
    const char *name;
    const char *description;
    uint64_t scope;
    const void *semantics;
    uint64_t id; /* 0: the tool gives it one */
};

uint64_t nvtx_counter_register(struct nvtx_domain *domain,
                               const struct nvtx_counter_attributes *attributes);
void nvtx_counter_sample_int64(struct nvtx_domain *domain, uint64_t id, int64_t value);
void nvtx_counter_sample_float64(struct nvtx_domain *domain, uint64_t id, double value);
void nvtx_counter_sample(struct nvtx_domain *domain, uint64_t id, const void *values, size_t bytes);

#endif
