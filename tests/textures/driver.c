/* SPDX-License-Identifier: MIT */
/* Runs a case on a CUDA driver: an object over the image, the kernel, its results. */
#include "textures.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUdeviceptr device_in, device_out;
enum { LANES_MAX = 65536 };

const bool run_judges = true;

void run_begin(void)
{
    CUcontext context;
    CUdevice device;

    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuMemAlloc(&device_in, (size_t)LANES_MAX * OPERANDS * 4) ||
        cuMemAlloc(&device_out, (size_t)LANES_MAX * WORDS * 4)) {
        fprintf(stderr, "no CUDA device\n");
        exit(2);
    }
}

/* Kernels are compiled once; many cases share one. */
static CUresult function_of(const struct sample *sample, CUfunction *function)
{
    static struct {
        char *text;
        CUfunction function;
        CUresult result;
    } cache[512];
    static size_t count;
    char *text = kernel_text(sample);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(cache[i].text, text) == 0) {
            free(text);
            *function = cache[i].function;
            return cache[i].result;
        }
    }
    CUmodule module = NULL;
    CUresult result = cuModuleLoadData(&module, text);
    if (!result)
        result = cuModuleGetFunction(function, module, "go");
    if (result && getenv("TEXTURES_VERBOSE"))
        fprintf(stderr, "%s: refused\n%s", sample->name, text);
    if (count < 512) {
        cache[count].text = text;
        cache[count].function = *function;
        cache[count++].result = result;
    }
    return result;
}

static CUresult object_create(const struct sample *s, const struct image *image,
                              unsigned long long *object)
{
    bool surface = s->operation == OP_LOAD || s->operation == OP_STORE ||
                   s->operation == OP_REDUCE ||
                   (s->operation == OP_QUERY && s->reduction[0] == 's');

    if (surface)
        return cuSurfObjectCreate(object, &image->resource);
    return cuTexObjectCreate(object, &image->resource, &s->texture, s->has_view ? &s->view : NULL);
}

static CUresult launch(const struct sample *s, CUfunction function, unsigned long long object)
{
    bool stores = s->operation == OP_STORE || s->operation == OP_REDUCE;
    unsigned first = 0, lanes = s->lanes;
    void *parameters[] = {&object, &device_in, &device_out, &first, &lanes};
    CUresult result = CUDA_SUCCESS;

    if (!stores)
        return cuLaunchKernel(function, (lanes + 31) / 32, 1, 1, 32, 1, 1, 0, NULL, parameters,
                              NULL);
    for (; first < lanes && !result; first++) /* one after the other: the order shows */
        result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    return result;
}

CUresult sample_run(const struct sample *s, void *answer)
{
    size_t input_bytes = (size_t)s->lanes * OPERANDS * 4;
    uint32_t *inputs = calloc(1, input_bytes);
    CUfunction function = NULL;
    unsigned long long object = 0;
    struct image image;

    operands_fill(s, inputs);
    CUresult result = cuMemcpyHtoD(device_in, inputs, input_bytes);
    free(inputs);
    if (!result)
        result = function_of(s, &function);
    if (result)
        return result;
    result = image_create(s, &image);
    if (result)
        return result;
    result = object_create(s, &image, &object);
    if (!result)
        result = launch(s, function, object);
    if (!result)
        result = cuCtxSynchronize();
    if (!result)
        result = s->operation == OP_STORE || s->operation == OP_REDUCE
                     ? image_read(s, &image, answer)
                     : cuMemcpyDtoH(answer, device_out, answer_bytes(s));
    image_destroy(&image);
    return result;
}
