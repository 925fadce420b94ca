/* SPDX-License-Identifier: MIT */
/* Batches of copies: valid lists, the effects of a batch with an error, when sources are read, and
 * large batches. */
#include "hold.h"
#include "places.h"

enum { ROOM = 16384, COPIES = 4, BYTES = 1000 };

static struct place device, second, pinned, pageable;
static CUstream stream;
static CUdeviceptr dsts[COPIES], srcs[COPIES];
static size_t sizes[COPIES], firsts[COPIES];
static CUmemcpyAttributes attributes[COPIES];

static void reset(void)
{
    for (size_t i = 0; i < COPIES; i++) {
        dsts[i] = second.at + i * 4096;
        srcs[i] = (i % 2 ? pinned.at : device.at) + i * 4096;
        sizes[i] = BYTES;
        firsts[i] = i;
        attributes[i] = (CUmemcpyAttributes){.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    }
}

static void begin(void)
{
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

static CUresult batch(size_t count, size_t attribute_count)
{
    return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, firsts, attribute_count,
                              stream);
}

/* The first of the copies have been done. */
static void model_first(size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(second.model + i * 4096, (i % 2 ? pinned.model : device.model) + i * 4096, BYTES);
}

static void check_refused(size_t count, size_t attribute_count)
{
    check_result(batch(count, attribute_count), CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
    reset();
}

TEST(a_batch_copies_all_of_it)
{
    begin();
    check_success(batch(COPIES, 1));
    model_first(COPIES);
    check(place_is_right(&second));
    place_fill(&second);
    check_success(batch(COPIES, COPIES));
    model_first(COPIES);
    check(place_is_right(&second));
}

TEST(counts_must_fit)
{
    begin();
    check_refused(0, 0);
    check_refused(0, 1);
    check_refused(2, 0);
    check_refused(2, 3);
}

TEST(lists_must_be_there)
{
    begin();
    check_result(cuMemcpyBatchAsync(NULL, srcs, sizes, 1, attributes, firsts, 1, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyBatchAsync(dsts, NULL, sizes, 1, attributes, firsts, 1, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyBatchAsync(dsts, srcs, NULL, 1, attributes, firsts, 1, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyBatchAsync(dsts, srcs, sizes, 1, NULL, firsts, 1, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyBatchAsync(dsts, srcs, sizes, 1, attributes, NULL, 1, stream),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(attributes_begin_with_the_first_copy_and_go_on)
{
    static const size_t wrong[][2] = {{1, 2}, {0, 0}, {0, 3}, {0, 99}, {0, SIZE_MAX}, {2, 1}};

    begin();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        firsts[0] = wrong[i][0];
        firsts[1] = wrong[i][1];
        check_refused(3, 2);
    }
    firsts[1] = 2;
    check_success(batch(3, 2));
}

TEST(attributes_must_be_valid)
{
    static const int orders[] = {0, 4, 99, -1};

    begin();
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        attributes[1].srcAccessOrder = (CUmemcpySrcAccessOrder)orders[i];
        check_refused(3, 2);
    }
    for (int bit = 1; bit < 32; bit++) {
        attributes[0].flags = 1u << bit;
        check_refused(3, 1);
    }
    attributes[0].srcLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, -1};
    check_refused(3, 1);
    attributes[0].dstLocHint = (CUmemLocation){(CUmemLocationType)5, 0};
    check_refused(3, 1);
    attributes[0].flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
    attributes[0].srcLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
    attributes[0].dstLocHint = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, 99};
    check_success(batch(3, 1));
}

TEST(a_batch_needs_a_stream_of_its_own)
{
    begin();
    stream = NULL;
    check_refused(1, 1);
    stream = CU_STREAM_LEGACY;
    check_refused(1, 1);
    stream = CU_STREAM_PER_THREAD;
    check_success(batch(1, 1));
    stream = new_stream(0);
    check_success(batch(1, 1));
    check_success(cuCtxSetCurrent(NULL));
    check_result(batch(1, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_copies_before_a_bad_one_are_done)
{
    begin();
    dsts[2] = 0;
    check_result(batch(COPIES, 1), CUDA_ERROR_INVALID_VALUE);
    model_first(2);
    check(place_is_right(&second));
    place_fill(&second);
    reset();
    sizes[0] = 0;
    check_result(batch(COPIES, 1), CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
}

TEST(copies_past_the_end_are_refused)
{
    begin();
    sizes[0] = ROOM + 1;
    check_refused(1, 1);
    sizes[0] = SIZE_MAX;
    check_refused(1, 1);
    dsts[0] = second.at + ROOM - BYTES + 1;
    check_refused(1, 1);
}

/* The form of CUDA 12.8 says which copy it was. */
typedef CUresult (*batch_12080)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t,
                                CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream);

TEST(the_older_form_tells_which_copy_failed)
{
    batch_12080 older = NULL;
    size_t failed = 7;

    begin();
    check_success(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&older, 12080, 0, NULL));
    srcs[2] = 0;
    check_result(older(dsts, srcs, sizes, COPIES, attributes, firsts, 1, &failed, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check(failed == 2);
    check_result(older(dsts, srcs, sizes, 0, attributes, firsts, 1, &failed, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check(failed == SIZE_MAX);
    failed = 7;
    check_result(older(dsts, srcs, sizes, 1, attributes, firsts, 1, &failed, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check(failed == 7);
    reset();
    check_success(older(dsts, srcs, sizes, COPIES, attributes, firsts, 1, &failed, stream));
    check(failed == SIZE_MAX);
    model_first(COPIES);
    check(place_is_right(&second));
}

struct held_copy {
    CUmemcpySrcAccessOrder order;
    struct place *source;
    bool waits;            /* the call, for the stream */
    bool sees_later_bytes; /* than those of the call */
};

struct caller {
    CUcontext context;
    struct flag returned;
};

static void *call_batch(void *argument)
{
    struct caller *caller = argument;

    check_success(cuCtxSetCurrent(caller->context));
    check_success(batch(1, 1));
    flag_raise(&caller->returned);
    return NULL;
}

/* The source changes while the stream is held, if the call returns by then. */
static void check_held(const struct held_copy *held)
{
    atomic_uint *word = pinned_words(1);
    struct caller caller = {.context = NULL};
    pthread_t thread;

    place_fill(held->source);
    reset();
    srcs[0] = held->source->at;
    attributes[0].srcAccessOrder = held->order;
    check_success(cuCtxGetCurrent(&caller.context));
    hold_until(stream, word);
    check(pthread_create(&thread, NULL, call_batch, &caller) == 0);
    if (held->waits) {
        usleep(20000);
        check(!flag_is_raised(&caller.returned));
    } else {
        flag_wait(&caller.returned);
        memset(held->source->host, 0xee, BYTES);
    }
    atomic_store(word, 1);
    check(pthread_join(thread, NULL) == 0);
    check_success(cuStreamSynchronize(stream));
    memcpy(second.model, held->source->model, BYTES);
    if (held->sees_later_bytes)
        memset(second.model, 0xee, BYTES);
    check(place_is_right(&second));
}

TEST(sources_are_read_in_the_order_asked_for)
{
    const struct held_copy copies[] = {
        {CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &pinned, false, true},
        {CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &pageable, true, false},
        {CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL, &pinned, true, false},
        {CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL, &pageable, false, false},
        {CU_MEMCPY_SRC_ACCESS_ORDER_ANY, &pinned, false, true},
        {CU_MEMCPY_SRC_ACCESS_ORDER_ANY, &pageable, false, false},
    };

    begin();
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
        check_held(&copies[i]);
}

/* More than workers do at once, small ones and some large ones, behind a stream that is held. */
TEST(thousands_of_copies_arrive)
{
    enum { MANY = 5000, LARGE = 2 << 20 };
    static CUdeviceptr to[MANY], from[MANY];
    static size_t many_sizes[MANY];
    size_t at = 0, first = 0;

    with_context();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    struct place target = place_memory(PLACE_DEVICE, 64 << 20);
    struct place source = place_memory(PLACE_DEVICE, 64 << 20);
    place_fill(&target);
    place_fill(&source);
    for (size_t i = 0; i < MANY; i++) {
        many_sizes[i] = i % 500 == 7 ? LARGE : 1 + i % 4096;
        to[i] = target.at + at;
        from[i] = source.at + at;
        memcpy(target.model + at, source.model + at, many_sizes[i]);
        at += many_sizes[i] + i % 3;
    }
    CUmemcpyAttributes plain = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    atomic_uint *word = pinned_words(1);
    hold_until(stream, word);
    check_success(cuMemcpyBatchAsync(to, from, many_sizes, MANY, &plain, &first, 1, stream));
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(place_is_right(&target));
}

static CUDA_MEMCPY3D_BATCH_OP box_of(void)
{
    return small_box(&device, &second);
}

static void check_box_refused(CUDA_MEMCPY3D_BATCH_OP box)
{
    check_result(cuMemcpy3DBatchAsync(1, &box, 0, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST(boxes_without_pitches_are_packed)
{
    begin();
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    box.src.op.ptr.rowLength = box.src.op.ptr.layerHeight = 0;
    box.dst.op.ptr.rowLength = box.dst.op.ptr.layerHeight = 0;
    check_success(cuMemcpy3DBatchAsync(1, &box, 0, stream));
    memcpy(second.model, device.model, 100 * 7 * 2);
    check(place_is_right(&second));
}

TEST(boxes_must_be_valid)
{
    CUDA_MEMCPY3D_BATCH_OP box;

    begin();
#define CHECK_CHANGE(change) (box = box_of(), change, check_box_refused(box))
    CHECK_CHANGE(box.src.type = (CUmemcpy3DOperandType)0);
    CHECK_CHANGE(box.dst.type = (CUmemcpy3DOperandType)3);
    CHECK_CHANGE(box.src.op.ptr.ptr = 0);
    CHECK_CHANGE(box.dst.op.ptr.ptr = 0);
    CHECK_CHANGE(box.src.op.ptr.rowLength = 99);
    CHECK_CHANGE(box.dst.op.ptr.layerHeight = 6);
    CHECK_CHANGE(box.extent.width = 0);
    CHECK_CHANGE(box.extent.height = 0);
    CHECK_CHANGE(box.extent.depth = 0);
    CHECK_CHANGE(box.extent.width = SIZE_MAX);
    CHECK_CHANGE(box.extent.height = SIZE_MAX);
    CHECK_CHANGE(box.extent.depth = SIZE_MAX);
    CHECK_CHANGE(box.extent.depth = 5);
    CHECK_CHANGE(box.srcAccessOrder = (CUmemcpySrcAccessOrder)0);
    CHECK_CHANGE(box.srcAccessOrder = (CUmemcpySrcAccessOrder)4);
    CHECK_CHANGE(box.flags = 2);
#undef CHECK_CHANGE
    box = box_of();
    check_result(cuMemcpy3DBatchAsync(1, &box, 1, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DBatchAsync(0, &box, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DBatchAsync(1, NULL, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DBatchAsync(1, &box, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check(place_is_right(&second));
}

/* A batch of three boxes whose last one is `bad`: the index that the older form tells. */
static size_t failed_box(CUDA_MEMCPY3D_BATCH_OP bad)
{
    CUresult (*older)(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long, CUstream) =
        NULL;
    CUDA_MEMCPY3D_BATCH_OP boxes[3] = {box_of(), box_of(), bad};
    size_t failed = 7;

    check_success(cuGetProcAddress("cuMemcpy3DBatchAsync", (void **)&older, 12080, 0, NULL));
    check_result(older(3, boxes, &failed, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy3DBatchAsync(3, boxes, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    return failed;
}

static CUmemcpy3DOperand array_operand(const struct place *array)
{
    CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};

    operand.op.array.array = array->array;
    return operand;
}

/* The description of every box is checked before the first is copied. */
TEST(a_bad_box_stops_the_whole_batch)
{
    CUDA_MEMCPY3D_BATCH_OP box;

    begin();
    struct place bytes = place_array(PLACE_ARRAY_2D, 1), words = place_array(PLACE_ARRAY_2D, 4);
    box = box_of();
    box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    check(failed_box(box) == 2 && place_is_right(&second));
    box = box_of();
    box.src.op.ptr.rowLength = 99;
    check(failed_box(box) == 2 && place_is_right(&second));
    box = box_of();
    box.extent.height = 0;
    check(failed_box(box) == 2 && place_is_right(&second));
    box = box_of();
    box.src = array_operand(&bytes);
    box.dst = array_operand(&words);
    box.extent = (CUextent3D){8, 2, 1};
    check(failed_box(box) == 2 && place_is_right(&second));
}

/* Memory is checked when its turn comes; the index of the copy is not told. */
TEST(boxes_before_one_beyond_its_memory_are_done)
{
    CUDA_MEMCPY3D_BATCH_OP box;
    struct side to, from;

    begin();
    struct place array = place_array(PLACE_ARRAY_2D, 4), other = place_array(PLACE_ARRAY_2D, 4);
    box = box_of();
    box.src.op.ptr.ptr = device.at + ROOM - 64;
    check(failed_box(box) == SIZE_MAX);
    to = (struct side){&second, 0, 0, 0, 0, 256, 16};
    from = (struct side){&device, 0, 0, 0, 0, 256, 16};
    model_copy(&to, &from, 100, 7, 2);
    check(place_is_right(&second));
    place_fill(&second);
    box = box_of();
    box.src = array_operand(&array);
    box.dst = array_operand(&other);
    box.extent = (CUextent3D){8, 2, 2};
    check(failed_box(box) == SIZE_MAX);
    model_copy(&to, &from, 100, 7, 2);
    check(place_is_right(&second));
}

TEST(boxes_with_arrays_count_in_elements)
{
    struct side to, from;

    begin();
    struct place array = place_array(PLACE_ARRAY_3D, 8);
    place_fill(&array);
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    box.dst = (CUmemcpy3DOperand){.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
    box.dst.op.array.array = array.array;
    box.dst.op.array.offset = (CUoffset3D){3, 2, 1};
    box.src.op.ptr.rowLength = 25;
    box.extent = (CUextent3D){20, 7, 2};
    check_success(cuMemcpy3DBatchAsync(1, &box, 0, stream));
    to = (struct side){&array, 0, 3 * 8, 2, 1, 0, 0};
    from = (struct side){&device, 0, 0, 0, 0, 25 * 8, 16};
    model_copy(&to, &from, 20 * 8, 7, 2);
    check(place_is_right(&array));
    box.dst.op.array.offset.x = 4;
    check_box_refused(box);
    box.dst.op.array.offset.x = SIZE_MAX;
    check_box_refused(box);
    box.dst.op.array.offset = (CUoffset3D){0};
    box.extent.width = 24;
    check_box_refused(box);
    box.extent.width = SIZE_MAX / 8 + 1;
    check_box_refused(box);
    only_cupipe();
    box.dst.op.array.array = NULL;
    check_box_refused(box);
}

TEST(arrays_of_a_batch_have_elements_of_one_size)
{
    begin();
    struct place bytes = place_array(PLACE_ARRAY_2D, 1), words = place_array(PLACE_ARRAY_2D, 4);
    struct place others = place_array(PLACE_ARRAY_2D, 4);
    CUDA_MEMCPY3D_BATCH_OP box = box_of();
    box.src = box.dst = (CUmemcpy3DOperand){.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
    box.src.op.array.array = bytes.array;
    box.dst.op.array.array = words.array;
    box.extent = (CUextent3D){8, 2, 1};
    check_box_refused(box);
    box.src.op.array.array = others.array;
    check_success(cuMemcpy3DBatchAsync(1, &box, 0, stream));
    check_success(cuStreamSynchronize(stream));
}

/* A lying host address is an error of the call that waits for it, and no crash. */
TEST(a_bad_pageable_source_is_an_error)
{
    begin();
    only_cupipe();
    srcs[1] = 1;
    check_result(batch(2, 1), CUDA_ERROR_INVALID_VALUE);
    attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    check_result(batch(2, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxSynchronize());
}
