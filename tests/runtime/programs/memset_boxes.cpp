// SPDX-License-Identifier: MIT
// Memsets of boxes: those that lie in memory, also with gaps between rows and slices, and those of
// which no memory has so much. The latter are refused at once and write nothing.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>

enum { BYTES = 1 << 16 };

static unsigned char host[BYTES], expected[BYTES];

static void check_memory(const void *memory)
{
    CHECK_CUDA(cudaMemcpy(host, memory, BYTES, cudaMemcpyDeviceToHost));
    CHECK(memcmp(host, expected, BYTES) == 0);
}

static void fill_expected(size_t pitch, size_t ysize, cudaExtent box, int value)
{
    for (size_t z = 0; z < box.depth; z++) {
        for (size_t y = 0; y < box.height; y++)
            memset(expected + (z * ysize + y) * pitch, value, box.width);
    }
}

// Few rows in many slices, many rows in few, single rows, slices without gaps, rows without gaps.
static void check_good(void *memory)
{
    static const struct {
        size_t pitch, ysize, width, height, depth;
    } boxes[] = {
        {64, 9, 33, 2, 20}, {64, 40, 33, 30, 3}, {64, 5, 7, 1, 90}, {16, 3, 40, 1, 50},
        {64, 8, 33, 8, 16}, {32, 7, 32, 5, 11},  {64, 0, 64, 4, 1},
    };
    int value = 1;

    for (const auto &box : boxes) {
        cudaExtent extent = make_cudaExtent(box.width, box.height, box.depth);
        cudaPitchedPtr at = make_cudaPitchedPtr(memory, box.pitch, box.width, box.ysize);

        fill_expected(box.pitch, box.ysize, extent, value);
        CHECK_CUDA(cudaMemset3D(at, value++, extent));
        check_memory(memory);
        fill_expected(box.pitch, box.ysize, extent, value);
        CHECK_CUDA(cudaMemset3DAsync(at, value++, extent, 0));
        check_memory(memory);
    }
}

static void check_refused(cudaPitchedPtr at, cudaExtent extent)
{
    CHECK(cudaMemset3D(at, 99, extent) == cudaErrorInvalidValue);
    CHECK(cudaMemset3DAsync(at, 99, extent, 0) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

static void check_bad(void *memory)
{
    const size_t huge = SIZE_MAX / 2 + 1; // twice this is 0
    static const struct {
        size_t pitch, ysize, width, height, depth;
    } boxes[] = {
        {0, 2, 1, 1, huge},     // slices do not advance
        {huge, 2, 1, 1, huge},  // nor here
        {huge, 4, 1, 2, 3},     // the slice has 2^65 bytes
        {1, 2, 1, 1, SIZE_MAX}, // one byte in every two of all memory
        {64, 16, 8, 4, huge},   // past the end, as all below
        {64, 16, 8, 4, BYTES},    {64, SIZE_MAX, 8, 4, 2},
        {64, huge, 8, huge, 2}, // 2^64 rows
        {64, huge, 8, huge, 4},   {SIZE_MAX, 3, 8, 2, 2},
        {64, 16, SIZE_MAX, 1, 2}, {64, 16, 8, 4, BYTES / 1024 + 1}, // the last slice only
        {4, 16, 8, 4, 2},                                           // rows overlap
        {64, 3, 8, 4, 2},                                           // slices overlap
    };

    for (const auto &box : boxes) {
        check_refused(make_cudaPitchedPtr(memory, box.pitch, box.width, box.ysize),
                      make_cudaExtent(box.width, box.height, box.depth));
        check_memory(memory);
    }
    check_refused(make_cudaPitchedPtr(nullptr, 64, 8, 16), make_cudaExtent(8, 4, 2));
    check_refused(make_cudaPitchedPtr((void *)64, 64, 8, 16), make_cudaExtent(8, 4, 1 << 30));
}

// A copy of more elements than there are bytes: its width in bytes wraps to 0.
static void check_copies(void *memory)
{
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float4>();
    cudaMemcpy3DParms copy = {};
    cudaArray_t array;

    CHECK_CUDA(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 4, 2)));
    copy.srcPtr = make_cudaPitchedPtr(memory, 128, 8, 4);
    copy.dstArray = array;
    copy.kind = cudaMemcpyDeviceToDevice;
    copy.extent = make_cudaExtent(8, 4, 2);
    CHECK_CUDA(cudaMemcpy3D(&copy));
    copy.extent.width = SIZE_MAX / 16 + 1;
    CHECK(cudaMemcpy3D(&copy) != cudaSuccess);
    copy.extent.width = 8;
    copy.dstPos.x = SIZE_MAX / 16 + 1;
    CHECK(cudaMemcpy3DAsync(&copy, 0) != cudaSuccess);
    CHECK_CUDA(cudaFreeArray(array));
    cudaGetLastError();
}

int main()
{
    void *memory;

    CHECK_CUDA(cudaMalloc(&memory, BYTES));
    CHECK_CUDA(cudaMemset(memory, 0, BYTES));
    check_good(memory);
    check_bad(memory);
    check_copies(memory);
    CHECK_CUDA(cudaFree(memory));
}
