/* SPDX-License-Identifier: MIT */
/* Handles, descriptors, pointer modes, streams and graphs, empty matrices, and what is refused. */
#include "matrices.h"

static const double one = 1, zero = 0;

struct problem {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void *values, *out;
};

/* diag(1, 2, 3) times (1, 1, 1), into zeros. */
static struct problem make_problem(void)
{
    const int64_t offsets[] = {0, 1, 2, 3}, indices[] = {0, 1, 2};
    const double complex values[] = {1, 2, 3}, ones[] = {1, 1, 1}, zeros[] = {0, 0, 0};
    struct problem problem = {.handle = new_handle()};

    problem.values = upload(CUDA_R_64F, values, 3);
    problem.out = upload(CUDA_R_64F, zeros, 3);
    check_done(cusparseCreateCsr(
        &problem.matrix, 3, 3, 3, upload_indices(CUSPARSE_INDEX_32I, offsets, 4),
        upload_indices(CUSPARSE_INDEX_32I, indices, 3), problem.values, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_done(cusparseCreateDnVec(&problem.x, 3, upload(CUDA_R_64F, ones, 3), CUDA_R_64F));
    check_done(cusparseCreateDnVec(&problem.y, 3, problem.out, CUDA_R_64F));
    return problem;
}

static cusparseStatus_t multiply(const struct problem *problem, const void *alpha, const void *beta)
{
    return cusparseSpMV(problem->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, problem->matrix,
                        problem->x, beta, problem->y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL);
}

TEST(wrong_arguments_are_refused)
{
    struct problem problem = make_problem();
    cusparseDnVecDescr_t longer;
    size_t size;

    check_status(cusparseCreate(NULL), CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseSetPointerMode(problem.handle, (cusparsePointerMode_t)2),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_status(multiply(&problem, NULL, &zero), CUSPARSE_STATUS_INVALID_VALUE);
    check_done(cusparseCreateDnVec(&longer, 4, problem.out, CUDA_R_64F));
    check_status(cusparseSpMV_bufferSize(problem.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                         problem.matrix, longer, &zero, problem.y, CUDA_R_64F,
                                         CUSPARSE_SPMV_ALG_DEFAULT, &size),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseSpMV_bufferSize(problem.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                         problem.matrix, problem.x, &zero, problem.y, CUDA_R_32F,
                                         CUSPARSE_SPMV_ALG_DEFAULT, &size),
                 CUSPARSE_STATUS_NOT_SUPPORTED);
    check_status(cusparseCreateDnVec(&longer, -1, problem.out, CUDA_R_64F),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_done(cusparseDestroySpMat(NULL));
    check_done(cusparseDestroySpMat(problem.matrix));
    only_cupipe();
    check_status(multiply(&problem, &one, &zero), CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseDestroySpMat(problem.matrix), CUSPARSE_STATUS_INVALID_VALUE);
    check_done(cusparseDestroy(problem.handle));
    check_status(cusparseSetStream(problem.handle, NULL), CUSPARSE_STATUS_INVALID_VALUE);
}

TEST(scalars_may_be_in_device_memory)
{
    struct problem problem = make_problem();
    const double complex two = 2, expected[] = {2, 4, 6};
    void *alpha = upload(CUDA_R_64F, &two, 1), *beta = device_copy(&zero, sizeof(zero));

    only_cupipe(); /* NVIDIA's needs a buffer */
    check_done(cusparseSetPointerMode(problem.handle, CUSPARSE_POINTER_MODE_DEVICE));
    check_done(multiply(&problem, alpha, beta));
    check_success(cuCtxSynchronize());
    check_values(CUDA_R_64F, problem.out, expected, 3, 0);
}

TEST(a_captured_product_runs_with_the_graph)
{
    struct problem problem = make_problem();
    const double complex before[] = {0, 0, 0}, after[] = {3, 6, 9};
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;

    only_cupipe();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(cusparseSetStream(problem.handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_done(multiply(&problem, &one, &one));
    check_success(cuStreamEndCapture(stream, &graph));
    check_values(CUDA_R_64F, problem.out, before, 3, 0);
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check_values(CUDA_R_64F, problem.out, after, 3, 0);
}

TEST(spvv_gives_the_host_its_result)
{
    cusparseHandle_t handle = new_handle();
    const int64_t indices[] = {1, 3};
    const double complex x[] = {2 + I, 3}, y[] = {9, 1 + I, 9, 2};
    double complex result = 0;
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    size_t size;
    void *buffer;

    check_done(cusparseCreateSpVec(&vx, 4, 2, upload_indices(CUSPARSE_INDEX_64I, indices, 2),
                                   upload(CUDA_C_64F, x, 2), CUSPARSE_INDEX_64I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_C_64F));
    check_done(cusparseCreateDnVec(&vy, 4, upload(CUDA_C_64F, y, 4), CUDA_C_64F));
    check_done(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, vx, vy,
                                       &result, CUDA_C_64F, &size));
    buffer = device_copy(y, sizeof(y));
    check_done(cusparseSpVV(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, vx, vy, &result,
                            CUDA_C_64F, buffer));
    check_success(cuCtxSynchronize());
    check(cabs(result - ((2 - I) * (1 + I) + 6)) < 1e-12);
}

/* y = beta * y where there is nothing to add, and nothing at all where there is no y. */
TEST(empty_matrices_have_products)
{
    struct problem problem = make_problem();
    const int64_t offsets[] = {0, 0, 0, 0};
    const double complex zeros[] = {0, 0, 0};
    struct problem empty = problem;

    only_cupipe();
    check_done(cusparseCreateCsr(
        &empty.matrix, 3, 3, 0, upload_indices(CUSPARSE_INDEX_32I, offsets, 4), NULL, NULL,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_done(multiply(&problem, &one, &zero));
    check_done(multiply(&empty, &one, &zero));
    check_success(cuCtxSynchronize());
    check_values(CUDA_R_64F, problem.out, zeros, 3, 0);
    check_done(cusparseCreateCsr(
        &empty.matrix, 0, 3, 0, upload_indices(CUSPARSE_INDEX_32I, offsets, 1), NULL, NULL,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_done(cusparseCreateDnVec(&empty.y, 0, NULL, CUDA_R_64F));
    check_done(multiply(&empty, &one, &zero));
    check_success(cuCtxSynchronize());
}

/* op(A) y = alpha x for both triangles; and after an update of the diagonal. */
TEST(triangular_systems_are_solved)
{
    cusparseHandle_t handle = new_handle();

    for (int variant = 0; variant < 16; variant++) {
        cusparseOperation_t op = (cusparseOperation_t)(variant & 1);
        cusparseFillMode_t fill = (cusparseFillMode_t)(variant >> 1 & 1);
        cusparseFormat_t format = variant & 4 ? CUSPARSE_FORMAT_COO : CUSPARSE_FORMAT_CSR;
        struct dense a = random_dense(CUDA_R_64F, 12, 12);
        double complex x[12], b[12] = {0}, diagonal[12];
        double alpha = 1;
        cusparseSpSVDescr_t descr;
        cusparseSpMatDescr_t matrix;
        cusparseDnVecDescr_t vb, vx;
        void *buffer, *out;
        CUdeviceptr memory;
        size_t size;

        for (int i = 0; i < 12; i++) {
            x[i] = random_value(CUDA_R_64F);
            a.values[i * 12 + i] = 30 + i;
            diagonal[i] = 30 + i;
            for (int j = 0; j < 12; j++)
                if (fill == CUSPARSE_FILL_MODE_LOWER ? j > i : j < i)
                    a.values[i * 12 + j] = 0;
        }
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                b[i] += element(&a, op, i, j) * x[j];
        /* The matrix is analysed with a diagonal that the update replaces. */
        for (int i = 0; variant & 8 && i < 12; i++)
            a.values[i * 12 + i] = 1;
        matrix = sparse_of(&a, format, CUDA_R_64F, CUSPARSE_INDEX_32I, 0);
        check_done(
            cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
        out = upload(CUDA_R_64F, x, 12);
        check_done(cusparseCreateDnVec(&vb, 12, upload(CUDA_R_64F, b, 12), CUDA_R_64F));
        check_done(cusparseCreateDnVec(&vx, 12, out, CUDA_R_64F));
        check_done(cusparseSpSV_createDescr(&descr));
        check_done(cusparseSpSV_bufferSize(handle, op, &alpha, matrix, vb, vx, CUDA_R_64F,
                                           CUSPARSE_SPSV_ALG_DEFAULT, descr, &size));
        check_success(cuMemAlloc(&memory, size));
        buffer = (void *)(uintptr_t)memory;
        check_done(cusparseSpSV_analysis(handle, op, &alpha, matrix, vb, vx, CUDA_R_64F,
                                         CUSPARSE_SPSV_ALG_DEFAULT, descr, buffer));
        if (variant & 8)
            check_done(cusparseSpSV_updateMatrix(handle, descr, upload(CUDA_R_64F, diagonal, 12),
                                                 CUSPARSE_SPSV_UPDATE_DIAGONAL));
        check_done(cusparseSpSV_solve(handle, op, &alpha, matrix, vb, vx, CUDA_R_64F,
                                      CUSPARSE_SPSV_ALG_DEFAULT, descr));
        check_success(cuCtxSynchronize());
        check_values(CUDA_R_64F, out, x, 12, 1e-12);
        check_done(cusparseSpSV_destroyDescr(descr));
    }
}
