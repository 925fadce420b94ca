/* SPDX-License-Identifier: MIT */
/* The memsets, in all their forms, against a model. */
#include "test.h"

enum { BYTES = 64 << 10 };

static unsigned char model[BYTES], found[BYTES];
static CUdeviceptr memory;
static CUstream stream;

static void begin(void)
{
    with_context();
    check_success(cuMemAlloc(&memory, BYTES));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (size_t i = 0; i < BYTES; i++)
        model[i] = (unsigned char)(i * 13 + 5);
    check_success(cuMemcpyHtoD(memory, model, BYTES));
    check_success(cuCtxSynchronize()); /* `stream` does not wait for the copy */
}

static void check_memory(void)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(found, memory, BYTES));
    check(memcmp(found, model, BYTES) == 0);
}

static void model_rows(size_t offset, size_t pitch, unsigned element, unsigned value, size_t width,
                       size_t height)
{
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++)
            memcpy(model + offset + y * pitch + x * element, &value, element);
    }
}

static CUresult fill(CUdeviceptr at, unsigned element, unsigned value, size_t count, bool async)
{
    switch (element) {
    case 1:
        return async ? cuMemsetD8Async(at, (unsigned char)value, count, stream)
                     : cuMemsetD8(at, (unsigned char)value, count);
    case 2:
        return async ? cuMemsetD16Async(at, (unsigned short)value, count, stream)
                     : cuMemsetD16(at, (unsigned short)value, count);
    default:
        return async ? cuMemsetD32Async(at, value, count, stream) : cuMemsetD32(at, value, count);
    }
}

static CUresult fill_rows(CUdeviceptr at, size_t pitch, unsigned element, unsigned value,
                          size_t width, size_t height, bool async)
{
    switch (element) {
    case 1:
        return async ? cuMemsetD2D8Async(at, pitch, (unsigned char)value, width, height, stream)
                     : cuMemsetD2D8(at, pitch, (unsigned char)value, width, height);
    case 2:
        return async ? cuMemsetD2D16Async(at, pitch, (unsigned short)value, width, height, stream)
                     : cuMemsetD2D16(at, pitch, (unsigned short)value, width, height);
    default:
        return async ? cuMemsetD2D32Async(at, pitch, value, width, height, stream)
                     : cuMemsetD2D32(at, pitch, value, width, height);
    }
}

/* Values with all bytes the same, and others: they may go different ways. */
static unsigned value_of(unsigned round)
{
    return round % 2 ? 0x01010101u * (round & 0xff) : 0x9e3779b9u * round + 1;
}

TEST(rows_of_all_sizes_and_alignments)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4097};
    unsigned round = 0;

    begin();
    for (unsigned element = 1; element <= 4; element *= 2) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            for (size_t offset = 0; offset < 16; offset += element) {
                round++;
                check_success(
                    fill(memory + offset, element, value_of(round), counts[i], round % 3 == 0));
                check_success(cuCtxSynchronize());
                model_rows(offset, 0, element, value_of(round), counts[i], 1);
            }
            check_memory();
        }
    }
}

TEST(boxes_of_all_shapes)
{
    static const size_t widths[] = {0, 1, 2, 3, 5, 16, 33, 100}, heights[] = {0, 1, 2, 3, 17};
    unsigned round = 0;

    begin();
    for (unsigned element = 1; element <= 4; element *= 2) {
        for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
            for (size_t j = 0; j < sizeof(heights) / sizeof(heights[0]); j++) {
                size_t pitch = widths[i] * element + (++round % 4) * element;
                size_t offset = round % 7 * element;
                check_success(fill_rows(memory + offset, pitch, element, value_of(round), widths[i],
                                        heights[j], round % 3 == 0));
                check_success(cuCtxSynchronize());
                model_rows(offset, pitch, element, value_of(round), widths[i], heights[j]);
                check_memory();
            }
        }
    }
}

TEST(elements_lie_on_their_own_boundaries)
{
    begin();
    for (unsigned element = 1; element <= 4; element *= 2) {
        for (unsigned offset = 0; offset < 5; offset++) {
            CUresult expected = offset % element ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
            check_result(fill(memory + offset, element, 0, 4, false), expected);
            check_success(fill(memory + offset, element, 0, 0, false));
            if (expected == CUDA_SUCCESS)
                model_rows(offset, 0, element, 0, 4, 1);
        }
    }
    check_memory();
}

TEST(pitch_counts_from_the_second_row_on)
{
    begin();
    check_success(cuMemsetD2D32(memory, 0, 7, 10, 1));
    check_success(cuMemsetD2D32(memory, 3, 7, 10, 1));
    model_rows(0, 0, 4, 7, 10, 1);
    check_result(cuMemsetD2D32(memory, 0, 9, 10, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD2D32(memory, 36, 9, 10, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD2D32(memory, 42, 9, 10, 2), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemsetD2D32(memory, 40, 8, 10, 2));
    model_rows(0, 40, 4, 8, 10, 2);
    check_memory();
}

TEST(the_end_is_the_end)
{
    begin();
    check_success(cuMemsetD8(memory, 1, BYTES));
    model_rows(0, 0, 1, 1, BYTES, 1);
    check_result(cuMemsetD8(memory, 2, BYTES + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD8(memory + BYTES - 5, 2, 6), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD16(memory + 2, 2, BYTES / 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD32(memory + BYTES - 4, 2, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD2D8(memory, 4096, 2, 4096, BYTES / 4096 + 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemsetD2D8(memory + 1, 4096, 3, 4095, BYTES / 4096));
    model_rows(1, 4096, 1, 3, 4095, BYTES / 4096);
    check_memory();
}

TEST(other_pointers_are_refused)
{
    unsigned char pageable[16] = {7};

    begin();
    check_result(cuMemsetD8((CUdeviceptr)(uintptr_t)pageable, 1, 4), CUDA_ERROR_INVALID_VALUE);
    check(pageable[0] == 7);
    check_result(cuMemsetD8(0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemsetD8(0, 1, 0));
    check_success(cuMemsetD8((CUdeviceptr)(uintptr_t)pageable, 1, 0));
    check_memory();
}

TEST(host_memory_is_set_too)
{
    static unsigned char pages[8192] __attribute__((aligned(4096)));
    unsigned char *pinned;

    begin();
    check_success(cuMemAllocHost((void **)&pinned, 1000));
    check_success(cuMemHostRegister(pages, sizeof(pages), 0));
    check_success(cuMemsetD16((CUdeviceptr)(uintptr_t)(pinned + 2), 0x0201, 10));
    check_success(cuMemsetD32Async((CUdeviceptr)(uintptr_t)(pages + 4), 0x04030201, 10, stream));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 20; i++)
        check(pinned[2 + i] == i % 2 + 1);
    for (int i = 0; i < 40; i++)
        check(pages[4 + i] == i % 4 + 1);
    check(pinned[1] == 0 && pinned[22] == 0 && pages[3] == 0 && pages[44] == 0);
}

/* Large ones are split over several workers. */
TEST(large_fills_are_whole)
{
    static const size_t sizes[] = {1 << 20, (1 << 20) + 4, (5 << 20) + 12, 17 << 20};
    size_t room = 20 << 20;
    unsigned *host = malloc(room);
    CUdeviceptr large;

    with_context();
    check_success(cuMemAlloc(&large, room));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned value = 0x12345678u + (unsigned)i;
        check_success(cuMemsetD8(large, 0xff, room));
        check_success(cuMemsetD32(large + 4, value, sizes[i] / 4));
        check_success(cuMemcpyDtoH(host, large, room));
        check(host[0] == UINT32_MAX && host[1 + sizes[i] / 4] == UINT32_MAX);
        for (size_t j = 0; j < sizes[i] / 4; j++)
            check(host[1 + j] == value);
    }
    free(host);
}

TEST(large_boxes_leave_the_gaps_alone)
{
    enum { PITCH = 5000, WIDTH = 4001, HEIGHT = 2000 };
    unsigned char *host = malloc((size_t)PITCH * HEIGHT);
    CUdeviceptr large;

    with_context();
    check_success(cuMemAlloc(&large, (size_t)PITCH * HEIGHT));
    check_success(cuMemsetD8(large, 1, (size_t)PITCH * HEIGHT));
    check_success(cuMemsetD2D8(large, PITCH, 2, WIDTH, HEIGHT));
    check_success(cuMemcpyDtoH(host, large, (size_t)PITCH * HEIGHT));
    for (size_t i = 0; i < (size_t)PITCH * HEIGHT; i++)
        check(host[i] == (i % PITCH < WIDTH ? 2 : 1));
    free(host);
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

TEST(a_memset_waits_its_turn_in_the_stream)
{
    static struct flag flag;

    begin();
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &flag));
    check_success(cuMemsetD8Async(memory, 1, BYTES, stream));
    check_success(cuMemsetD8Async(memory, 2, BYTES / 2, stream));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    check_success(cuMemcpyDtoH(found, memory, BYTES)); /* the default stream does not wait for it */
    check(memcmp(found, model, BYTES) == 0);
    flag_raise(&flag);
    check_success(cuStreamSynchronize(stream));
    model_rows(0, 0, 1, 2, BYTES / 2, 1);
    model_rows(BYTES / 2, 0, 1, 1, BYTES / 2, 1);
    check_memory();
}

/* Neither form waits for the work before it: the call answers while the stream is held up. */
TEST(a_memset_does_not_wait)
{
    static struct flag flag;

    begin();
    check_success(cuLaunchHostFunc(NULL, wait_for_flag, &flag));
    check_success(cuMemsetD8(memory, 1, BYTES));
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    flag_raise(&flag);
    model_rows(0, 0, 1, 1, BYTES, 1);
    check_memory();
}
