/* SPDX-License-Identifier: MIT */
/* Copies into, out of and between arrays. */
#include "hold.h"
#include "places.h"

/* Each kind of array, in memory without gaps: there and back. */
TEST(arrays_keep_what_is_put_into_them)
{
    with_context();
    for (int kind = PLACE_ARRAY_1D; kind < PLACE_KINDS; kind++) {
        for (size_t element = 1; element <= 16; element *= 2) {
            struct place array = place_array((enum place_kind)kind, element);
            place_fill(&array);
            check(place_is_right(&array));
            place_free(&array);
        }
    }
}

/* Offset and size count bytes of the first row, elements or not. */
TEST(linear_copies_stay_in_the_first_row)
{
    with_context();
    for (int kind = PLACE_ARRAY_1D; kind < PLACE_KINDS; kind++) {
        struct place array = place_array((enum place_kind)kind, 4);
        size_t width = array.width_bytes;
        unsigned char host[1024] = {1};
        check_success(cuMemcpyHtoA(array.array, 0, host, width));
        check_success(cuMemcpyHtoA(array.array, 1, host, width - 1));
        check_success(cuMemcpyHtoA(array.array, width - 1, host, 1));
        check_result(cuMemcpyHtoA(array.array, 0, host, width + 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoA(array.array, 2, host, width - 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoA(array.array, width, host, 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoA(array.array, SIZE_MAX, host, 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoA(array.array, 0, host, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyAtoH(host, array.array, 1, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
        place_free(&array);
    }
}

TEST(every_linear_copy_moves_its_bytes)
{
    struct place array, second, device, pinned;
    struct side in_array, in_second, in_device, in_pinned;
    CUstream stream;

    with_context();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    array = place_array(PLACE_ARRAY_2D, 4);
    second = place_array(PLACE_ARRAY_1D, 1);
    device = place_memory(PLACE_DEVICE, 200);
    pinned = place_memory(PLACE_PINNED, 200);
    place_fill(&array);
    place_fill(&second);
    place_fill(&device);
    place_fill(&pinned);
    in_array = (struct side){.place = &array, .x = 5};
    in_second = (struct side){.place = &second, .x = 11};
    in_device = (struct side){.place = &device, .base = 3};
    in_pinned = (struct side){.place = &pinned, .base = 9};

    check_success(cuMemcpyDtoA(array.array, 5, device.at + 3, 77));
    model_copy(&in_array, &in_device, 77, 1, 1);
    check(place_is_right(&array));
    check_success(cuMemcpyAtoA(second.array, 11, array.array, 5, 60));
    model_copy(&in_second, &in_array, 60, 1, 1);
    check(place_is_right(&second));
    check_success(cuMemcpyAtoH(pinned.host + 9, second.array, 11, 50));
    model_copy(&in_pinned, &in_second, 50, 1, 1);
    check(place_is_right(&pinned));
    place_fill(&pinned);
    check_success(cuMemcpyHtoAAsync(second.array, 11, pinned.host + 9, 40, stream));
    check_success(cuStreamSynchronize(stream));
    model_copy(&in_second, &in_pinned, 40, 1, 1);
    check(place_is_right(&second));
    check_success(cuMemcpyAtoD(device.at + 3, second.array, 11, 33));
    model_copy(&in_device, &in_second, 33, 1, 1);
    check(place_is_right(&device));
    check_success(cuMemcpyAtoHAsync(pinned.host + 9, array.array, 5, 71, stream));
    check_success(cuStreamSynchronize(stream));
    model_copy(&in_pinned, &in_array, 71, 1, 1);
    check(place_is_right(&pinned));
}

TEST(copies_of_no_bytes_look_at_nothing)
{
    with_context();
    check_success(cuMemcpyHtoA(NULL, 0, NULL, 0));
    check_success(cuMemcpyAtoH(NULL, NULL, 99, 0));
    check_success(cuMemcpyAtoA(NULL, 0, NULL, 0, 0));
    check_success(cuMemcpyDtoA(NULL, 0, 0, 0));
    check_success(cuMemcpyAtoD(0, NULL, 0, 0));
    check_success(cuMemcpyHtoAAsync(NULL, 0, NULL, 0, NULL));
}

TEST(operands_must_be_there)
{
    unsigned char host[64];
    CUdeviceptr device;
    struct place array;

    with_context();
    array = place_array(PLACE_ARRAY_1D, 1);
    check_success(cuMemAlloc(&device, 64));
    check_result(cuMemcpyHtoA(NULL, 0, host, 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyHtoA(array.array, 0, NULL, 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyAtoH(NULL, array.array, 0, 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoA(array.array, 0, 0, 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoA(array.array, 0, address_of(host), 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoA(array.array, 0, device, 65), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyAtoA(NULL, 0, array.array, 0, 4), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemcpyAtoA(array.array, 0, array.array, 8, 4));
    check_success(cuMemcpyHtoA(array.array, 0, (void *)(uintptr_t)device, 4));
    only_cupipe();
    check_result(cuMemcpyHtoA((CUarray)host, 0, host, 4), CUDA_ERROR_INVALID_VALUE);
    check_success(cuArrayDestroy(array.array));
    check_result(cuMemcpyHtoA(array.array, 0, host, 4), CUDA_ERROR_INVALID_VALUE);
}

/* Boxes end with the array, in each dimension; a 2D copy sees its first slice. */
TEST(boxes_end_with_the_array)
{
    static unsigned char host[65536];

    with_context();
    for (int kind = PLACE_ARRAY_1D; kind < PLACE_KINDS; kind++) {
        struct place array = place_array((enum place_kind)kind, 2);
        CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = host,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = array.array,
                             .WidthInBytes = array.width_bytes,
                             .Height = array.rows,
                             .Depth = array.slices};
        check_success(cuMemcpy3D(&box));
        box.dstXInBytes = 1;
        check_result(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
        box.dstXInBytes = SIZE_MAX;
        check_result(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
        box.dstXInBytes = 0;
        box.dstY = 1;
        check_result(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
        box.dstY = 0;
        box.dstZ = 1;
        check_result(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
        box.dstZ = 0;
        box.dstLOD = 1;
        check_result(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
        box.dstLOD = 0;
        CUDA_MEMCPY2D rectangle = describe_2d(&box);
        check_success(cuMemcpy2D(&rectangle));
        rectangle.Height++;
        check_result(cuMemcpy2D(&rectangle), CUDA_ERROR_INVALID_VALUE);
        place_free(&array);
    }
}

/* Pitches and heights given beside an array mean nothing, whatever they are. */
static CUarray array_of(CUarray_format format, unsigned channels)
{
    CUDA_ARRAY_DESCRIPTOR descriptor = {64, 64, format, channels};
    CUarray array;

    check_success(cuArrayCreate(&array, &descriptor));
    return array;
}

static CUDA_MEMCPY3D box_between(CUarray to, CUarray from, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = from,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = to,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

/* Every call that copies between arrays, for one pair of them. */
static void check_copies_between(CUarray to, CUarray from, size_t bytes, CUresult expected)
{
    CUDA_MEMCPY3D box = box_between(to, from, bytes);
    CUDA_MEMCPY3D_PEER peer = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = from,
                               .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = to,
                               .WidthInBytes = bytes,
                               .Height = 1,
                               .Depth = 1};
    CUDA_MEMCPY2D flat = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = from,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = to,
                          .WidthInBytes = bytes,
                          .Height = 1};

    check_result(cuMemcpyAtoA(to, 0, from, 0, bytes), expected);
    check_result(cuMemcpy2D(&flat), expected);
    check_result(cuMemcpy2DUnaligned(&flat), expected);
    check_result(cuMemcpy2DAsync(&flat, NULL), expected);
    check_result(cuMemcpy3D(&box), expected);
    check_result(cuMemcpy3DAsync(&box, NULL), expected);
    check_result(cuMemcpy3DPeer(&peer), expected);
    check_result(cuMemcpy3DPeerAsync(&peer, NULL), expected);
}

TEST(compressed_blocks_are_copied_to_elements_of_their_size)
{
    with_context();
    CUarray blocks8 = array_of(CU_AD_FORMAT_BC1_UNORM, 4);
    CUarray others8 = array_of(CU_AD_FORMAT_BC4_UNORM, 1);
    CUarray blocks16 = array_of(CU_AD_FORMAT_BC7_UNORM, 4);
    CUarray words = array_of(CU_AD_FORMAT_UNSIGNED_INT32, 1);
    CUarray pairs = array_of(CU_AD_FORMAT_UNSIGNED_INT32, 2);
    CUarray quads = array_of(CU_AD_FORMAT_FLOAT, 4);

    check_copies_between(words, blocks8, 16, CUDA_ERROR_INVALID_VALUE);
    check_copies_between(blocks8, words, 16, CUDA_ERROR_INVALID_VALUE);
    check_copies_between(blocks16, blocks8, 16, CUDA_ERROR_INVALID_VALUE);
    check_copies_between(pairs, blocks16, 16, CUDA_ERROR_INVALID_VALUE);
    check_copies_between(words, blocks8, 0, CUDA_SUCCESS);
    check_copies_between(others8, blocks8, 16, CUDA_SUCCESS);
    check_copies_between(pairs, blocks8, 16, CUDA_SUCCESS);
    check_copies_between(blocks16, quads, 16, CUDA_SUCCESS);
    check_copies_between(words, quads, 16, CUDA_SUCCESS);
}

/* A node with such a copy can be added and instantiated; launching it fails unless it is
 * disabled. */
TEST(a_graph_that_copies_blocks_to_other_elements_is_not_launched)
{
    CUgraphNode node;
    CUgraphExec exec;
    CUcontext context;
    CUgraph graph;

    with_context();
    check_success(cuCtxGetCurrent(&context));
    CUarray blocks = array_of(CU_AD_FORMAT_BC1_UNORM, 4);
    CUarray words = array_of(CU_AD_FORMAT_UNSIGNED_INT32, 1);
    CUarray pairs = array_of(CU_AD_FORMAT_UNSIGNED_INT32, 2);
    CUDA_MEMCPY3D bad = box_between(words, blocks, 16), good = box_between(pairs, blocks, 16);
    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &bad, context));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_result(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphExecMemcpyNodeSetParams(exec, node, &good, context));
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuGraphExecMemcpyNodeSetParams(exec, node, &bad, context));
    check_result(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphNodeSetEnabled(exec, node, 0));
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuCtxSynchronize());
}

TEST(pitches_beside_arrays_are_ignored)
{
    struct place array, device;
    struct side to, from;

    with_context();
    array = place_array(PLACE_ARRAY_3D, 4);
    device = place_memory(PLACE_DEVICE, 10000);
    place_fill(&array);
    place_fill(&device);
    to = (struct side){&array, 0, 6, 2, 1, 1, SIZE_MAX};
    from = (struct side){&device, 0, 1, 2, 1, 100, 12};
    CUDA_MEMCPY3D box = describe(&to, &from, 50, 7, 3, false);
    box.srcLOD = 1;
    check_success(cuMemcpy3D(&box));
    model_copy(&to, &from, 50, 7, 3);
    check(place_is_right(&array));
}

/* An array copy waits its turn like any other. */
TEST(an_array_copy_waits_its_turn_in_the_stream)
{
    struct place array, pinned;
    CUstream stream;

    with_context();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    array = place_array(PLACE_ARRAY_1D, 4);
    pinned = place_memory(PLACE_PINNED, 400);
    place_fill(&array);
    hold_until(stream, word);
    check_success(cuMemcpyHtoAAsync(array.array, 0, pinned.host, 400, stream));
    memset(pinned.host, 0xee, 400);
    memset(array.model, 0xee, 400);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(place_is_right(&array));
}
