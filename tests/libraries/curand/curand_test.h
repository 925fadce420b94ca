/* SPDX-License-Identifier: MIT */
/* What tests of cuRAND share: checksums, and numbers of a device generator on the host. */
#ifndef CURAND_TEST_H
#define CURAND_TEST_H

#include "test.h"

#include <curand.h>

#define check_status(call, expected) check((call) == (expected))
#define check_done(call) check((call) == CURAND_STATUS_SUCCESS)

static inline uint64_t checksum(const void *bytes, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return sum;
}

static inline curandGenerator_t create(bool device, curandRngType_t type)
{
    curandGenerator_t generator;

    check_done((device ? curandCreateGenerator : curandCreateGeneratorHost)(&generator, type));
    return generator;
}

static inline void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    return (void *)(uintptr_t)memory;
}

static inline void fetch(void *host, const void *device, size_t bytes)
{
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device, bytes));
}

/* Words of a new generator. */
static inline void words_of(bool device, curandRngType_t type, uint32_t *words, size_t count)
{
    curandGenerator_t generator = create(device, type);
    void *out = device ? device_memory(count * 4) : words;

    check_done(curandGenerate(generator, out, count));
    if (device)
        fetch(words, out, count * 4);
    check_done(curandDestroyGenerator(generator));
}

#endif
