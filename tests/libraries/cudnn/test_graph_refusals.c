/* SPDX-License-Identifier: MIT */
/* What cannot run is refused when it is finalised, not when it runs; and what looks odd but is not
 * wrong runs. */
#include "graph_test.h"

static descriptor bare(cudnnBackendDescriptorType_t type, int count,
                       const cudnnBackendAttributeName_t *names, const descriptor *tensors)
{
    descriptor made = create(type);

    for (int i = 0; i < count; i++)
        set_child(made, names[i], tensors[i]);
    return made;
}

static void check_refused(descriptor made)
{
    check(cudnnBackendFinalize(made) != CUDNN_STATUS_SUCCESS);
    check_done(cudnnBackendDestroyDescriptor(made));
}

static descriptor shaped(int64_t uid, cudnnDataType_t type, int rank, const int64_t *dims,
                         const int64_t *strides)
{
    const int64_t alignment = 16;
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    set_enum(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, (int)type);
    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank, dims);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank, strides);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    return made;
}

static descriptor convolution_of(int64_t spatial)
{
    static const int64_t ones[] = {1, 1, 1, 1, 1, 1}, zeros[6];
    descriptor made = create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);

    set_enum(made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    set_enum(made, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
             CUDNN_CROSS_CORRELATION);
    set(made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial);
    set(made, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, spatial, ones);
    set(made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, spatial, ones);
    set(made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, spatial, zeros);
    set(made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, spatial, zeros);
    check_done(cudnnBackendFinalize(made));
    return made;
}

static descriptor forward_of(descriptor how, descriptor x, descriptor w, descriptor y)
{
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
    const descriptor tensors[] = {how, x, w, y};

    return bare(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 4, names, tensors);
}

TEST(a_filter_of_more_channels_than_the_image_is_refused)
{
    open_handle();
    check_refused(forward_of(convolution_of(2), tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 2, 4, 4),
                             tensor(2, CUDNN_DATA_FLOAT, REAL, 4, 4, 1, 1),
                             tensor(3, CUDNN_DATA_FLOAT, REAL, 1, 4, 4, 4)));
}

TEST(a_convolution_of_four_spatial_dimensions_is_refused)
{
    static const int64_t dims[] = {1, 1, 2, 2, 2, 2}, strides[] = {16, 16, 8, 4, 2, 1};
    static const int64_t ones[] = {1, 1, 1, 1, 1, 1};
    descriptor x = shaped(1, CUDNN_DATA_FLOAT, 6, dims, strides);
    descriptor w = shaped(2, CUDNN_DATA_FLOAT, 6, ones, ones);
    descriptor y = shaped(3, CUDNN_DATA_FLOAT, 6, dims, strides);

    open_handle();
    check_done(cudnnBackendFinalize(x));
    check_done(cudnnBackendFinalize(w));
    check_done(cudnnBackendFinalize(y));
    check_refused(forward_of(convolution_of(4), x, w, y));
}

static descriptor pointwise_of(int mode)
{
    descriptor how = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);

    set_enum(how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    set_enum(how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(how));
    return how;
}

TEST(a_pointwise_operation_without_operand_is_refused)
{
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_YDESC};
    descriptor tensors[2];

    open_handle();
    tensors[0] = pointwise_of(CUDNN_POINTWISE_RELU_FWD);
    tensors[1] = tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 2, 4, 4);
    check_refused(bare(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 2, names, tensors));
}

TEST(attention_with_a_result_of_another_shape_is_refused)
{
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC};
    descriptor tensors[4];

    open_handle();
    for (int i = 0; i < 4; i++)
        tensors[i] = tensor(i + 1, CUDNN_DATA_HALF, REAL, 2, 2, i == 3 ? 4 : 8, 16);
    check_refused(bare(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, 4, names, tensors));
}

TEST(a_ragged_tensor_needs_the_end_of_its_last_batch)
{
    static const int64_t dims[] = {3, 1, 4, 8}, strides[] = {32, 32, 8, 1};
    descriptor ragged = shaped(1, CUDNN_DATA_HALF, 4, dims, strides);

    open_handle();
    set_child(ragged, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC,
              tensor(2, CUDNN_DATA_INT32, REAL, 3, 1, 1, 1));
    check_refused(ragged);
}

/* NVIDIA's takes such a tensor. cupipe refuses it, so that numbers of elements and bytes fit into
 * 64 bits from then on. */
TEST(a_tensor_larger_than_memory_can_be_is_refused)
{
    static const int64_t dims[] = {1 << 30, 1 << 30, 1 << 30, 1}, strides[] = {1, 1, 1, 1};

    open_handle();
    only_cupipe();
    check_refused(shaped(1, CUDNN_DATA_FLOAT, 4, dims, strides));
}

TEST(a_product_of_vectors_is_refused)
{
    static const int64_t dims[] = {1, 4, 4}, strides[] = {16, 4, 1}, vector = 4, axis = 2;
    static const int64_t fewer[] = {1, 4, 1}, close[] = {4, 1, 1};
    descriptor a = shaped(1, CUDNN_DATA_INT8, 3, fewer, close),
               how = create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    descriptor b = shaped(2, CUDNN_DATA_INT8, 3, dims, strides);
    descriptor c = shaped(3, CUDNN_DATA_INT32, 3, dims, strides);
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_ATTR_OPERATION_MATMUL_ADESC,
        CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_ATTR_OPERATION_MATMUL_CDESC};
    descriptor tensors[4] = {how, a, b, c};

    open_handle();
    set(a, CUDNN_ATTR_TENSOR_VECTOR_COUNT, CUDNN_TYPE_INT64, 1, &vector);
    set(a, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, CUDNN_TYPE_INT64, 1, &axis);
    for (int i = 0; i < 4; i++)
        check_done(cudnnBackendFinalize(tensors[i]));
    check_refused(bare(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 4, names, tensors));
}

/* NVIDIA's takes the graph. Two layouts of one memory have no meaning that its manual gives, so
 * cupipe does not guess one. */
TEST(tensors_of_one_id_have_the_same_strides)
{
    static const int64_t dims[] = {1, 1, 4, 4}, rows[] = {16, 16, 4, 1}, columns[] = {16, 16, 1, 4};
    cudnnHandle_t handle = open_handle();
    descriptor x = shaped(1, CUDNN_DATA_FLOAT, 4, dims, rows);
    descriptor turned = shaped(1, CUDNN_DATA_FLOAT, 4, dims, columns), operation, graph;

    only_cupipe();
    check_done(cudnnBackendFinalize(x));
    check_done(cudnnBackendFinalize(turned));
    operation =
        pointwise(CUDNN_POINTWISE_ADD, x, turned, tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 1, 4, 4));
    graph = graph_of(handle, 1, &operation);
    check_refused(graph);
}

/* NVIDIA's takes the operation. An average has no place that indices could tell, so cupipe refuses
 * it. */
TEST(indices_of_an_average_are_refused)
{
    const int64_t spatial = 2, window[] = {2, 2}, zeros[] = {0, 0};
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC,
        CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC};
    descriptor how = create(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR), tensors[4];

    open_handle();
    only_cupipe();
    set_enum(how, CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, CUDNN_RESAMPLE_AVGPOOL);
    set_enum(how, CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    set(how, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial);
    set(how, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_INT64, 2, window);
    set(how, CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_INT64, 2, window);
    set(how, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, zeros);
    set(how, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_TYPE_INT64, 2, zeros);
    check_done(cudnnBackendFinalize(how));
    tensors[0] = tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 1, 4, 4);
    tensors[1] = tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 1, 2, 2);
    tensors[2] = tensor(3, CUDNN_DATA_INT8, REAL, 1, 1, 2, 2);
    tensors[3] = how;
    check_refused(bare(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR, 4, names, tensors));
}

/* Sums that nobody asks for: both results of the operation are there all the same. */
TEST(a_virtual_result_may_be_read_by_nobody)
{
    static const cudnnBackendAttributeName_t names[] = {CUDNN_ATTR_OPERATION_GENSTATS_XDESC,
                                                        CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC,
                                                        CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC};
    static const int64_t uids[] = {1, 2};
    cudnnHandle_t handle = open_handle();
    float x[16], sums[2];
    void *memory[2];
    descriptor operation, tensors[3];

    only_cupipe(); /* others want more of a graph */
    for (int i = 0; i < 16; i++)
        x[i] = (float)i;
    memory[0] = device_memory(sizeof(x), x);
    memory[1] = device_memory(sizeof(sums), NULL);
    tensors[0] = tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 2, 2, 4);
    tensors[1] = tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 2, 1, 1);
    tensors[2] = tensor(3, CUDNN_DATA_FLOAT, VIRTUAL, 1, 2, 1, 1);
    operation = bare(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR, 3, names, tensors);
    set_enum(operation, CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE,
             CUDNN_GENSTATS_SUM_SQSUM);
    set_enum(operation, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
             CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(operation));
    run_graph(handle, 1, &operation, 2, uids, memory);
    fetch(sums, memory[1], sizeof(sums));
    check(sums[0] == 28 && sums[1] == 92);
}

TEST(booleans_may_be_read_and_written_in_place)
{
    static const int64_t uids[] = {1};
    cudnnHandle_t handle = open_handle();
    unsigned char bits[] = {0x5a, 0x0f};
    void *memory;
    descriptor x, operation;

    only_cupipe();
    memory = device_memory(sizeof(bits), bits);
    x = tensor(1, CUDNN_DATA_BOOLEAN, REAL, 1, 1, 1, 16);
    operation = pointwise(CUDNN_POINTWISE_LOGICAL_NOT, x, NULL, x);
    run_graph(handle, 1, &operation, 1, uids, &memory);
    fetch(bits, memory, sizeof(bits));
    check(bits[0] == 0xa5 && bits[1] == 0xf0);
}

/* Pages that the cache does not have hold nothing: keys and values of zeros. */
TEST(pages_outside_of_the_cache_are_empty)
{
    enum { Q = 1, K, V, O, TABLE_K, TABLE_V, UIDS, NUMBERS = 2 * 8 * 16 };
    static const cudnnBackendAttributeName_t names[] = {
        CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC,
        CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC};
    static const int64_t uids[] = {Q, K, V, O, TABLE_K, TABLE_V};
    static const int32_t table[] = {1 << 30, -5};
    cudnnHandle_t handle = open_handle();
    float numbers[NUMBERS];
    void *memory[UIDS - 1];
    descriptor operation, tensors[UIDS - 1];

    only_cupipe();
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (float)(i % 7);
    for (int i = 0; i < 4; i++) {
        memory[i] = device_memory(sizeof(numbers), numbers);
        tensors[i] = tensor(i + 1, CUDNN_DATA_FLOAT, REAL, i == 0 || i == 3 ? 1 : 2, 1, 8, 16);
    }
    for (int i = 4; i < 6; i++) {
        memory[i] = device_memory(sizeof(table), table);
        tensors[i] = tensor(i + 1, CUDNN_DATA_INT32, REAL, 1, 1, 2, 1);
    }
    operation = bare(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, 6, names, tensors);
    check_done(cudnnBackendFinalize(operation));
    run_graph(handle, 1, &operation, 6, uids, memory);
    fetch(numbers, memory[3], 8 * 16 * sizeof(*numbers));
    for (int i = 0; i < 8 * 16; i++)
        check(numbers[i] == 0);
}
