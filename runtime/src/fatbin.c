/* SPDX-License-Identifier: MIT */
/* Loads fat binaries. A program built with -rdc=true contains the linked machine code and the
 * objects it was linked from; if the driver cannot use the former, it links the PTX of the
 * latter. */
#include "fatbin.h"

#include "context.h"
#include "device_runtime.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGE_MAGIC = (int)0xba55ed50,
    IMAGE_HEADER_BYTES = 16,
    ENTRY_HEADER_BYTES = 64,
    ENTRY_PTX = 1,
    WRAPPER_MAGIC = 0x466243b1,
    WRAPPER_LINKED = 2,
};

static size_t image_bytes(const void *image)
{
    uint16_t header_bytes;
    uint64_t payload_bytes;
    int magic;

    if (!image)
        return 0;
    memcpy(&magic, image, sizeof magic);
    if (magic != IMAGE_MAGIC)
        return 0;
    memcpy(&header_bytes, (const char *)image + 6, sizeof header_bytes);
    memcpy(&payload_bytes, (const char *)image + 8, sizeof payload_bytes);
    return header_bytes + payload_bytes;
}

/* Whether an image has PTX that a device of this capability (such as 90) can run. */
static bool has_ptx_for(const void *image, unsigned capability)
{
    const char *bytes = image;
    size_t end = image_bytes(image), at = IMAGE_HEADER_BYTES;

    while (at + ENTRY_HEADER_BYTES <= end) {
        uint16_t kind;
        uint32_t header_bytes, target;
        uint64_t payload_bytes;

        memcpy(&kind, bytes + at, sizeof kind);
        memcpy(&header_bytes, bytes + at + 4, sizeof header_bytes);
        memcpy(&payload_bytes, bytes + at + 8, sizeof payload_bytes);
        memcpy(&target, bytes + at + 28, sizeof target);
        if (kind == ENTRY_PTX && target <= capability)
            return true;
        if (header_bytes < ENTRY_HEADER_BYTES || payload_bytes > end - at)
            break;
        at += header_bytes + payload_bytes;
    }
    return false;
}

/* Adds the objects to a link, except those in `skipped`, and cupipe's device runtime if an object
 * was skipped or `ours` is set. An object without code that the driver can use is added to
 * `skipped`, and the link must be started again. */
static CUresult add_objects(CUlinkState state, const void *const *objects, bool *skipped, bool ours,
                            bool *again)
{
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; objects[i] && result == CUDA_SUCCESS; i++) {
        ours = ours || skipped[i];
        if (skipped[i])
            continue;
        result =
            rt_driver.cuLinkAddData_v2(state, CU_JIT_INPUT_FATBINARY, (void *)(uintptr_t)objects[i],
                                       image_bytes(objects[i]), "object", 0, NULL, NULL);
        *again = skipped[i] = result == CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (result == CUDA_SUCCESS && ours)
        result = rt_driver.cuLinkAddData_v2(
            state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)rt_device_runtime, sizeof rt_device_runtime,
            "device runtime", 0, NULL, NULL);
    return result;
}

RT_HOLDS static CUresult link_once(const void *const *objects, bool *skipped, bool ours,
                                   bool *again, CUlibrary *library)
{
    CUlinkState state;
    void *image;
    size_t bytes;
    CUresult result = rt_driver.cuLinkCreate_v2(0, NULL, NULL, &state);

    if (result != CUDA_SUCCESS)
        return result;
    result = add_objects(state, objects, skipped, ours, again);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuLinkComplete(state, &image, &bytes);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuLibraryLoadData(library, image, NULL, NULL, 0, NULL, NULL, 0);
    rt_driver.cuLinkDestroy(state);
    return result;
}

static CUresult link_but(const void *const *objects, bool *skipped, bool ours, CUlibrary *library)
{
    CUresult result = CUDA_SUCCESS;
    bool again = true;

    while (again) {
        again = false;
        result = link_once(objects, skipped, ours, &again, library);
    }
    return result;
}

static unsigned current_capability(void)
{
    CUdevice device;
    int major = 0, minor = 0;

    if (rt_context_device(&device) == cudaSuccess) {
        rt_driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                       device);
        rt_driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                       device);
    }
    return (unsigned)(major * 10 + minor);
}

/* NVIDIA's device runtime is one of the objects of a program that was linked with it, as machine
 * code and as PTX for the newest devices. If it is missing or does not link, cupipe's own is used
 * instead. */
static CUresult link_objects(const void *const *objects, CUlibrary *library)
{
    unsigned capability = current_capability();
    size_t count = 0;
    CUresult result;
    bool *skipped;

    while (objects[count])
        count++;
    skipped = calloc(count + 1, sizeof *skipped);
    if (!skipped)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = link_but(objects, skipped, false, library);
    for (size_t i = 0; i < count && result != CUDA_SUCCESS; i++)
        if (!skipped[i] && !has_ptx_for(objects[i], capability))
            skipped[i] = true;
    if (result != CUDA_SUCCESS)
        result = link_but(objects, skipped, true, library);
    free(skipped);
    return result;
}

/* Loads an image and queries a kernel, because loading alone may not detect that the driver cannot
 * use the image. The driver's log then says what to compile for instead. */
RT_HOLDS static CUresult load_image(const struct rt_fatbin *fatbin, CUlibrary *library)
{
    CUkernel kernel;
    CUresult result =
        rt_driver.cuLibraryLoadData(library, fatbin->wrapper->image, NULL, NULL, 0, NULL, NULL, 0);

    if (result != CUDA_SUCCESS || !fatbin->kernels)
        return result;
    result = rt_driver.cuLibraryGetKernel(&kernel, *library, fatbin->kernels->name);
    if (result != CUDA_ERROR_NO_BINARY_FOR_GPU)
        return CUDA_SUCCESS;
    rt_driver.cuLibraryUnload(*library);
    return result;
}

/* Whether the linked image has no code: linking objects that have only PTX gives such an image. */
static bool is_empty(const void *image)
{
    return image_bytes(image) < IMAGE_HEADER_BYTES + ENTRY_HEADER_BYTES;
}

static bool is_linked(const struct rt_fatbin_wrapper *wrapper)
{
    return wrapper->version == WRAPPER_LINKED && wrapper->objects && wrapper->objects[0];
}

static cudaError_t load(struct rt_fatbin *fatbin, CUlibrary *library)
{
    const struct rt_fatbin_wrapper *wrapper = fatbin->wrapper;
    bool linked = is_linked(wrapper);
    CUresult result = linked && is_empty(wrapper->image) ? CUDA_ERROR_NO_BINARY_FOR_GPU
                                                         : load_image(fatbin, library);

    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && linked)
        result = link_objects(wrapper->objects, library);
    return rt_result(result);
}

/* Errors of the image itself. Others say something about the moment: memory that is out, a call in
 * a host function of a stream. */
static bool is_final(cudaError_t error)
{
    return error == cudaErrorInvalidKernelImage || error == cudaErrorNoKernelImageForDevice ||
           error == cudaErrorInvalidPtx || error == cudaErrorUnsupportedPtxVersion ||
           error == cudaErrorJitCompilerNotFound || error == cudaErrorInvalidSource ||
           error == cudaErrorSymbolNotFound || error == cudaErrorJitCompilationDisabled;
}

cudaError_t rt_fatbin_library(struct rt_fatbin *fatbin, CUlibrary *library)
{
    cudaError_t result = cudaSuccess;

    *library = atomic_load_explicit(&fatbin->library, memory_order_acquire);
    if (*library)
        return cudaSuccess;
    if (!fatbin->wrapper || fatbin->wrapper->magic != WRAPPER_MAGIC)
        return cudaErrorInvalidKernelImage;
    /* Linking, unlike loading, needs a context. Making one may load this very image, so it must be
     * there before the lock is taken. */
    if (is_linked(fatbin->wrapper))
        result = rt_context_bind();
    if (result != cudaSuccess)
        return result;
    pthread_mutex_lock(&fatbin->lock);
    *library = atomic_load_explicit(&fatbin->library, memory_order_relaxed);
    if (!*library) {
        result = fatbin->result; /* not success: it is known that loading fails */
        if (result == cudaSuccess)
            result = load(fatbin, library);
        if (is_final(result))
            fatbin->result = result;
        if (result == cudaSuccess)
            atomic_store_explicit(&fatbin->library, *library, memory_order_release);
    }
    pthread_mutex_unlock(&fatbin->lock);
    return result;
}
