/* SPDX-License-Identifier: MIT */
/* The functions that make plans, and those that tell the size of work areas. All become a request
 * in struct fft_many. */
#include "devices.h"
#include "plan.h"

static cufftResult check_typed(const struct fft_many *many, struct fft_request *request)
{
    return many->type_known ? fft_check(many, request) : CUFFT_INVALID_TYPE;
}

static cufftResult plan_new(cufftHandle *handle, const struct fft_many *many)
{
    struct fft_request request;
    cufftResult result;
    cufftHandle made = 0;

    if (!handle)
        return CUFFT_INVALID_VALUE;
    *handle = 0;
    result = check_typed(many, &request);
    if (result != CUFFT_SUCCESS)
        return result;
    result = fft_handle_create(&made);
    if (result != CUFFT_SUCCESS)
        return result;
    result = fft_make(fft_handle_find(made), &request);
    if (result == CUFFT_SUCCESS)
        *handle = made;
    else
        fft_handle_destroy(made);
    return result;
}

/* What NVIDIA's library cannot make it reports with a size of 0; what it does not accept leaves the
 * size alone. */
static cufftResult answer_size(cufftResult result, size_t bytes, size_t *size)
{
    if (result == CUFFT_SUCCESS || result == CUFFT_INTERNAL_ERROR)
        *size = result == CUFFT_SUCCESS ? bytes : 0;
    return result;
}

/* The work area of one of a plan's devices. Several transforms are shared, and each device works on
 * its own as a plan of one device does; of a single transform it exchanges its part with the
 * others, for which NVIDIA's library takes three times the part. */
static size_t device_work_bytes(const struct fft_plan *plan, int device)
{
    struct fft_rows rows = fft_rows_of(plan, false);
    struct fft_request request = plan->request;
    size_t first;

    if (request.batch == 1)
        return 3 * fft_part_room(plan, device);
    request.batch = (long long)fft_part_rows(&rows, plan->gpu_count, device, &first);
    return request.batch ? fft_work_bytes(&request) : 0;
}

/* The size of the work area or, of a plan over several devices, one for each of them. */
static void tell_sizes(const struct fft_plan *plan, size_t *sizes)
{
    if (!plan->gpu_count)
        *sizes = plan->work_bytes;
    for (int i = 0; i < plan->gpu_count; i++)
        sizes[i] = device_work_bytes(plan, i);
}

static cufftResult plan_make(cufftHandle handle, const struct fft_many *many, size_t *size)
{
    struct fft_plan *plan = fft_handle_find(handle);
    struct fft_request request;
    cufftResult result;

    if (!many->type_known)
        return CUFFT_INVALID_TYPE;
    if (!size)
        return CUFFT_INVALID_VALUE;
    if (!plan || plan->made)
        return CUFFT_INVALID_PLAN;
    result = fft_check(many, &request);
    if (result == CUFFT_SUCCESS && plan->gpu_count)
        result = fft_devices_take(&request, plan->gpu_count);
    if (result == CUFFT_SUCCESS)
        result = fft_make(plan, &request);
    if (result == CUFFT_SUCCESS)
        tell_sizes(plan, size);
    return result == CUFFT_SUCCESS ? result : answer_size(result, 0, size);
}

static cufftResult estimate(const struct fft_many *many, size_t *size)
{
    struct fft_request request;
    cufftResult result;

    if (!many->type_known)
        return CUFFT_INVALID_TYPE;
    if (!size)
        return CUFFT_INVALID_VALUE;
    result = fft_check(many, &request);
    return answer_size(result, result == CUFFT_SUCCESS ? fft_work_bytes(&request) : 0, size);
}

static cufftResult plan_size(cufftHandle handle, const struct fft_many *many, size_t *size)
{
    if (!many->type_known)
        return CUFFT_INVALID_TYPE;
    if (!size)
        return CUFFT_INVALID_VALUE;
    return fft_handle_find(handle) ? estimate(many, size) : CUFFT_INVALID_PLAN;
}

static struct fft_many dense(int rank, const int *n, cufftType type, int batch)
{
    struct fft_many many = {.rank = rank, .n = n, .batch = batch};

    fft_set_type(&many, type);
    return many;
}

static struct fft_many embedded(int rank, const int *n, const int *inembed, int istride, int idist,
                                const int *onembed, int ostride, int odist, cufftType type,
                                int batch)
{
    struct fft_many many = {.rank = rank,
                            .n = n,
                            .in_embed = inembed,
                            .in_stride = istride,
                            .in_distance = idist,
                            .out_embed = onembed,
                            .out_stride = ostride,
                            .out_distance = odist,
                            .batch = batch};

    fft_set_type(&many, type);
    return many;
}

static struct fft_many embedded_wide(int rank, const long long *n, const long long *inembed,
                                     long long istride, long long idist, const long long *onembed,
                                     long long ostride, long long odist, long long batch)
{
    return (struct fft_many){.wide = true,
                             .rank = rank,
                             .n = n,
                             .in_embed = inembed,
                             .in_stride = istride,
                             .in_distance = idist,
                             .out_embed = onembed,
                             .out_stride = ostride,
                             .out_distance = odist,
                             .batch = batch};
}

cufftResult cufftCreate(cufftHandle *handle)
{
    return handle ? fft_handle_create(handle) : CUFFT_INVALID_VALUE;
}

cufftResult cufftDestroy(cufftHandle plan)
{
    return plan == CUFFT_PLAN_NULL ? CUFFT_SUCCESS : fft_handle_destroy(plan);
}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    struct fft_many many = dense(1, &nx, type, batch);

    return plan_new(plan, &many);
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    const int n[] = {nx, ny};
    struct fft_many many = dense(2, n, type, 1);

    return plan_new(plan, &many);
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
    const int n[] = {nx, ny, nz};
    struct fft_many many = dense(3, n, type, 1);

    return plan_new(plan, &many);
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch)
{
    struct fft_many many =
        embedded(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);

    return plan_new(plan, &many);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
    struct fft_many many = dense(1, &nx, type, batch);

    return plan_make(plan, &many, workSize);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
    const int n[] = {nx, ny};
    struct fft_many many = dense(2, n, type, 1);

    return plan_make(plan, &many, workSize);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t *workSize)
{
    const int n[] = {nx, ny, nz};
    struct fft_many many = dense(3, n, type, 1);

    return plan_make(plan, &many, workSize);
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *workSize)
{
    struct fft_many many =
        embedded(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);

    return plan_make(plan, &many, workSize);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride, long long int idist,
                                long long int *onembed, long long int ostride, long long int odist,
                                cufftType type, long long int batch, size_t *workSize)
{
    struct fft_many many =
        embedded_wide(rank, n, inembed, istride, idist, onembed, ostride, odist, batch);

    fft_set_type(&many, type);
    return plan_make(plan, &many, workSize);
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride, long long int idist,
                                cudaDataType inputtype, long long int *onembed,
                                long long int ostride, long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize, cudaDataType executiontype)
{
    struct fft_many many =
        embedded_wide(rank, n, inembed, istride, idist, onembed, ostride, odist, batch);

    fft_set_data_types(&many, inputtype, outputtype, executiontype);
    return plan_make(plan, &many, workSize);
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
    struct fft_many many = dense(1, &nx, type, batch);

    return estimate(&many, workSize);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
    const int n[] = {nx, ny};
    struct fft_many many = dense(2, n, type, 1);

    return estimate(&many, workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    const int n[] = {nx, ny, nz};
    struct fft_many many = dense(3, n, type, 1);

    return estimate(&many, workSize);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *workSize)
{
    struct fft_many many =
        embedded(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);

    return estimate(&many, workSize);
}

cufftResult cufftGetSize1d(cufftHandle handle, int nx, cufftType type, int batch, size_t *workSize)
{
    struct fft_many many = dense(1, &nx, type, batch);

    return plan_size(handle, &many, workSize);
}

cufftResult cufftGetSize2d(cufftHandle handle, int nx, int ny, cufftType type, size_t *workSize)
{
    const int n[] = {nx, ny};
    struct fft_many many = dense(2, n, type, 1);

    return plan_size(handle, &many, workSize);
}

cufftResult cufftGetSize3d(cufftHandle handle, int nx, int ny, int nz, cufftType type,
                           size_t *workSize)
{
    const int n[] = {nx, ny, nz};
    struct fft_many many = dense(3, n, type, 1);

    return plan_size(handle, &many, workSize);
}

cufftResult cufftGetSizeMany(cufftHandle handle, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch, size_t *workArea)
{
    struct fft_many many =
        embedded(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);

    return plan_size(handle, &many, workArea);
}

cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, long long int *onembed,
                               long long int ostride, long long int odist, cufftType type,
                               long long int batch, size_t *workSize)
{
    struct fft_many many =
        embedded_wide(rank, n, inembed, istride, idist, onembed, ostride, odist, batch);

    fft_set_type(&many, type);
    return plan_size(plan, &many, workSize);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype)
{
    struct fft_many many =
        embedded_wide(rank, n, inembed, istride, idist, onembed, ostride, odist, batch);

    fft_set_data_types(&many, inputtype, outputtype, executiontype);
    return plan_size(plan, &many, workSize);
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (!workSize)
        return CUFFT_INVALID_VALUE;
    if (!plan->made)
        return CUFFT_INVALID_PLAN;
    tell_sizes(plan, workSize);
    return CUFFT_SUCCESS;
}
