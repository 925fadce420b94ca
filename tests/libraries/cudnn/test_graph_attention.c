/* SPDX-License-Identifier: MIT */
/* Attention as a graph of products, reductions and pointwise operations, as frontends build it. */
#include "graph_test.h"

#include <math.h>

enum { B = 2, H = 2, SQ = 5, SK = 7, D = 4 };

static float q[B * H * SQ * D], k[B * H * SK * D], v[B * H * SK * D], expected[B * H * SQ * D];

static void fill(float *values, int count, int seed)
{
    for (int i = 0; i < count; i++)
        values[i] = (float)((i * 37 + seed) % 19) / 10 - 0.9F;
}

/* softmax(scale * q k^T) v, with k's last `missing` positions of batch 1 left out. */
static void reference(float scale, int missing)
{
    for (int row = 0; row < B * H * SQ; row++) {
        int matrix = row / SQ, keys = SK - (matrix / H == 1 ? missing : 0);
        double weights[SK], sum = 0, out[D] = {0};

        for (int j = 0; j < keys; j++) {
            double score = 0;

            for (int d = 0; d < D; d++)
                score += (double)q[row * D + d] * (double)k[(matrix * SK + j) * D + d];
            weights[j] = exp(score * (double)scale);
            sum += weights[j];
        }
        for (int j = 0; j < keys; j++)
            for (int d = 0; d < D; d++)
                out[d] += weights[j] / sum * (double)v[(matrix * SK + j) * D + d];
        for (int d = 0; d < D; d++)
            expected[row * D + d] = (float)out[d];
    }
}

/* Keys are read transposed: dimensions b h d s. */
static descriptor transposed_keys(int64_t uid)
{
    const int64_t dims[4] = {B, H, D, SK}, strides[4] = {H * SK * D, SK * D, 1, D}, alignment = 16;
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    set_enum(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    check_done(cudnnBackendFinalize(made));
    return made;
}

static descriptor scores(int64_t uid)
{
    return tensor(uid, CUDNN_DATA_FLOAT, VIRTUAL, B, H, SQ, SK);
}

static descriptor row_of(int64_t uid)
{
    return tensor(uid, CUDNN_DATA_FLOAT, VIRTUAL, B, H, SQ, 1);
}

/* The columns from seq_len on become very negative: index, comparison, selection. */
static descriptor mask(descriptor given, descriptor masked, descriptor *operations)
{
    descriptor index = tensor(20, CUDNN_DATA_INT32, VIRTUAL, B, H, SQ, SK);
    descriptor inside = tensor(21, CUDNN_DATA_BOOLEAN, VIRTUAL, B, H, SQ, SK);
    descriptor length = tensor(8, CUDNN_DATA_INT32, REAL, B, 1, 1, 1);
    descriptor low = tensor(9, CUDNN_DATA_FLOAT, BY_VALUE, 1, 1, 1, 1);
    descriptor how = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    descriptor select = create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    descriptor count = create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    descriptor ways = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);

    set_enum(ways, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_GEN_INDEX);
    set_enum(ways, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_INT32);
    set(ways, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &(int64_t){3});
    check_done(cudnnBackendFinalize(ways));
    set_child(count, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, ways);
    set_child(count, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, given);
    set_child(count, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, index);
    check_done(cudnnBackendFinalize(count));
    set_enum(how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
             CUDNN_POINTWISE_BINARY_SELECT);
    set_enum(how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(how));
    set_child(select, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    set_child(select, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, given);
    set_child(select, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, low);
    set_child(select, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, inside);
    set_child(select, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, masked);
    check_done(cudnnBackendFinalize(select));
    operations[0] = count;
    operations[1] = pointwise(CUDNN_POINTWISE_CMP_LT, index, length, inside);
    operations[2] = select;
    return masked;
}

static int build(bool masked, descriptor *operations)
{
    descriptor product = scores(10), scaled = scores(11), shifted = scores(12);
    descriptor exponential = scores(13), weights = scores(14), largest = row_of(15);
    descriptor sum = row_of(16), softened = scaled;
    int count = 0;

    operations[count++] =
        matmul(tensor(1, CUDNN_DATA_FLOAT, REAL, B, H, SQ, D), transposed_keys(2), product);
    operations[count++] = pointwise(CUDNN_POINTWISE_MUL, product,
                                    tensor(7, CUDNN_DATA_FLOAT, BY_VALUE, 1, 1, 1, 1), scaled);
    if (masked) {
        softened = mask(scaled, scores(22), &operations[count]);
        count += 3;
    }
    operations[count++] = reduction(CUDNN_REDUCE_TENSOR_MAX, softened, largest);
    operations[count++] = pointwise(CUDNN_POINTWISE_SUB, softened, largest, shifted);
    operations[count++] = pointwise(CUDNN_POINTWISE_EXP, shifted, NULL, exponential);
    operations[count++] = reduction(CUDNN_REDUCE_TENSOR_ADD, exponential, sum);
    operations[count++] = pointwise(CUDNN_POINTWISE_DIV, exponential, sum, weights);
    operations[count++] = matmul(weights, tensor(3, CUDNN_DATA_FLOAT, REAL, B, H, SK, D),
                                 tensor(4, CUDNN_DATA_FLOAT, REAL, B, H, SQ, D));
    return count;
}

/* `missing` positions of batch 1 are masked with `low`. */
static void compare(bool masked, int missing, float low)
{
    cudnnHandle_t handle = open_handle();
    static const int64_t uids[7] = {1, 2, 3, 4, 7, 8, 9};
    const int32_t lengths[B] = {SK, SK - missing};
    float scale = 0.5F, got[B * H * SQ * D];
    descriptor operations[16];
    void *pointers[7];

    only_cupipe();
    fill(q, B * H * SQ * D, 1);
    fill(k, B * H * SK * D, 5);
    fill(v, B * H * SK * D, 9);
    reference(scale, missing);
    pointers[0] = device_memory(sizeof(q), q);
    pointers[1] = device_memory(sizeof(k), k);
    pointers[2] = device_memory(sizeof(v), v);
    pointers[3] = device_memory(sizeof(got), NULL);
    pointers[4] = &scale;
    pointers[5] = device_memory(sizeof(lengths), lengths);
    pointers[6] = &low;
    run_graph(handle, build(masked, operations), operations, masked ? 7 : 5, uids, pointers);
    fetch(got, pointers[3], sizeof(got));
    for (int i = 0; i < B * H * SQ * D; i++)
        check(fabsf(got[i] - expected[i]) < 1e-5F);
}

TEST(attention_is_that_of_a_plain_loop)
{
    compare(false, 0, 0);
}

TEST(masked_attention_is_that_of_a_plain_loop)
{
    compare(true, 3, -1e9F);
}

TEST(rows_that_are_masked_whole_are_zero)
{
    compare(true, SK, -INFINITY);
}

TEST(rows_that_are_masked_with_the_lowest_float_are_zero)
{
    compare(true, SK, -3.402823466e38F);
}

/* Heads that share keys: the gradients of four heads become those of two. */
TEST(a_reduction_keeps_groups)
{
    cudnnHandle_t handle = open_handle();
    static const int64_t uids[2] = {1, 2};
    float x[4 * 3], got[2 * 3];
    descriptor operation;
    void *pointers[2];

    only_cupipe();
    fill(x, 4 * 3, 3);
    operation = reduction(CUDNN_REDUCE_TENSOR_ADD, tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 4, 1, 3),
                          tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 2, 1, 3));
    pointers[0] = device_memory(sizeof(x), x);
    pointers[1] = device_memory(sizeof(got), NULL);
    run_graph(handle, 1, &operation, 2, uids, pointers);
    fetch(got, pointers[1], sizeof(got));
    for (int i = 0; i < 2 * 3; i++)
        check(fabsf(got[i] - x[i / 3 * 6 + i % 3] - x[i / 3 * 6 + 3 + i % 3]) < 1e-6F);
}

/* A virtual result that is described by the smaller of two operands has the dimensions of both. */
TEST(virtual_results_are_as_large_as_their_operands)
{
    cudnnHandle_t handle = open_handle();
    static const int64_t uids[3] = {1, 2, 4};
    float x[2] = {1, 2}, b[6] = {1, 2, 3, 4, 5, 6}, got[6];
    descriptor half, operations[2];
    void *pointers[3];

    only_cupipe();
    half = tensor(3, CUDNN_DATA_FLOAT, VIRTUAL, 1, 2, 1, 1);
    operations[0] = pointwise(CUDNN_POINTWISE_ADD, tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 2, 1, 1),
                              tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 2, 3, 1), half);
    operations[1] =
        pointwise(CUDNN_POINTWISE_NEG, half, NULL, tensor(4, CUDNN_DATA_FLOAT, REAL, 1, 2, 3, 1));
    pointers[0] = device_memory(sizeof(x), x);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[2] = device_memory(sizeof(got), NULL);
    run_graph(handle, 2, operations, 3, uids, pointers);
    fetch(got, pointers[2], sizeof(got));
    for (int i = 0; i < 6; i++)
        check(got[i] == -(x[i / 3] + b[i]));
}

/* Differences that f32 does not see decide over these rows. */
TEST(a_softmax_of_f64_is_written_out_in_f64)
{
    enum { ROWS = 2, COLUMNS = 3 };
    const double in[ROWS * COLUMNS] = {1, 1 + 1e-10, 1 - 1e-10, 1e9, 1e9 + 0.5, 1e9 - 1};
    double out[ROWS * COLUMNS];
    cudnnHandle_t handle = open_handle();
    descriptor x = tensor(1, CUDNN_DATA_DOUBLE, REAL, 1, 1, ROWS, COLUMNS);
    descriptor y = tensor(2, CUDNN_DATA_DOUBLE, REAL, 1, 1, ROWS, COLUMNS);
    descriptor most = tensor(3, CUDNN_DATA_DOUBLE, VIRTUAL, 1, 1, ROWS, 1);
    descriptor shifted = tensor(4, CUDNN_DATA_DOUBLE, VIRTUAL, 1, 1, ROWS, COLUMNS);
    descriptor powers = tensor(5, CUDNN_DATA_DOUBLE, VIRTUAL, 1, 1, ROWS, COLUMNS);
    descriptor sums = tensor(6, CUDNN_DATA_DOUBLE, VIRTUAL, 1, 1, ROWS, 1);
    const int64_t uids[] = {1, 2};
    void *pointers[] = {device_memory(sizeof(in), in), device_memory(sizeof(out), NULL)};
    descriptor operations[5];

    only_cupipe(); /* NVIDIA's engines take no f64 here */
    operations[0] = reduction(CUDNN_REDUCE_TENSOR_MAX, x, most);
    operations[1] = pointwise(CUDNN_POINTWISE_SUB, x, most, shifted);
    operations[2] = pointwise(CUDNN_POINTWISE_EXP, shifted, NULL, powers);
    operations[3] = reduction(CUDNN_REDUCE_TENSOR_ADD, powers, sums);
    operations[4] = pointwise(CUDNN_POINTWISE_DIV, powers, sums, y);
    run_graph(handle, 5, operations, 2, uids, pointers);
    fetch(out, pointers[1], sizeof(out));
    for (int row = 0; row < ROWS; row++) {
        const double *from = in + row * COLUMNS;
        double sum = 0;

        for (int i = 0; i < COLUMNS; i++)
            sum += exp(from[i] - from[1]);
        for (int i = 0; i < COLUMNS; i++)
            check(fabs(out[row * COLUMNS + i] - exp(from[i] - from[1]) / sum) < 1e-13);
    }
}

/* Gradients of attention multiply by a transposed matrix, which is a reshape to a tensor whose
 * strides have changed places: it is another view of the same memory. */
TEST(a_reshape_is_a_view_of_memory)
{
    const int64_t dims[4] = {1, 1, 3, 2}, strides[4] = {6, 6, 1, 3}, uid = 2, alignment = 16;
    const int64_t uids[] = {1, 3};
    const char is_virtual = 1;
    const float in[6] = {1, 2, 3, 4, 5, 6};
    float out[6];
    cudnnHandle_t handle = open_handle();
    descriptor turned, operations[2];
    void *pointers[] = {device_memory(sizeof(in), in), device_memory(sizeof(out), NULL)};

    only_cupipe(); /* NVIDIA's engines take no such graph alone */
    turned = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    set(turned, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    set_enum(turned, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    set(turned, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
    set(turned, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(turned, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(turned, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
    check_done(cudnnBackendFinalize(turned));
    operations[0] = create(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    set_child(operations[0], CUDNN_ATTR_OPERATION_RESHAPE_XDESC,
              tensor(1, CUDNN_DATA_FLOAT, REAL, 1, 1, 2, 3));
    set_child(operations[0], CUDNN_ATTR_OPERATION_RESHAPE_YDESC, turned);
    check_done(cudnnBackendFinalize(operations[0]));
    operations[1] = pointwise(CUDNN_POINTWISE_IDENTITY, turned, NULL,
                              tensor(3, CUDNN_DATA_FLOAT, REAL, 1, 1, 3, 2));
    run_graph(handle, 2, operations, 2, uids, pointers);
    fetch(out, pointers[1], sizeof(out));
    for (int i = 0; i < 6; i++)
        check(out[i] == in[i % 2 * 3 + i / 2]);
}
