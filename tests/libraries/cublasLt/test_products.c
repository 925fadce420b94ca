/* SPDX-License-Identifier: MIT */
/* Values of products and their epilogues, and how products lie in streams and graphs. */
#include "products.h"

static const float one = 1, zero = 0, two = 2;

static void read_d(struct products *products)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(products->d, products->device_d, sizeof(products->d)));
}

TEST(product_is_the_sum_over_k)
{
    struct products products;

    products_init(&products);
    check_ok(multiply(&products, &two, &zero, NULL));
    read_d(&products);
    for (int i = 0; i < D_COUNT; i++)
        check_near(products.d[i], 2 * sum_at(&products, i % ROWS, i / ROWS), "D");
    products_finish(&products);
}

TEST(beta_adds_c_and_factors_may_be_on_the_device)
{
    int mode = CUBLASLT_POINTER_MODE_DEVICE;
    struct products products;
    CUdeviceptr factors;
    float host[2] = {2, 3};

    products_init(&products);
    factors = upload(host, sizeof(host));
    check_ok(multiply(&products, &one, &zero, NULL));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof(mode));
    check_ok(multiply(&products, (void *)factors, (void *)(factors + sizeof(float)), NULL));
    read_d(&products);
    for (int i = 0; i < D_COUNT; i++)
        check_near(products.d[i], 5 * sum_at(&products, i % ROWS, i / ROWS), "D");
    check_success(cuMemFree(factors));
    products_finish(&products);
}

static double activated(int epilogue, double x)
{
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return x < 0 ? 0 : x;
    if (epilogue & CUBLASLT_EPILOGUE_GELU)
        return 0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)));
    return x;
}

TEST(epilogues_add_a_bias_and_activate)
{
    static const int epilogues[] = {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS,
                                    CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
                                    CUBLASLT_EPILOGUE_GELU_BIAS};
    struct products products;
    float bias[ROWS];
    CUdeviceptr memory;

    products_init(&products);
    for (int i = 0; i < ROWS; i++)
        bias[i] = (float)i / 4 - 1;
    memory = upload(bias, sizeof(bias));
    for (size_t e = 0; e < sizeof(epilogues) / sizeof(*epilogues); e++) {
        const CUdeviceptr used = epilogues[e] & CUBLASLT_EPILOGUE_BIAS ? memory : 0;

        set_attribute(&products, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &used, sizeof(used));
        set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogues[e], sizeof(int));
        check_ok(multiply(&products, &one, &zero, NULL));
        read_d(&products);
        for (int i = 0; i < D_COUNT; i++) {
            double x = sum_at(&products, i % ROWS, i / ROWS);

            if (epilogues[e] & CUBLASLT_EPILOGUE_BIAS)
                x += bias[i % ROWS];
            check_near(products.d[i], activated(epilogues[e], x), "epilogue");
        }
    }
    check_success(cuMemFree(memory));
    products_finish(&products);
}

/* The mask of RELU_AUX is what DRELU reads, and DRELU_BGRAD sums the rows of what it leaves. */
TEST(gradients_undo_activations)
{
    enum { MASK_LD = 128 };
    int forward = CUBLASLT_EPILOGUE_RELU_AUX, backward = CUBLASLT_EPILOGUE_DRELU_BGRAD;
    int64_t ld = MASK_LD;
    uint8_t mask[MASK_LD / 8 * COLUMNS] = {0};
    float sums[ROWS] = {0};
    struct products products;
    CUdeviceptr aux, bias;

    products_init(&products);
    aux = upload(mask, sizeof(mask));
    bias = upload(sums, sizeof(sums));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof(aux));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof(ld));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE, &forward, sizeof(forward));
    check_ok(multiply(&products, &one, &zero, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(mask, aux, sizeof(mask)));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE, &backward, sizeof(backward));
    check_ok(multiply(&products, &two, &zero, NULL));
    read_d(&products);
    check_success(cuMemcpyDtoH(sums, bias, sizeof(sums)));
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;

        for (int column = 0; column < COLUMNS; column++) {
            double x = sum_at(&products, row, column);

            check((mask[column * MASK_LD / 8 + row / 8] >> row % 8 & 1) == (x >= 0));
            check_near(products.d[column * ROWS + row], x > 0 ? 2 * x : 0, "gradient");
            sum += x > 0 ? 2 * x : 0;
        }
        check_near(sums[row], sum, "gradient of the bias");
    }
    check_success(cuMemFree(aux));
    check_success(cuMemFree(bias));
    products_finish(&products);
}

TEST(gradients_of_a_bias_are_sums_of_operands)
{
    int epilogues[] = {CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB},
        transposed = CUBLAS_OP_T;
    uint64_t rows = COLUMNS, columns = DEPTH;
    int64_t ld = COLUMNS;
    struct products products;
    float sums[ROWS] = {0};
    CUdeviceptr memory;

    products_init(&products);
    memory = upload(sums, sizeof(sums));
    check_ok(cublasLtMatrixLayoutSetAttribute(products.b_layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows,
                                              sizeof(rows)));
    check_ok(cublasLtMatrixLayoutSetAttribute(products.b_layout, CUBLASLT_MATRIX_LAYOUT_COLS,
                                              &columns, sizeof(columns)));
    check_ok(cublasLtMatrixLayoutSetAttribute(products.b_layout, CUBLASLT_MATRIX_LAYOUT_LD, &ld,
                                              sizeof(ld)));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_TRANSB, &transposed, sizeof(transposed));
    set_attribute(&products, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &memory, sizeof(memory));
    for (int e = 0; e < 2; e++) {
        set_attribute(&products, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogues[e], sizeof(int));
        check_ok(multiply(&products, &one, &zero, NULL));
        check_success(cuCtxSynchronize());
        check_success(cuMemcpyDtoH(sums, memory, sizeof(sums)));
        for (int i = 0; i < (e ? COLUMNS : ROWS); i++) {
            double sum = 0;

            for (int p = 0; p < DEPTH; p++)
                sum += e ? products.b[p * COLUMNS + i] : products.a[p * ROWS + i];
            check_near(sums[i], sum, "sum");
        }
    }
    check_success(cuMemFree(memory));
    products_finish(&products);
}

TEST(rows_are_an_order)
{
    int order = CUBLASLT_ORDER_ROW;
    int64_t ld = COLUMNS;
    struct products products;

    products_init(&products);
    check_ok(cublasLtMatrixLayoutSetAttribute(products.d_layout, CUBLASLT_MATRIX_LAYOUT_ORDER,
                                              &order, sizeof(order)));
    check_ok(cublasLtMatrixLayoutSetAttribute(products.d_layout, CUBLASLT_MATRIX_LAYOUT_LD, &ld,
                                              sizeof(ld)));
    check_ok(multiply(&products, &one, &zero, NULL));
    read_d(&products);
    for (int i = 0; i < D_COUNT; i++)
        check_near(products.d[i], sum_at(&products, i / COLUMNS, i % COLUMNS), "D");
    products_finish(&products);
}

TEST(a_graph_repeats_the_product)
{
    struct products products;
    CUgraphExec executable;
    CUstream stream;
    CUgraph graph;

    products_init(&products);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_ok(multiply(&products, &one, &one, stream));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        check_success(cuGraphLaunch(executable, stream));
    read_d(&products);
    for (int i = 0; i < D_COUNT; i++)
        check_near(products.d[i], 3 * sum_at(&products, i % ROWS, i / ROWS), "D");
    check_success(cuGraphExecDestroy(executable));
    check_success(cuGraphDestroy(graph));
    check_success(cuStreamDestroy(stream));
    products_finish(&products);
}

/* Scales of fp8 multiply: A's and B's the sum, D's what is stored; the largest magnitude is taken
 * before D's. */
TEST(fp8_has_scales_and_a_largest_magnitude)
{
    enum { N = 32, E4M3_ONE = 0x38, E4M3_TWO = 0x40 };
    int transposed = CUBLAS_OP_T;
    uint8_t ones[N * N], result[N * N];
    float factors[64 * 4] = {0};
    uint16_t c[N * N] = {0};
    CUdeviceptr a, d, c_memory, scales, scale[4];
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t in, middle, out;
    cublasLtHandle_t handle;
    float largest;

    with_context();
    memset(ones, E4M3_ONE, sizeof(ones));
    factors[0] = 0.5f;
    factors[64] = 0.25f;
    factors[128] = 0.5f;
    a = upload(ones, sizeof(ones));
    d = upload(ones, sizeof(ones));
    c_memory = upload(c, sizeof(c));
    scales = upload(factors, sizeof(factors));
    for (int i = 0; i < 4; i++)
        scale[i] = scales + (CUdeviceptr)i * 64 * sizeof(float);
    check_ok(cublasLtCreate(&handle));
    check_ok(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, 4));
    check_ok(
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale[0], 8));
    check_ok(
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale[1], 8));
    check_ok(
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, &scale[2], 8));
    check_ok(
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &scale[3], 8));
    check_ok(cublasLtMatrixLayoutCreate(&in, CUDA_R_8F_E4M3, N, N, N));
    check_ok(cublasLtMatrixLayoutCreate(&middle, CUDA_R_16BF, N, N, N));
    check_ok(cublasLtMatrixLayoutCreate(&out, CUDA_R_8F_E4M3, N, N, N));
    check_ok(cublasLtMatmul(handle, desc, &one, (void *)a, in, (void *)a, in, &zero,
                            (void *)c_memory, middle, (void *)d, out, NULL, NULL, 0, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(result, d, sizeof(result)));
    check_success(cuMemcpyDtoH(&largest, scale[3], sizeof(largest)));
    for (int i = 0; i < N * N; i++)
        check(result[i] == E4M3_TWO);
    check(largest == 4);
}

TEST(a_transform_changes_order_and_type)
{
    int row = CUBLASLT_ORDER_ROW;
    float in[D_COUNT];
    uint16_t out[D_COUNT]; /* bf16: the upper half of an f32 that needs no more */
    cublasLtMatrixTransformDesc_t desc;
    cublasLtMatrixLayout_t from, to;
    cublasLtHandle_t handle;
    CUdeviceptr a, c;

    with_context();
    for (int i = 0; i < D_COUNT; i++)
        in[i] = (float)(i - 60);
    a = upload(in, sizeof(in));
    check_success(cuMemAlloc(&c, sizeof(out)));
    check_ok(cublasLtCreate(&handle));
    check_ok(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F));
    check_ok(cublasLtMatrixLayoutCreate(&from, CUDA_R_32F, ROWS, COLUMNS, ROWS));
    check_ok(cublasLtMatrixLayoutCreate(&to, CUDA_R_16BF, ROWS, COLUMNS, COLUMNS));
    check_ok(cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_ORDER, &row, 4));
    check_ok(cublasLtMatrixTransform(handle, desc, &two, (void *)a, from, &zero, NULL, NULL,
                                     (void *)c, to, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(out, c, sizeof(out)));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float wanted = 2 * in[j * ROWS + i];
            uint32_t bits;

            memcpy(&bits, &wanted, sizeof(bits));
            check(out[i * COLUMNS + j] == bits >> 16);
        }
}

/* Where some elements of a matrix of 64 x 64 lie, as an H200 put them: memory index, row, column.
 */
TEST(tensor_orders_are_those_of_the_card)
{
    enum { SIDE = 64, PANEL_LD = 32 * SIDE };
    static const struct {
        int order, index, row, column;
    } places[] = {
        {CUBLASLT_ORDER_COL32, 33, 1, 1},         {CUBLASLT_ORDER_COL32, 2048, 0, 32},
        {CUBLASLT_ORDER_COL4_4R2_8C, 4, 2, 0},    {CUBLASLT_ORDER_COL4_4R2_8C, 16, 0, 4},
        {CUBLASLT_ORDER_COL4_4R2_8C, 64, 0, 16},  {CUBLASLT_ORDER_COL4_4R2_8C, 128, 1, 0},
        {CUBLASLT_ORDER_COL4_4R2_8C, 143, 7, 3},  {CUBLASLT_ORDER_COL32_2R_4R4, 32, 1, 0},
        {CUBLASLT_ORDER_COL32_2R_4R4, 64, 8, 0},  {CUBLASLT_ORDER_COL32_2R_4R4, 193, 24, 1},
        {CUBLASLT_ORDER_COL32_2R_4R4, 256, 2, 0},
    };
    static int8_t in[2][SIDE * SIDE], out[2][SIDE * SIDE]; /* the column, the row */
    cublasLtMatrixTransformDesc_t desc;
    cublasLtMatrixLayout_t from, to;
    cublasLtHandle_t handle;
    CUdeviceptr a, c;

    with_context();
    for (int i = 0; i < SIDE * SIDE; i++) {
        in[0][i] = (int8_t)(i / SIDE);
        in[1][i] = (int8_t)(i % SIDE);
    }
    a = upload(in, sizeof(in));
    c = upload(out, sizeof(out));
    check_ok(cublasLtCreate(&handle));
    check_ok(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F));
    check_ok(cublasLtMatrixLayoutCreate(&from, CUDA_R_8I, SIDE, SIDE, SIDE));
    check_ok(cublasLtMatrixLayoutCreate(&to, CUDA_R_8I, SIDE, SIDE, PANEL_LD));
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        check_ok(cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_ORDER,
                                                  &places[i].order, sizeof(int)));
        for (int k = 0; k < 2; k++)
            check_ok(cublasLtMatrixTransform(
                handle, desc, &one, (void *)(a + (CUdeviceptr)k * SIDE * SIDE), from, &zero, NULL,
                NULL, (void *)(c + (CUdeviceptr)k * SIDE * SIDE), to, NULL));
        check_success(cuCtxSynchronize());
        check_success(cuMemcpyDtoH(out, c, sizeof(out)));
        check(out[0][places[i].index] == places[i].column);
        check(out[1][places[i].index] == places[i].row);
    }
    check_ok(cublasLtMatrixLayoutDestroy(from));
    check_ok(cublasLtMatrixLayoutCreate(&from, CUDA_R_32F, SIDE, SIDE, SIDE));
    check_ok(cublasLtMatrixLayoutCreate(&to, CUDA_R_32F, SIDE, SIDE, PANEL_LD));
    check_ok(cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_ORDER, &places[0].order,
                                              sizeof(int)));
    check_status(cublasLtMatrixTransform(handle, desc, &one, (void *)a, from, &zero, NULL, NULL,
                                         (void *)c, to, NULL),
                 CUBLAS_STATUS_NOT_SUPPORTED); /* of integers alone */
}

/* One row of A and one column of B, all ones, but for one factor: it belongs to one element of D.
 */
TEST(fp8_has_scales_of_blocks)
{
    enum { M = 256, N = 160, K = 384, E4M3_ONE = 0x38, BLOCK = 128, FACTORS = 1024 };
    static const struct {
        int a, b;
        int a_index, b_index; /* of row 130 and column 131 in block 2 of k */
    } modes[] = {
        {CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
         2 * M + 130, 2 * N + 131},
        {CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F,
         2 * M + 130, 1 * 4 + 2},
        {CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
         1 * 4 + 2, 2 * N + 131},
    };
    static uint8_t ones[M * K];
    static float factors[2][FACTORS], result[M * N];
    int transposed = CUBLAS_OP_T;
    cublasLtMatrixLayout_t a_layout, b_layout, d_layout;
    cublasLtMatmulDesc_t desc;
    cublasLtHandle_t handle;

    with_context();
    memset(ones, E4M3_ONE, sizeof(ones));
    check_ok(cublasLtCreate(&handle));
    check_ok(cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_8F_E4M3, K, M, K));
    check_ok(cublasLtMatrixLayoutCreate(&b_layout, CUDA_R_8F_E4M3, K, N, K));
    check_ok(cublasLtMatrixLayoutCreate(&d_layout, CUDA_R_32F, M, N, M));
    check_ok(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, 4));
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        CUdeviceptr a = upload(ones, sizeof(ones)), b = upload(ones, sizeof(ones)), d, scales[2];

        for (int k = 0; k < FACTORS; k++)
            factors[0][k] = factors[1][k] = 1;
        factors[0][modes[i].a_index] = 3;
        factors[1][modes[i].b_index] = 5;
        d = upload(result, sizeof(result));
        for (int k = 0; k < 2; k++)
            scales[k] = upload(factors[k], sizeof(factors[k]));
        check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
                                                &scales[0], 8));
        check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                                                &scales[1], 8));
        check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
                                                &modes[i].a, 4));
        check_ok(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
                                                &modes[i].b, 4));
        check_ok(cublasLtMatmul(handle, desc, &one, (void *)a, a_layout, (void *)b, b_layout, &zero,
                                (void *)d, d_layout, (void *)d, d_layout, NULL, NULL, 0, NULL));
        check_success(cuCtxSynchronize());
        check_success(cuMemcpyDtoH(result, d, sizeof(result)));
        check(result[0] == K);
        check(result[131 * M + 130] == K - BLOCK + 15 * BLOCK);
    }
}

TEST(complex_f16_lies_in_planes)
{
    enum { N = 16, F16_ONE = 0x3c00, F16_32 = 0x5000 };
    static uint16_t planes[2 * N * N], result[2 * N * N];
    static const float complex_one[2] = {1, 0}, complex_zero[2];
    int64_t offset = N * N * 2;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t layout;
    cublasLtHandle_t handle;
    CUdeviceptr a, d;

    with_context();
    for (int i = 0; i < N * N; i++) /* 1 + i times 1 + i is 2i */
        planes[i] = planes[N * N + i] = F16_ONE;
    a = upload(planes, sizeof(planes));
    d = upload(result, sizeof(result));
    check_ok(cublasLtCreate(&handle));
    check_ok(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_C_32F));
    check_ok(cublasLtMatrixLayoutCreate(&layout, CUDA_C_16F, N, N, N));
    check_ok(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &offset,
                                              sizeof(offset)));
    check_ok(cublasLtMatmul(handle, desc, complex_one, (void *)a, layout, (void *)a, layout,
                            complex_zero, (void *)d, layout, (void *)d, layout, NULL, NULL, 0,
                            NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(result, d, sizeof(result)));
    for (int i = 0; i < N * N; i++)
        check(result[i] == 0 && result[N * N + i] == F16_32);
}
