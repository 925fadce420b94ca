/* SPDX-License-Identifier: MIT */
/* 2D, 3D and peer copies: valid and invalid boxes, order in streams, and large boxes that several
 * threads copy. Random boxes are in test_copy_property.c. */
#include "hold.h"
#include "places.h"

#include <sys/mman.h>

enum { PITCH = 256, ROWS = 16, SLICES = 4, IMAGE = PITCH * ROWS * SLICES };

static struct place device, second, pinned, pageable;

static void begin(void)
{
    with_context();
    device = place_memory(PLACE_DEVICE, IMAGE);
    second = place_memory(PLACE_DEVICE, IMAGE);
    pinned = place_memory(PLACE_PINNED, IMAGE);
    pageable = place_memory(PLACE_PAGEABLE, IMAGE);
    place_fill(&device);
    place_fill(&second);
    place_fill(&pinned);
    place_fill(&pageable);
}

static void check_untouched(void)
{
    check(place_is_right(&device));
    check(place_is_right(&second));
    check(place_is_right(&pinned));
    check(place_is_right(&pageable));
}

/* 100 x 7 x 2 bytes from (12, 1, 0) to (20, 2, 1). */
static CUDA_MEMCPY3D box_between(struct place *to, struct place *from)
{
    struct side target = {to, 0, 20, 2, 1, PITCH, ROWS}, source = {from, 0, 12, 1, 0, PITCH, ROWS};

    return describe(&target, &source, 100, 7, 2, false);
}

static CUDA_MEMCPY2D rectangle_between(struct place *to, struct place *from)
{
    CUDA_MEMCPY3D box = box_between(to, from);

    return describe_2d(&box);
}

static void check_refused(const CUDA_MEMCPY3D *box)
{
    CUDA_MEMCPY3D_PEER peer;

    memcpy(&peer, box, sizeof(peer));
    check_result(cuMemcpy3D(box), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DAsync(box, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DPeer(&peer), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DPeerAsync(&peer, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void check_rectangle_refused(const CUDA_MEMCPY2D *rectangle)
{
    check_result(cuMemcpy2D(rectangle), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy2DUnaligned(rectangle), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy2DAsync(rectangle, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_box_arrives_where_it_should)
{
    struct side to, from;

    begin();
    to = (struct side){&second, 0, 20, 2, 1, PITCH, ROWS};
    from = (struct side){&device, 0, 12, 1, 0, PITCH, ROWS};
    CUDA_MEMCPY3D box = describe(&to, &from, 100, 7, 2, false);
    check_success(cuMemcpy3D(&box));
    model_copy(&to, &from, 100, 7, 2);
    check_untouched();
}

TEST(no_description_is_an_error)
{
    begin();
    check_result(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy2DUnaligned(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy2DAsync(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3D(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DAsync(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    only_cupipe();
    check_result(cuMemcpy3DPeer(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DPeerAsync(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(an_empty_box_is_not_looked_at)
{
    CUDA_MEMCPY3D box = {.srcMemoryType = (CUmemorytype)99, .WidthInBytes = 1, .Height = 1};
    CUDA_MEMCPY2D rectangle = {.dstMemoryType = (CUmemorytype)99, .WidthInBytes = 1};
    CUDA_MEMCPY3D_PEER peer = {.WidthInBytes = 0};

    begin();
    check_success(cuMemcpy3D(&box));
    check_success(cuMemcpy2D(&rectangle));
    check_success(cuMemcpy2DAsync(&rectangle, NULL));
    check_success(cuMemcpy3DPeer(&peer));
}

TEST(memory_types_are_those_there_are)
{
    static const int wrong[] = {0, 5, 99, -1};

    begin();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CUDA_MEMCPY3D box = box_between(&second, &device);
        box.srcMemoryType = (CUmemorytype)wrong[i];
        check_refused(&box);
        box = box_between(&second, &device);
        box.dstMemoryType = (CUmemorytype)wrong[i];
        check_refused(&box);
    }
    check_untouched();
}

TEST(device_operands_must_be_known)
{
    begin();
    CUDA_MEMCPY3D box = box_between(&second, &pageable);
    box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    check_refused(&box);
    box.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    check_success(cuMemcpy3D(&box));
    box = box_between(&pageable, &device);
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    check_refused(&box);
    box = box_between(&second, &pinned);
    box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    check_success(cuMemcpy3D(&box));
    box = box_between(&second, &device);
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = (void *)(uintptr_t)device.at;
    check_success(cuMemcpy3D(&box));
}

TEST(no_address_is_an_error)
{
    begin();
    CUDA_MEMCPY3D box = box_between(&second, &device);
    box.srcDevice = 0;
    check_refused(&box);
    box = box_between(&second, &device);
    box.dstDevice = 0;
    check_refused(&box);
    box = box_between(&pageable, &device);
    box.dstHost = NULL;
    check_refused(&box);
    box = box_between(&pageable, &device);
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box.srcArray = NULL;
    check_refused(&box);
    check_untouched();
}

TEST(pitches_hold_offset_and_width)
{
    begin();
    CUDA_MEMCPY2D rectangle = rectangle_between(&second, &device);
    rectangle.srcPitch = 12 + 100 - 1;
    check_rectangle_refused(&rectangle);
    rectangle.Height = 1;
    check_rectangle_refused(&rectangle);
    rectangle.srcPitch = 12 + 100;
    check_success(cuMemcpy2D(&rectangle));
    rectangle.dstPitch = 20 + 100 - 1;
    check_rectangle_refused(&rectangle);
    rectangle.dstPitch = 20 + 100;
    check_success(cuMemcpy2D(&rectangle));
    rectangle.dstPitch = 0;
    check_success(cuMemcpy2D(&rectangle));
}

TEST(heights_hold_offset_and_rows)
{
    begin();
    CUDA_MEMCPY3D box = box_between(&second, &device);
    box.srcHeight = 1 + 7 - 1;
    check_refused(&box);
    box.Depth = 1;
    check_refused(&box);
    box.srcHeight = 1 + 7;
    check_success(cuMemcpy3D(&box));
    box.dstHeight = 2 + 7 - 1;
    check_refused(&box);
    box.dstHeight = 0;
    check_success(cuMemcpy3D(&box));
}

/* In both dimensions that have no pitch of their own, the end of the allocation is the end. */
TEST(boxes_end_with_the_allocation)
{
    begin();
    CUDA_MEMCPY3D box = box_between(&second, &device);
    box.srcZ = SLICES - 2;
    check_success(cuMemcpy3D(&box));
    box.srcZ = SLICES - 1;
    check_refused(&box);
    box.srcZ = SLICES;
    check_refused(&box);
    CUDA_MEMCPY2D rectangle = rectangle_between(&second, &device);
    rectangle.srcY = ROWS * SLICES - 7;
    check_success(cuMemcpy2D(&rectangle));
    rectangle.srcY++;
    check_rectangle_refused(&rectangle);
    rectangle = rectangle_between(&pinned, &device);
    rectangle.dstY = ROWS * SLICES - 6;
    check_rectangle_refused(&rectangle);
    rectangle.dstY = 0;
    rectangle.dstPitch = 0x80000000u;
    check_rectangle_refused(&rectangle);
    rectangle.Height = 1;
    check_success(cuMemcpy2D(&rectangle));
}

/* NVIDIA's driver lets some of the sums wrap around. */
TEST(boxes_that_overflow_are_errors)
{
    static const size_t huge[] = {
        SIZE_MAX,       SIZE_MAX / 2 + 1,     (size_t)1 << 62,     (size_t)1 << 32,
        SIZE_MAX - 100, SIZE_MAX / PITCH + 1, SIZE_MAX / PITCH + 2};

    begin();
    only_cupipe();
    for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
        CUDA_MEMCPY3D box = box_between(&second, &device);
        box.WidthInBytes = huge[i];
        check_refused(&box);
        box = box_between(&second, &device);
        box.Height = huge[i];
        check_refused(&box);
        box = box_between(&second, &device);
        box.Depth = huge[i];
        check_refused(&box);
        box = box_between(&second, &device);
        box.srcXInBytes = huge[i];
        check_refused(&box);
        box = box_between(&second, &device);
        box.dstY = huge[i];
        check_refused(&box);
        box.dstHeight = 0;
        check_refused(&box);
    }
    check_untouched();
}

/* NVIDIA's driver reads and writes outside of the allocation here. */
TEST(boxes_that_begin_before_the_allocation_are_errors)
{
    begin();
    only_cupipe();
    CUDA_MEMCPY3D box = box_between(&second, &device);
    box.dstZ = SIZE_MAX;
    check_refused(&box);
    box = box_between(&second, &device);
    box.srcZ = SIZE_MAX;
    check_refused(&box);
    box = box_between(&second, &device);
    box.dstPitch = SIZE_MAX;
    check_refused(&box);
    box = box_between(&second, &device);
    box.dstY = box.dstZ = 0;
    box.dstHeight = SIZE_MAX;
    check_refused(&box);
    check_untouched();
}

/* A pitch of SIZE_MAX is one of -1: legal, as long as all rows stay inside. */
TEST(rows_may_go_backwards)
{
    begin();
    only_cupipe();
    CUDA_MEMCPY2D rectangle = rectangle_between(&second, &device);
    rectangle.srcY = 0;
    rectangle.srcPitch = SIZE_MAX;
    check_success(cuMemcpy2D(&rectangle));
    for (size_t y = 0; y < 7; y++)
        memcpy(second.model + 20 + (2 + y) * PITCH, device.model + 12 - y, 100);
    check_untouched();
}

/* The fifth row of the box is not there. */
TEST(a_pitch_that_leads_nowhere_is_an_error)
{
    enum { PAGE = 4096, PAGES = 8 };

    begin();
    only_cupipe();
    unsigned char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages != MAP_FAILED && munmap(pages + 5 * PAGE, PAGE) == 0);
    CUDA_MEMCPY2D rectangle = rectangle_between(&device, &pageable);
    rectangle.srcHost = pages;
    rectangle.srcPitch = PAGE;
    check_rectangle_refused(&rectangle);
    rectangle = rectangle_between(&pageable, &device);
    rectangle.dstHost = pages;
    rectangle.dstPitch = PAGE;
    rectangle.dstY = 0;
    check_rectangle_refused(&rectangle);
    check_success(cuCtxSynchronize());
}

TEST(rows_of_pitched_memory_are_copied)
{
    CUdeviceptr image;
    size_t pitch;
    unsigned char out[50][100], back[50][100];

    with_context();
    check_success(cuMemAllocPitch(&image, &pitch, 100, 50, 4));
    for (size_t i = 0; i < sizeof(out); i++)
        ((unsigned char *)out)[i] = (unsigned char)(i * 7);
    CUDA_MEMCPY2D put = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = out,
                         .srcPitch = 100,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = image,
                         .dstPitch = pitch,
                         .WidthInBytes = 100,
                         .Height = 50};
    CUDA_MEMCPY2D get = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = image,
                         .srcPitch = pitch,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = 100,
                         .WidthInBytes = 100,
                         .Height = 50};
    check_success(cuMemcpy2D(&put));
    check_success(cuMemcpy2D(&get));
    check(memcmp(out, back, sizeof(out)) == 0);
}

/* Boxes so large that workers share them: long rows, rows of every small width, and full slices. */
TEST(large_boxes_are_copied)
{
    static const struct {
        size_t width, height, depth, pitch, rows;
    } boxes[] = {
        {1500000, 4, 1, 1600000, 5}, {4000, 600, 1, 4096, 700},   {16, 100000, 1, 48, 100000},
        {3, 400000, 1, 8, 400000},   {1, 1100000, 1, 3, 1100000}, {32, 20000, 3, 64, 20001},
        {1000, 500, 4, 1000, 500},   {1000, 500, 4, 1000, 510},   {100, 1, 20000, 110, 2},
        {1100000, 1, 3, 1100000, 2},
    };

    with_context();
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
        size_t bytes = boxes[i].pitch * boxes[i].rows * boxes[i].depth + 100;
        struct place to = place_memory(i % 2 ? PLACE_DEVICE : PLACE_PINNED, bytes);
        struct place from = place_memory(i % 3 ? PLACE_DEVICE : PLACE_PAGEABLE, bytes);
        struct side target = {&to, 13, 0, 0, 0, boxes[i].pitch, boxes[i].rows};
        struct side source = {&from, 5, 0, 0, 0, boxes[i].pitch, boxes[i].rows};
        CUDA_MEMCPY3D box =
            describe(&target, &source, boxes[i].width, boxes[i].height, boxes[i].depth, false);
        place_fill(&to);
        place_fill(&from);
        check_success(i % 2 ? cuMemcpy3D(&box) : cuMemcpy3DAsync(&box, NULL));
        model_copy(&target, &source, boxes[i].width, boxes[i].height, boxes[i].depth);
        check(place_is_right(&to));
        check(place_is_right(&from));
        place_free(&to);
        place_free(&from);
    }
}

TEST(a_rectangle_waits_its_turn_in_the_stream)
{
    CUstream stream;

    begin();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    CUDA_MEMCPY2D rectangle = rectangle_between(&second, &pinned);
    hold_until(stream, word);
    check_success(cuMemcpy2DAsync(&rectangle, stream));
    memset(pinned.host, 0xee, IMAGE);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    for (size_t y = 0; y < 7; y++)
        memset(second.model + 20 + (2 + y) * PITCH, 0xee, 100);
    check(place_is_right(&second));
}

/* Pageable memory is read before the call returns, although its turn is later. */
TEST(a_pageable_box_is_read_at_once)
{
    CUstream stream;

    begin();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    struct side to = {&second, 0, 20, 2, 1, PITCH, ROWS},
                from = {&pageable, 0, 12, 1, 0, PITCH, ROWS};
    CUDA_MEMCPY3D box = describe(&to, &from, 100, 7, 2, true);
    hold_until(stream, word);
    check_success(cuMemcpy3DAsync(&box, stream));
    memset(pageable.host, 0xee, IMAGE);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    model_copy(&to, &from, 100, 7, 2);
    check(place_is_right(&second));
}

TEST(peer_contexts_are_contexts_or_none)
{
    CUcontext other;
    CUDA_MEMCPY3D_PEER peer;

    begin();
    CUDA_MEMCPY3D box = box_between(&second, &device);
    memcpy(&peer, &box, sizeof(peer));
    check_success(cuMemcpy3DPeer(&peer));
    check_success(cuCtxCreate(&other, NULL, 0, 0));
    peer.srcContext = other;
    check_success(cuMemcpy3DPeer(&peer));
    check_success(cuMemcpy3DPeerAsync(&peer, NULL));
    check_success(cuCtxSynchronize());
    only_cupipe();
    peer.dstContext = (CUcontext)&peer;
    check_result(cuMemcpy3DPeer(&peer), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuCtxDestroy(other));
    peer.dstContext = NULL;
    check_result(cuMemcpy3DPeer(&peer), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/* A stream is enough for an asynchronous copy; a synchronous one needs a context. */
TEST(a_stream_copies_without_a_current_context)
{
    CUstream stream;

    begin();
    stream = new_stream(0);
    CUDA_MEMCPY2D rectangle = rectangle_between(&second, &device);
    check_success(cuCtxSetCurrent(NULL));
    check_success(cuMemcpy2DAsync(&rectangle, stream));
    check_result(cuMemcpy2D(&rectangle), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuMemcpy2DAsync(&rectangle, NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuStreamSynchronize(stream));
}

/* Those that count in 32 bits are for contexts that no longer exist. */
TEST(copies_of_32_bits_have_no_context)
{
    CUresult (*copy_2d)(const void *) = NULL;
    CUresult (*to_device)(unsigned, const void *, unsigned) = NULL;
    char description[256] = {0};

    begin();
    check_success(cuGetProcAddress("cuMemcpy2D", (void **)&copy_2d, 2000, 0, NULL));
    check_result(copy_2d(description), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuGetProcAddress("cuMemcpyHtoD", (void **)&to_device, 2000, 0, NULL));
    check_result(to_device(0, description, 4), CUDA_ERROR_INVALID_CONTEXT);
}
