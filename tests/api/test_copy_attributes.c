/* SPDX-License-Identifier: MIT */
/* Single copies with attributes: they follow the rules of batches with one copy. */
#include "hold.h"
#include "places.h"

enum { ROOM = 16384, BYTES = 1000 };

static struct place device, second, pinned, pageable;
static CUstream stream;
static CUmemcpyAttributes attributes;

static void reset(void)
{
    attributes = (CUmemcpyAttributes){.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
}

static void begin(void)
{
    need_driver(13020);
    with_context();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    device = place_memory(PLACE_DEVICE, ROOM);
    second = place_memory(PLACE_DEVICE, ROOM);
    pinned = place_memory(PLACE_PINNED, ROOM);
    pageable = place_memory(PLACE_PAGEABLE, ROOM);
    place_fill(&device);
    place_fill(&second);
    place_fill(&pinned);
    place_fill(&pageable);
    reset();
}

static CUresult copy_from(const struct place *source, size_t bytes)
{
    return cuMemcpyWithAttributesAsync(second.at, source->at, bytes, &attributes, stream);
}

static void check_refused(void)
{
    check_result(copy_from(&device, BYTES), CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
    reset();
}

TEST(bytes_arrive_from_every_memory)
{
    static const CUmemcpySrcAccessOrder orders[] = {CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
                                                    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
                                                    CU_MEMCPY_SRC_ACCESS_ORDER_ANY};
    struct place *const sources[] = {&device, &pinned, &pageable};

    begin();
    for (size_t i = 0; i < 9; i++) {
        place_fill(&second);
        attributes.srcAccessOrder = orders[i / 3];
        check_success(copy_from(sources[i % 3], BYTES));
        memcpy(second.model, sources[i % 3]->model, BYTES);
        check_success(cuStreamSynchronize(stream));
        check(place_is_right(&second));
    }
    check_success(cuMemcpyWithAttributesAsync(pageable.at, device.at, BYTES, &attributes, stream));
    check_success(cuStreamSynchronize(stream));
    memcpy(pageable.model, device.model, BYTES);
    check(place_is_right(&pageable));
}

TEST(attributes_must_be_valid)
{
    static const int orders[] = {0, 4, 99, -1};

    begin();
    check_result(cuMemcpyWithAttributesAsync(second.at, device.at, BYTES, NULL, stream),
                 CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        attributes.srcAccessOrder = (CUmemcpySrcAccessOrder)orders[i];
        check_refused();
    }
    for (int bit = 1; bit < 32; bit++) {
        attributes.flags = 1u << bit;
        check_refused();
    }
    attributes.srcLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, {-1}};
    check_refused();
    attributes.dstLocHint.type = (CUmemLocationType)77;
    check_refused();
    attributes.flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
    attributes.srcLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    attributes.dstLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, {99}};
    check_success(copy_from(&device, BYTES));
}

TEST(memory_must_be_there)
{
    begin();
    check_result(copy_from(&device, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(copy_from(&device, ROOM + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(copy_from(&device, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyWithAttributesAsync(0, device.at, BYTES, &attributes, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyWithAttributesAsync(second.at, 0, BYTES, &attributes, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
}

TEST(the_legacy_stream_is_refused)
{
    CUmemcpyAttributes *const given = &attributes;

    begin();
    stream = NULL;
    check_refused();
    stream = CU_STREAM_LEGACY;
    check_refused();
    stream = CU_STREAM_PER_THREAD;
    check_success(copy_from(&device, BYTES));
    CUresult (*per_thread)(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes *, CUstream) = NULL;
    check_success(cuGetProcAddress("cuMemcpyWithAttributesAsync", (void **)&per_thread, 13020,
                                   CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    check_success(per_thread(second.at + BYTES, device.at, BYTES, given, NULL));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    memcpy(second.model, device.model, BYTES);
    memcpy(second.model + BYTES, device.model, BYTES);
    check(place_is_right(&second));
}

TEST(the_source_is_read_in_stream_order)
{
    begin();
    atomic_uint *word = pinned_words(1);
    hold_until(stream, word);
    check_success(copy_from(&pinned, BYTES));
    memset(pinned.host, 0xee, BYTES);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    memset(second.model, 0xee, BYTES);
    check(place_is_right(&second));
}

TEST(the_source_is_read_during_the_call)
{
    begin();
    atomic_uint *word = pinned_words(1);
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    hold_until(stream, word);
    check_success(copy_from(&pageable, BYTES));
    memcpy(second.model, pageable.model, BYTES);
    memset(pageable.host, 0xee, BYTES);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(place_is_right(&second));
}

static CUDA_MEMCPY3D_BATCH_OP box_of(void)
{
    return small_box(&device, &second);
}

TEST(boxes_arrive)
{
    begin();
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    check_success(cuMemcpy3DWithAttributesAsync(&box, 0, stream));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 7; y++)
            memcpy(second.model + (z * 16 + y) * 256, device.model + (z * 16 + y) * 256, 100);
    check_success(cuStreamSynchronize(stream));
    check(place_is_right(&second));
}

TEST(boxes_go_through_arrays)
{
    begin();
    struct place array = place_array(PLACE_ARRAY_2D, 4);
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    box.extent = (CUextent3D){8, 2, 1};
    box.src.op.ptr.rowLength = box.src.op.ptr.layerHeight = 0;
    box.dst = (CUmemcpy3DOperand){.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
    box.dst.op.array.array = array.array;
    check_success(cuMemcpy3DWithAttributesAsync(&box, 0, stream));
    box.src = box.dst;
    box.dst = box_of().dst;
    box.dst.op.ptr.rowLength = box.dst.op.ptr.layerHeight = 0;
    check_success(cuMemcpy3DWithAttributesAsync(&box, 0, stream));
    check_success(cuStreamSynchronize(stream));
    memcpy(second.model, device.model, 8 * 2 * 4);
    check(place_is_right(&second));
}

TEST(boxes_must_be_valid)
{
    CUDA_MEMCPY3D_BATCH_OP box;

    begin();
#define CHECK_CHANGE(change)                                                                       \
    (box = box_of(), change,                                                                       \
     check(cuMemcpy3DWithAttributesAsync(&box, 0, stream) == CUDA_ERROR_INVALID_VALUE))
    CHECK_CHANGE(box.src.type = (CUmemcpy3DOperandType)0);
    CHECK_CHANGE(box.dst.op.ptr.ptr = 0);
    CHECK_CHANGE(box.src.op.ptr.rowLength = 99);
    CHECK_CHANGE(box.extent.depth = 0);
    CHECK_CHANGE(box.extent.depth = 5);
    CHECK_CHANGE(box.srcAccessOrder = (CUmemcpySrcAccessOrder)4);
    CHECK_CHANGE(box.flags = 2);
#undef CHECK_CHANGE
    box = box_of();
    check_result(cuMemcpy3DWithAttributesAsync(&box, 1, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DWithAttributesAsync(NULL, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DWithAttributesAsync(&box, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DWithAttributesAsync(&box, 0, CU_STREAM_LEGACY),
                 CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
}

/* They are no nodes of graphs; the capture stays valid. */
TEST(captures_refuse_them)
{
    CUgraph graph = NULL;
    size_t count = 7;

    begin();
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result(copy_from(&device, BYTES), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_result(cuMemcpy3DWithAttributesAsync(&box, 0, stream),
                 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphGetNodes(graph, NULL, &count));
    check(count == 0);
    check(place_is_right(&second));
}
