/* SPDX-License-Identifier: MIT */
/* What the tests of CUPTI have in common: buffers whose records are kept, and a kernel. */
#ifndef CUPTI_TEST_H
#define CUPTI_TEST_H

#include "kernels.h"
#include "test.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

#define check_done(call) check((call) == CUPTI_SUCCESS)

enum { BUFFER_BYTES = 64 << 10, RECORDS_MAX = 4096 };

/* The records of all buffers that came back; the buffers are kept. */
static const CUpti_Activity *records[RECORDS_MAX];
static _Atomic int record_count;
static _Atomic int requests;
static size_t buffer_bytes = BUFFER_BYTES;

static inline void give_buffer(uint8_t **buffer, size_t *size, size_t *records_max)
{
    requests++;
    *size = buffer_bytes;
    *buffer = aligned_alloc(8, buffer_bytes);
    *records_max = 0;
}

static inline void take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                               size_t used)
{
    CUpti_Activity *record = NULL;

    (void)context, (void)stream, (void)size;
    while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS &&
           record_count < RECORDS_MAX)
        records[record_count++] = record;
}

static inline void record_kinds(const CUpti_ActivityKind *kinds, int count)
{
    check_done(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
    for (int i = 0; i < count; i++)
        check_done(cuptiActivityEnable(kinds[i]));
}

#define RECORD(...)                                                                                \
    record_kinds((const CUpti_ActivityKind[]){__VA_ARGS__},                                        \
                 sizeof((const CUpti_ActivityKind[]){__VA_ARGS__}) / sizeof(CUpti_ActivityKind))

static inline const void *find_record(CUpti_ActivityKind kind, int number)
{
    for (int i = 0; i < record_count; i++)
        if (records[i]->kind == kind && number-- == 0)
            return records[i];
    return NULL;
}

static inline int count_records(CUpti_ActivityKind kind)
{
    int count = 0;

    while (find_record(kind, count))
        count++;
    return count;
}

static inline CUfunction load_kernel(const char *name)
{
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

static inline void launch_fill(CUfunction function, CUdeviceptr memory, unsigned blocks,
                               CUstream stream)
{
    unsigned value = 7, count = 32 * blocks;
    void *params[] = {&memory, &value, &count};

    check_success(cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, 0, stream, params, NULL));
}

#endif
