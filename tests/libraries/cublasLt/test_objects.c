/* SPDX-License-Identifier: MIT */
/* Descriptors, the search for algorithms, the log, and bad arguments. */
#include "products.h"

static const float one = 1, zero = 0;

TEST(create_needs_a_place_for_the_handle)
{
    check_status(cublasLtCreate(NULL), CUBLAS_STATUS_INVALID_VALUE);
    check_status(cublasLtDestroy(NULL), CUBLAS_STATUS_INVALID_VALUE);
}

TEST(attributes_have_one_size)
{
    cublasLtMatmulDescOpaque_t desc;
    int32_t value = 7;
    size_t bytes = 0;

    check_ok(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    check_ok(cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, NULL, 0, &bytes));
    check(bytes == sizeof(value));
    check_status(
        cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, 2, &bytes),
        CUBLAS_STATUS_INVALID_VALUE);
    check(value == 7);
    check_ok(cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &value,
                                            sizeof(value), &bytes));
    check(value == CUBLASLT_EPILOGUE_DEFAULT);
    check_status(cublasLtMatmulDescSetAttribute(&desc, (cublasLtMatmulDescAttributes_t)9, &value,
                                                sizeof(value)),
                 CUBLAS_STATUS_INVALID_VALUE);
}

TEST(memory_that_is_no_descriptor_is_refused)
{
    cublasLtMatmulDescOpaque_t garbage;
    int32_t value = 0;

    with_context();
    only_cupipe();
    memset(&garbage, 0x5a, sizeof(garbage));
    check_status(cublasLtMatmulDescSetAttribute(&garbage, CUBLASLT_MATMUL_DESC_TRANSA, &value,
                                                sizeof(value)),
                 CUBLAS_STATUS_INVALID_VALUE);
}

TEST(stale_and_foreign_handles_are_refused)
{
    struct products products;
    cublasLtHandle_t handle;
    char garbage[64] = {0};

    products_init(&products);
    handle = products.handle;
    products.handle = NULL;
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    only_cupipe();
    products.handle = (cublasLtHandle_t)garbage;
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    check_ok(cublasLtDestroy(handle));
    products.handle = handle;
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST(shapes_and_lines_must_fit)
{
    struct products products;
    uint64_t rows = DEPTH + 1;
    int64_t ld = ROWS - 1;

    products_init(&products);
    check_ok(cublasLtMatrixLayoutSetAttribute(products.d_layout, CUBLASLT_MATRIX_LAYOUT_LD, &ld,
                                              sizeof(ld)));
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_INVALID_VALUE);
    ld = ROWS;
    check_ok(cublasLtMatrixLayoutSetAttribute(products.d_layout, CUBLASLT_MATRIX_LAYOUT_LD, &ld,
                                              sizeof(ld)));
    check_ok(cublasLtMatrixLayoutSetAttribute(products.b_layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows,
                                              sizeof(rows)));
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_INVALID_VALUE);
    products_finish(&products);
}

TEST(a_type_that_does_not_exist_is_not_supported)
{
    struct products products;
    int32_t type = CUDA_R_64F;

    products_init(&products);
    check_ok(cublasLtMatrixLayoutSetAttribute(products.a_layout, CUBLASLT_MATRIX_LAYOUT_TYPE, &type,
                                              sizeof(type)));
    check_status(multiply(&products, &one, &zero, NULL), CUBLAS_STATUS_NOT_SUPPORTED);
    products_finish(&products);
}

TEST(the_search_finds_an_algorithm_that_runs)
{
    cublasLtMatmulHeuristicResult_t found, checked;
    cublasLtMatmulPreferenceOpaque_t preference;
    struct products products;
    int count = -1, id = -1;
    size_t bytes;

    products_init(&products);
    check_ok(cublasLtMatmulPreferenceInit(&preference));
    check_ok(cublasLtMatmulAlgoGetHeuristic(products.handle, products.desc, products.a_layout,
                                            products.b_layout, products.d_layout, products.d_layout,
                                            &preference, 1, &found, &count));
    check(count == 1 && found.state == CUBLAS_STATUS_SUCCESS && found.workspaceSize == 0);
    check_ok(cublasLtMatmulAlgoCheck(products.handle, products.desc, products.a_layout,
                                     products.b_layout, products.d_layout, products.d_layout,
                                     &found.algo, &checked));
    check_ok(cublasLtMatmulAlgoConfigGetAttribute(&found.algo, CUBLASLT_ALGO_CONFIG_ID, &id,
                                                  sizeof(id), &bytes));
    check_ok(cublasLtMatmulAlgoInit(products.handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F,
                                    CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, id, &found.algo));
    check_ok(cublasLtMatmul(products.handle, products.desc, &one, (void *)products.device_a,
                            products.a_layout, (void *)products.device_b, products.b_layout, &zero,
                            (void *)products.device_d, products.d_layout, (void *)products.device_d,
                            products.d_layout, &found.algo, NULL, 0, NULL));
    check_success(cuCtxSynchronize());
    products_finish(&products);
}

static int calls;
static char last[64];

static void count_call(int level, const char *function, const char *message)
{
    (void)level;
    (void)message;
    calls++;
    snprintf(last, sizeof(last), "%s", function);
}

TEST(the_log_names_calls)
{
    cublasLtHandle_t handle;

    with_context();
    check_ok(cublasLtLoggerSetCallback(count_call));
    check_ok(cublasLtCreate(&handle));
    check(calls == 0);
    check_ok(cublasLtLoggerSetLevel(5));
    check_ok(cublasLtDestroy(handle));
    check(calls == 1 && strcmp(last, "cublasLtDestroy") == 0);
    check_ok(cublasLtLoggerForceDisable());
    check(calls == 2 && strcmp(last, "cublasLtLoggerForceDisable") == 0);
    check_status(cublasLtCreate(NULL), CUBLAS_STATUS_INVALID_VALUE);
    check(calls == 2);
}

static void *multiply_often(void *unused)
{
    struct products products;

    (void)unused;
    products_init(&products);
    for (int i = 0; i < 50; i++)
        check_ok(multiply(&products, &one, &one, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(products.d, products.device_d, sizeof(products.d)));
    for (int i = 0; i < D_COUNT; i++)
        check_near(products.d[i], 50 * sum_at(&products, i % ROWS, i / ROWS), "D");
    products_finish(&products);
    return NULL;
}

TEST(threads_have_products_of_their_own)
{
    pthread_t threads[3];

    with_context();
    for (int i = 0; i < 3; i++)
        check(pthread_create(&threads[i], NULL, multiply_often, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
