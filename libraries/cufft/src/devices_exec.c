/* SPDX-License-Identifier: MIT */
/* Copies and transforms of arrays on several devices. The memory of all devices is memory of the
 * host: the array is put together, transformed as a whole, and shared out again. */
#include "devices.h"
#include "driver.h"
#include "work.h"

#include <stdlib.h>

cufftResult cufftXtSetGPUs(cufftHandle handle, int nGPUs, int *whichGPUs)
{
    struct fft_plan *plan = fft_handle_find(handle);
    int devices = 0;

    if (!plan || plan->made)
        return CUFFT_INVALID_PLAN;
    if (nGPUs < 2 || nGPUs > FFT_MAX_GPUS || !whichGPUs)
        return CUFFT_INVALID_VALUE;
    lib_driver()->device_get_count(&devices);
    for (int i = 0; i < nGPUs; i++) {
        if (whichGPUs[i] < 0 || whichGPUs[i] >= devices)
            return CUFFT_INVALID_DEVICE;
    }
    plan->gpu_count = nGPUs;
    for (int i = 0; i < nGPUs; i++)
        plan->gpus[i] = whichGPUs[i];
    return CUFFT_SUCCESS;
}

/* What work on parts does: puts the array together, transforms it if `transforms`, shares it out.
 * One side may be memory of the host. */
struct job {
    const struct fft_plan *plan;
    const cudaLibXtDesc *from, *to;
    const void *host_from;
    void *host_to;
    bool transforms, forward;
};

static CUresult run_job(void *arguments)
{
    const struct job *job = arguments;
    void *whole = job->from || job->transforms ? malloc(fft_whole_bytes(job->plan)) : NULL;
    struct fft_transform transform;
    bool done = true;

    if ((job->from || job->transforms) && !whole)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (job->from)
        fft_gather(job->plan, job->from, job->host_to ? job->host_to : whole);
    if (job->transforms) {
        fft_describe(&job->plan->request, true, job->forward, &transform);
        transform.in = transform.out = whole;
        done = fft_engine_run(&transform);
    }
    if (job->to && done)
        fft_scatter(job->plan, job->to, job->host_from ? job->host_from : whole);
    free(whole);
    return done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static size_t add_operands(struct cupipe_range *ranges, const struct fft_plan *plan,
                           const cudaLibXtDesc *descriptor, bool written)
{
    struct fft_rows rows;

    if (!descriptor)
        return 0;
    rows = fft_rows_of(plan, fft_is_shuffled(descriptor));
    for (int i = 0; i < plan->gpu_count; i++) {
        size_t bytes = fft_part_bytes(&rows, plan->gpu_count, i);
        const void *data = descriptor->descriptor->data[i];

        ranges[i] = written ? lib_written(data, bytes) : lib_read(data, bytes);
    }
    return (size_t)plan->gpu_count;
}

static cufftResult submit(const char *name, struct job *job, const cudaLibXtDesc *written)
{
    struct cupipe_range ranges[2 * FFT_MAX_GPUS];
    struct lib_call call = {.name = name, .stream = job->plan->stream, .operands = ranges};

    if (fft_wait_for_devices(job->plan) != CUDA_SUCCESS)
        return CUFFT_EXEC_FAILED;
    call.operand_count = add_operands(ranges, job->plan, job->from, false);
    call.operand_count += add_operands(ranges + call.operand_count, job->plan, written, true);
    call.nanoseconds = UINT64_MAX;
    return lib_submit_and_wait(&call, run_job, job) == CUDA_SUCCESS ? CUFFT_SUCCESS
                                                                    : CUFFT_EXEC_FAILED;
}

cufftResult cufftXtMemcpy(cufftHandle handle, void *dstPointer, void *srcPointer,
                          cufftXtCopyType type)
{
    struct fft_plan *plan = fft_handle_find(handle);
    struct job job = {.plan = plan};

    if (!plan || !plan->made || !plan->gpu_count)
        return CUFFT_INVALID_PLAN;
    if (!dstPointer || !srcPointer || (unsigned)type >= CUFFT_COPY_UNDEFINED)
        return CUFFT_INVALID_VALUE;
    if (type == CUFFT_COPY_HOST_TO_DEVICE)
        job.host_from = srcPointer;
    else
        job.from = srcPointer;
    if (type == CUFFT_COPY_DEVICE_TO_HOST)
        job.host_to = dstPointer;
    else
        job.to = dstPointer;
    if ((job.from && !fft_descriptor_fits(plan, job.from)) ||
        (job.to && !fft_descriptor_fits(plan, job.to)))
        return CUFFT_INVALID_VALUE;
    if (fft_is_line(plan) && job.host_from && job.to->subFormat != CUFFT_XT_FORMAT_INPLACE &&
        job.to->subFormat != CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED)
        return CUFFT_INVALID_TYPE;
    return submit("cufftXtMemcpy", &job, job.to);
}

/* The order that a transform leaves behind. What it leaves of one dimension is no input. */
static int next_format(const struct fft_plan *plan, int format)
{
    switch (format) {
    case CUFFT_XT_FORMAT_INPLACE:
    case CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED:
        return CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
    case CUFFT_XT_FORMAT_INPLACE_SHUFFLED:
        return fft_is_line(plan) ? CUFFT_FORMAT_UNDEFINED : CUFFT_XT_FORMAT_INPLACE;
    default:
        return CUFFT_FORMAT_UNDEFINED;
    }
}

static cufftResult execute(const char *name, cufftHandle handle, cudaLibXtDesc *input,
                           cudaLibXtDesc *output, int direction)
{
    struct fft_plan *plan = fft_handle_find(handle);
    struct job job = {.plan = plan, .from = input, .to = output, .transforms = true};
    bool wanted, in_place = input == output;
    cudaLibXtDesc result;

    if (!plan || !plan->made || !plan->gpu_count || !fft_descriptor_fits(plan, input) ||
        !fft_descriptor_fits(plan, output))
        return CUFFT_INVALID_PLAN;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
        return CUFFT_INVALID_VALUE;
    wanted = plan->request.kind == FFT_REAL_TO_COMPLEX ? direction == CUFFT_FORWARD
                                                       : direction == CUFFT_INVERSE;
    if (plan->request.kind != FFT_COMPLEX && !wanted)
        return CUFFT_INVALID_VALUE;
    if (in_place ? next_format(plan, input->subFormat) == CUFFT_FORMAT_UNDEFINED
                 : (unsigned)output->subFormat >= CUFFT_FORMAT_UNDEFINED)
        return CUFFT_INVALID_TYPE;
    if (!in_place && plan->request.kind != FFT_COMPLEX)
        return CUFFT_NOT_SUPPORTED;
    result = *output;
    if (in_place)
        result.subFormat = next_format(plan, input->subFormat);
    job.to = &result;
    job.forward = direction == CUFFT_FORWARD;
    if (submit(name, &job, &result) != CUFFT_SUCCESS)
        return CUFFT_EXEC_FAILED;
    output->subFormat = result.subFormat;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                  int direction)
{
    return execute("cufftXtExecDescriptor", plan, input, output, direction);
}

cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction)
{
    return execute("cufftXtExecDescriptorC2C", plan, input, output, direction);
}

cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction)
{
    return execute("cufftXtExecDescriptorZ2Z", plan, input, output, direction);
}

cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
{
    return execute("cufftXtExecDescriptorR2C", plan, input, output, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
{
    return execute("cufftXtExecDescriptorD2Z", plan, input, output, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
{
    return execute("cufftXtExecDescriptorC2R", plan, input, output, CUFFT_INVERSE);
}

cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output)
{
    return execute("cufftXtExecDescriptorZ2D", plan, input, output, CUFFT_INVERSE);
}
