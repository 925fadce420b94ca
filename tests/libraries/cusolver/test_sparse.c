/* SPDX-License-Identifier: MIT */
/* Sparse systems on the host and on the device, steps, orders, and factors with a known pattern.
 * Descriptors are cuSPARSE's. */
#include "solver_test.h"

#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <dlfcn.h>

enum { SIDE = 9, N = SIDE * SIDE, COUNT_MOST = 5 * N };

/* The operator of a grid with five points, made unsymmetric by `skew`. */
struct grid {
    int start[N + 1], index[COUNT_MOST], count;
    double value[COUNT_MOST], b[N], x[N];
};

static void add(struct grid *grid, int column, double value)
{
    grid->index[grid->count] = column;
    grid->value[grid->count++] = value;
}

static struct grid *grid_new(double skew)
{
    struct grid *grid = calloc(1, sizeof(*grid));

    for (int i = 0; i < N; i++) {
        if (i >= SIDE)
            add(grid, i - SIDE, -1 + skew);
        if (i % SIDE > 0)
            add(grid, i - 1, -1 + skew);
        add(grid, i, 4.5);
        if (i % SIDE < SIDE - 1)
            add(grid, i + 1, -1);
        if (i < N - SIDE)
            add(grid, i + SIDE, -1);
        grid->start[i + 1] = grid->count;
        grid->b[i] = number_from(-8, 8);
    }
    return grid;
}

static double residual(const struct grid *grid, const double *x)
{
    double error = 0;

    for (int i = 0; i < N; i++) {
        double sum = -grid->b[i];

        for (int k = grid->start[i]; k < grid->start[i + 1]; k++)
            sum += grid->value[k] * x[grid->index[k]];
        error = fmax(error, fabs(sum));
    }
    return error;
}

static cusparseMatDescr_t descriptor(void)
{
    void *library = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_GLOBAL);
    int (*create)(cusparseMatDescr_t *) =
        library ? (int (*)(cusparseMatDescr_t *))dlsym(library, "cusparseCreateMatDescr") : NULL;
    cusparseMatDescr_t created = NULL;

    if (!create || create(&created) != 0)
        skip("there is no cuSPARSE");
    return created;
}

static cusolverSpHandle_t new_sparse(void)
{
    cusolverSpHandle_t handle = NULL;

    with_context();
    check_solver(cusolverSpCreate(&handle));
    return handle;
}

static void *upload(const void *from, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemcpyHtoD(memory, from, bytes));
    return (void *)(uintptr_t)memory;
}

static void download(void *to, const void *from, size_t bytes)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes));
}

TEST(systems_on_the_host_in_all_orders)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();

    for (int order = 0; order < 4; order++) {
        struct grid *general = grid_new(0.3), *symmetric = grid_new(0);
        int singular = -9;

        check_solver(cusolverSpDcsrlsvluHost(handle, N, general->count, descr, general->value,
                                             general->start, general->index, general->b, 1e-12,
                                             order, general->x, &singular));
        check(singular == -1 && residual(general, general->x) < 1e-11);
        memset(general->x, 0, sizeof(general->x));
        check_solver(cusolverSpDcsrlsvqrHost(handle, N, general->count, descr, general->value,
                                             general->start, general->index, general->b, 1e-12,
                                             order, general->x, &singular));
        check(singular == -1 && residual(general, general->x) < 1e-11);
        check_solver(cusolverSpDcsrlsvcholHost(handle, N, symmetric->count, descr, symmetric->value,
                                               symmetric->start, symmetric->index, symmetric->b,
                                               1e-12, order, symmetric->x, &singular));
        check(singular == -1 && residual(symmetric, symmetric->x) < 1e-11);
    }
}

TEST(systems_on_the_device)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    struct grid *grid = grid_new(0.3);
    void *value = upload(grid->value, sizeof(grid->value)),
         *start = upload(grid->start, sizeof(grid->start)),
         *index = upload(grid->index, sizeof(grid->index)), *b = upload(grid->b, sizeof(grid->b)),
         *x = upload(grid->x, sizeof(grid->x));
    int singular = -9;

    check_solver(cusolverSpDcsrlsvqr(handle, N, grid->count, descr, value, start, index, b, 1e-12,
                                     1, x, &singular));
    check(singular == -1);
    download(grid->x, x, sizeof(grid->x));
    check(residual(grid, grid->x) < 1e-11);
}

TEST(singular_systems_are_told)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    int start[] = {0, 2, 3, 4}, index[] = {0, 1, 1, 1}, singular = -9;
    double value[] = {1, 1, 2, 3}, b[] = {1, 1, 1}, x[3] = {0};

    check_solver(cusolverSpDcsrlsvluHost(handle, 3, 4, descr, value, start, index, b, 1e-12, 0, x,
                                         &singular));
    check(singular == 2);
    index[3] = 7; /* out of bounds */
    only_cupipe();
    check(cusolverSpDcsrlsvluHost(handle, 3, 4, descr, value, start, index, b, 1e-12, 0, x,
                                  &singular) == CUSOLVER_STATUS_INVALID_VALUE);
}

static void check_permutation(const int *order)
{
    int seen[N] = {0};

    for (int i = 0; i < N; i++) {
        check(order[i] >= 0 && order[i] < N);
        check(!seen[order[i]]++);
    }
}

TEST(orders_are_permutations)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    struct grid *grid = grid_new(0);
    int order[N], map[COUNT_MOST], diagonals = -1;
    size_t bytes = 0;

    check_solver(
        cusolverSpXcsrsymamdHost(handle, N, grid->count, descr, grid->start, grid->index, order));
    check_permutation(order);
    check_solver(cusolverSpXcsrmetisndHost(handle, N, grid->count, descr, grid->start, grid->index,
                                           NULL, order));
    check_permutation(order);
    check_solver(cusolverSpDcsrzfdHost(handle, N, grid->count, descr, grid->value, grid->start,
                                       grid->index, order, &diagonals));
    check_permutation(order);
    check(diagonals == N);
    check_solver(
        cusolverSpXcsrsymrcmHost(handle, N, grid->count, descr, grid->start, grid->index, order));
    check_permutation(order);
    check_solver(cusolverSpXcsrperm_bufferSizeHost(handle, N, N, grid->count, descr, grid->start,
                                                   grid->index, order, order, &bytes));
    for (int k = 0; k < grid->count; k++)
        map[k] = k;
    check_solver(cusolverSpXcsrpermHost(handle, N, N, grid->count, descr, grid->start, grid->index,
                                        order, order, map, malloc(bytes + 1)));
    /* The diagonal stays on the diagonal. */
    for (int i = 0; i < N; i++)
        for (int k = grid->start[i]; k < grid->start[i + 1]; k++)
            check((grid->index[k] == i) == (grid->value[map[k]] == 4.5));
}

TEST(least_squares)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    int start[] = {0, 2, 4, 5, 7, 8}, index[] = {0, 2, 0, 1, 1, 1, 2, 2}, rank = -1, order[3];
    double value[] = {1, 2, 3, 4, 5, 6, 7, 8}, b[] = {1, 2, 3, 4, 5}, x[3], norm = -1;

    check_solver(cusolverSpDcsrlsqvqrHost(handle, 5, 3, 8, descr, value, start, index, b, 1e-12,
                                          &rank, x, order, &norm));
    check(rank == 3 && fabs(norm - 2.23076) < 1e-5);
    check(fabs(x[0] - 0.22989) < 1e-5 && fabs(x[1] - 0.311324) < 1e-5);
}

TEST(eigenvalue_next_to_a_number)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    struct grid *grid = grid_new(0);
    double start[N], value = 0, error = 0;

    for (int i = 0; i < N; i++)
        start[i] = 1;
    check_solver(cusolverSpDcsreigvsiHost(handle, N, grid->count, descr, grid->value, grid->start,
                                          grid->index, 0.6, start, 200, 1e-12, &value, grid->x));
    memset(grid->b, 0, sizeof(grid->b));
    for (int i = 0; i < N; i++)
        grid->b[i] = value * grid->x[i];
    error = residual(grid, grid->x);
    check(error < 1e-5 && value > 0.5 && value < 0.9);
}

TEST(qr_and_cholesky_step_by_step)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    struct grid *grid = grid_new(0);
    size_t internal = 0, work = 0;
    csrqrInfoHost_t qr;
    csrcholInfoHost_t chol;
    int position = -9;
    double b[N]; /* a solution may overwrite it */

    check_solver(cusolverSpCreateCsrqrInfoHost(&qr));
    check_solver(cusolverSpXcsrqrAnalysisHost(handle, N, N, grid->count, descr, grid->start,
                                              grid->index, qr));
    check_solver(cusolverSpDcsrqrBufferInfoHost(handle, N, N, grid->count, descr, grid->value,
                                                grid->start, grid->index, qr, &internal, &work));
    check_solver(cusolverSpDcsrqrSetupHost(handle, N, N, grid->count, descr, grid->value,
                                           grid->start, grid->index, 0, qr));
    check_solver(
        cusolverSpDcsrqrFactorHost(handle, N, N, grid->count, NULL, NULL, qr, malloc(work)));
    check_solver(cusolverSpDcsrqrZeroPivotHost(handle, qr, 1e-14, &position));
    check(position == -1);
    memcpy(b, grid->b, sizeof(b));
    check_solver(cusolverSpDcsrqrSolveHost(handle, N, N, b, grid->x, qr, malloc(work)));
    check(residual(grid, grid->x) < 1e-11);
    check_solver(cusolverSpDestroyCsrqrInfoHost(qr));
    check_solver(cusolverSpCreateCsrcholInfoHost(&chol));
    check_solver(cusolverSpXcsrcholAnalysisHost(handle, N, grid->count, descr, grid->start,
                                                grid->index, chol));
    check_solver(cusolverSpDcsrcholBufferInfoHost(handle, N, grid->count, descr, grid->value,
                                                  grid->start, grid->index, chol, &internal,
                                                  &work));
    check_solver(cusolverSpDcsrcholFactorHost(handle, N, grid->count, descr, grid->value,
                                              grid->start, grid->index, chol, malloc(work)));
    memset(grid->x, 0, sizeof(grid->x));
    check_solver(cusolverSpDcsrcholSolveHost(handle, N, grid->b, grid->x, chol, malloc(work)));
    check(residual(grid, grid->x) < 1e-11);
    check_solver(cusolverSpDestroyCsrcholInfoHost(chol));
}

/* The product of the diagonal's squares is the determinant: that of the tridiagonal matrix of 4 and
 * -1 by its recurrence. */
TEST(diagonal_of_the_cholesky_factor_has_the_determinant)
{
    enum { ORDER = 6, COUNT = 3 * ORDER - 2 };
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    int start[ORDER + 1] = {0}, index[COUNT], n = 0;
    double value[COUNT], diagonal[ORDER], product = 1, before = 1, determinant = 4;
    int *device_start, *device_index;
    double *device_value, *device_diagonal;
    size_t internal, size;
    csrcholInfo_t chol;
    void *work;

    for (int i = 0; i < ORDER; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ORDER; j++) {
            index[n] = j;
            value[n++] = i == j ? 4 : -1;
        }
        start[i + 1] = n;
    }
    device_start = upload(start, sizeof(start));
    device_index = upload(index, sizeof(index));
    device_value = upload(value, sizeof(value));
    device_diagonal = upload(value, sizeof(diagonal));
    check_solver(cusolverSpCreateCsrcholInfo(&chol));
    check(cusolverSpDcsrcholDiag(handle, chol, device_diagonal) == CUSOLVER_STATUS_INVALID_VALUE);
    check_solver(
        cusolverSpXcsrcholAnalysis(handle, ORDER, COUNT, descr, device_start, device_index, chol));
    check_solver(cusolverSpDcsrcholBufferInfo(handle, ORDER, COUNT, descr, device_value,
                                              device_start, device_index, chol, &internal, &size));
    work = upload(calloc(1, size), size);
    check_solver(cusolverSpDcsrcholFactor(handle, ORDER, COUNT, descr, device_value, device_start,
                                          device_index, chol, work));
    check_solver(cusolverSpDcsrcholDiag(handle, chol, device_diagonal));
    check_success(cuCtxSynchronize());
    check_success(
        cuMemcpyDtoH(diagonal, (CUdeviceptr)(uintptr_t)device_diagonal, sizeof(diagonal)));
    for (int i = 1; i < ORDER; i++) {
        double next = 4 * determinant - before;

        before = determinant;
        determinant = next;
    }
    for (int i = 0; i < ORDER; i++)
        product *= diagonal[i] * diagonal[i];
    check(fabs(product - determinant) < 1e-10 * determinant);
    check_solver(cusolverSpDestroyCsrcholInfo(chol));
}

TEST(factors_are_computed_again)
{
    cusolverSpHandle_t handle = new_sparse();
    cusparseMatDescr_t descr = descriptor();
    struct grid *grid = grid_new(0.3);
    int count_l = 0, count_u = 0, p[N], q[N], *start_l, *index_l, *start_u, *index_u;
    int split_l = 0, split_u = 0;
    double *value_l, *value_u;
    csrluInfoHost_t info;
    cusolverRfHandle_t rf;
    void *value, *x, *temporary, *work;
    size_t internal, size;

    check_solver(cusolverSpCreateCsrluInfoHost(&info));
    check_solver(cusolverSpXcsrluAnalysisHost(handle, N, grid->count, descr, grid->start,
                                              grid->index, info));
    check_solver(cusolverSpDcsrluBufferInfoHost(handle, N, grid->count, descr, grid->value,
                                                grid->start, grid->index, info, &internal, &size));
    work = malloc(size);
    check_solver(cusolverSpDcsrluFactorHost(handle, N, grid->count, descr, grid->value, grid->start,
                                            grid->index, info, 1.0, work));
    check_solver(cusolverSpXcsrluNnzHost(handle, &count_l, &count_u, info));
    start_l = malloc((N + 1) * sizeof(int));
    start_u = malloc((N + 1) * sizeof(int));
    index_l = malloc((size_t)count_l * sizeof(int));
    index_u = malloc((size_t)count_u * sizeof(int));
    value_l = malloc((size_t)count_l * sizeof(double));
    value_u = malloc((size_t)count_u * sizeof(double));
    check_solver(cusolverSpDcsrluExtractHost(handle, p, q, descr, value_l, start_l, index_l, descr,
                                             value_u, start_u, index_u, info, work));
    check(start_l[0] == 0 && start_l[1] == 0 && start_l[N] == count_l); /* without its diagonal */
    for (int i = 0; i < N; i++)
        for (int k = start_l[i]; k < start_l[i + 1]; k++)
            check(index_l[k] < i);
    check_solver(cusolverRfCreate(&rf));
    check_solver(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                           CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    check_solver(cusolverRfSetupHost(N, grid->count, grid->start, grid->index, grid->value, count_l,
                                     start_l, index_l, value_l, count_u, start_u, index_u, value_u,
                                     p, q, rf));
    check_solver(cusolverRfAnalyze(rf));
    for (int k = 0; k < grid->count; k++) /* other numbers, the same pattern */
        grid->value[k] *= 1 + 0.001 * (k % 7);
    value = upload(grid->value, sizeof(grid->value));
    x = upload(grid->b, sizeof(grid->b));
    temporary = upload(grid->b, sizeof(grid->b));
    check_solver(cusolverRfResetValues(N, grid->count, upload(grid->start, sizeof(grid->start)),
                                       upload(grid->index, sizeof(grid->index)), value,
                                       upload(p, sizeof(p)), upload(q, sizeof(q)), rf));
    check_solver(cusolverRfRefactor(rf));
    check_solver(
        cusolverRfSolve(rf, upload(p, sizeof(p)), upload(q, sizeof(q)), 1, temporary, N, x, N));
    download(grid->x, x, sizeof(grid->x));
    check(residual(grid, grid->x) < 1e-11);
    check_solver(cusolverRfExtractSplitFactorsHost(rf, &split_l, &start_l, &index_l, &value_l,
                                                   &split_u, &start_u, &index_u, &value_u));
    check(split_l == count_l && split_u == count_u && start_l[1] == 0 && index_u[0] == 0);
    check_solver(cusolverRfDestroy(rf));
    check(cusolverRfRefactor(NULL) == CUSOLVER_STATUS_NOT_INITIALIZED);
}
