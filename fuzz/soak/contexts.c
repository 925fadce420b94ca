/* SPDX-License-Identifier: MIT */
/* Contexts of their own, ended with everything in them still there and, one time in two, with work
 * under way. */
#include "kernels.h"

#include "soak.h"

#include <stdlib.h>

void soak_contexts(void)
{
    size_t bytes = draw_size(300000);
    unsigned char *sent = room(bytes), *came = room(bytes);
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC sampler = {0};
    uint32_t salt = 1000 + (uint32_t)draw(4), times = 3, count = (uint32_t)(bytes / 4);
    char *text = kernels_text(salt);
    CUcontext context;
    CUdeviceptr memory, other, managed;
    CUstream streams[3];
    CUevent event;
    CUarray array;
    CUmipmappedArray mipmap;
    CUtexObject texture;
    CUmodule module;
    CUfunction function;
    void *pinned;

    must(cuCtxCreate(&context, NULL, one_in(2) ? CU_CTX_SCHED_BLOCKING_SYNC : 0, soak->device));
    for (int i = 0; i < 3; i++)
        must(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    must(cuMemAlloc(&memory, bytes));
    must(cuMemAllocAsync(&other, bytes, streams[0]));
    must(cuMemAllocManaged(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
    must(cuMemAllocHost(&pinned, bytes));
    must(cuEventCreate(&event, 0));
    must(cuArray3DCreate(&array, &shape));
    must(cuMipmappedArrayCreate(&mipmap, &shape, 3));
    resource.res.array.hArray = array;
    must(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, "mix"));
    fill(sent, bytes, draw(1 << 30));
    must(cuMemcpyHtoDAsync(memory, sent, bytes, streams[0]));
    must(cuMemcpyDtoDAsync(other, memory, bytes, streams[0]));
    must(cuEventRecord(event, streams[0]));
    must(cuStreamWaitEvent(streams[1], event, 0));
    must(cuMemcpyDtoHAsync(came, other, bytes, streams[1]));
    must(cuStreamSynchronize(streams[1]));
    same(came, sent, bytes, "memory of a context");
    if (count > 0) {
        void *arguments[] = {&managed, &memory, &count, &times};
        uint32_t *values = (uint32_t *)(void *)sent;

        must(cuLaunchKernel(function, (count + 127) / 128, 1, 1, 128, 1, 1, 0, streams[1],
                            arguments, NULL));
        for (uint32_t i = 0; i < count; i++)
            values[i] = mix(values[i], salt, times);
        must(cuStreamSynchronize(streams[1]));
        same((void *)(uintptr_t)managed, sent, (size_t)count * 4, "what a kernel wrote");
    }
    must(cuMemFreeAsync(other, streams[0]));
    if (one_in(2)) {
        for (int i = 0; i < 20; i++)
            must(cuMemsetD8Async(memory, (unsigned char)i, bytes, streams[2]));
        must(cuMemcpyDtoHAsync(pinned, memory, bytes, streams[2]));
    }
    must(cuCtxDestroy(context));
    must(cuCtxSetCurrent(soak->context));
    free(text);
    free(sent);
    free(came);
}
