/* SPDX-License-Identifier: MIT */
/* Execution. As in NVIDIA's library, the plan alone says what is computed: the functions for the
 * types differ in the direction that they stand for. */
#include "plan.h"
#include "submit.h"

static bool direction_fits(const struct fft_plan *plan, int direction)
{
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
        return false;
    return plan->request.kind == FFT_COMPLEX ||
           (plan->request.kind == FFT_REAL_TO_COMPLEX) == (direction == CUFFT_FORWARD);
}

/* Real arrays, too, are aligned as complex numbers are. */
static bool aligned(const struct fft_plan *plan, const void *address)
{
    static const size_t bytes[] = {
        [FFT_HALF] = 4, [FFT_BFLOAT16] = 4, [FFT_FLOAT] = 8, [FFT_DOUBLE] = 16};

    return (uintptr_t)address % bytes[plan->request.precision] == 0;
}

static cufftResult execute(const char *name, cufftHandle handle, const void *in, void *out,
                           int direction)
{
    const struct fft_plan *plan = fft_handle_find(handle);
    struct fft_transform transform;

    if (!plan || !plan->made || plan->gpu_count)
        return CUFFT_INVALID_PLAN;
    if (!direction_fits(plan, direction))
        return CUFFT_INVALID_VALUE;
    if (plan->work_bytes && !plan->own_area && !plan->area)
        return CUFFT_NO_WORKSPACE;
    if (!aligned(plan, in) || !aligned(plan, out))
        return CUFFT_INVALID_VALUE;
    if (!fft_device_reaches(out))
        return CUFFT_EXEC_FAILED;
    if (plan->request.empty)
        return CUFFT_SUCCESS;
    fft_describe(&plan->request, in == out, direction == CUFFT_FORWARD, &transform);
    transform.in = in;
    transform.out = out;
    return fft_submit(name, plan->stream, &transform) == CUDA_SUCCESS ? CUFFT_SUCCESS
                                                                      : CUFFT_EXEC_FAILED;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
{
    return execute("cufftExecC2C", plan, idata, odata, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
    return execute("cufftExecR2C", plan, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
    return execute("cufftExecC2R", plan, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata,
                         int direction)
{
    return execute("cufftExecZ2Z", plan, idata, odata, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
{
    return execute("cufftExecD2Z", plan, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)
{
    return execute("cufftExecZ2D", plan, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction)
{
    return execute("cufftXtExec", plan, input, output, direction);
}
