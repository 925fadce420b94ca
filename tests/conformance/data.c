/* SPDX-License-Identifier: MIT */
/*
 * Test data in device memory and its check, and answers as text. Text about an address says where
 * it lies relative to another, since addresses differ from run to run.
 */
#include "recorder.h"

void device_fill(CUdeviceptr ptr, size_t size, unsigned seed)
{
    unsigned char *bytes = malloc(size);

    pattern_fill(bytes, size, seed);
    cuda.cuMemcpyHtoD(ptr, bytes, size);
    cuda.cuCtxSynchronize();
    free(bytes);
}

const char *device_check(CUdeviceptr ptr, size_t size, unsigned seed)
{
    unsigned char *bytes = calloc(1, size);
    CUresult copied = cuda.cuMemcpyDtoH(bytes, ptr, size);
    const char *text = copied ? result_name(copied) : pattern_check(bytes, size, seed);

    free(bytes);
    return text;
}

void memory_fill(const struct memory *memory, size_t size, unsigned seed)
{
    if (!memory->ptr)
        return;
    cuda.cuCtxSynchronize();
    if (memory->host_readable)
        pattern_fill(as_host(memory->ptr), size, seed);
    else
        device_fill(memory->ptr, size, seed);
}

void memory_read(const struct memory *memory, void *out, size_t size)
{
    memset(out, 0, size);
    if (!memory->ptr)
        return;
    cuda.cuCtxSynchronize();
    if (memory->host_readable)
        memcpy(out, as_host(memory->ptr), size);
    else
        cuda.cuMemcpyDtoH(out, memory->ptr, size);
}

const char *sync_stream(CUstream stream)
{
    CUresult synced = cuda.cuStreamSynchronize(stream);

    sticky_notice(synced);
    return result_name(synced);
}

const char *sync_context(void)
{
    CUresult synced = cuda.cuCtxSynchronize();

    sticky_notice(synced);
    return result_name(synced);
}

const char *relative(uint64_t value, uint64_t reference)
{
    const int64_t near = 1ll << 34;
    int64_t distance = (int64_t)(value - reference);

    if (!value)
        return "0";
    if (value == reference)
        return "self";
    if (value == UNTOUCHED)
        return "kept";
    if (distance > -near && distance < near)
        return format("self%+lld", (long long)distance);
    return "other";
}

const char *out_state_of(uint64_t value)
{
    if (value == UNTOUCHED)
        return "kept";
    return value ? "set" : "zero";
}

const char *range_of(CUdeviceptr ptr)
{
    CUdeviceptr base = UNTOUCHED;
    size_t size = 0;
    CUresult found = cuda.cuMemGetAddressRange(&base, &size, ptr);

    return found ? result_name(found) : format("base=%s,size=%zu", relative(base, ptr), size);
}
