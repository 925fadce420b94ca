/* SPDX-License-Identifier: MIT */
/*
 * Loads fat binaries. A program that was built with -rdc=true brings the linked machine code and
 * the objects it was linked from; where the driver cannot use the former, the PTX of the latter is
 * linked by the driver.
 */
#include "fatbin.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    IMAGE_MAGIC = (int)0xba55ed50,
    IMAGE_HEADER_BYTES = 16,
    ENTRY_HEADER_BYTES = 64,
    ENTRY_PTX = 1,
    ENTRY_MACHINE_CODE = 2,
    WRAPPER_LINKED = 2,
};

static size_t image_bytes(const void *image)
{
    uint16_t header_bytes;
    uint64_t payload_bytes;
    int magic;

    memcpy(&magic, image, sizeof magic);
    if (magic != IMAGE_MAGIC)
        return 0;
    memcpy(&header_bytes, (const char *)image + 6, sizeof header_bytes);
    memcpy(&payload_bytes, (const char *)image + 8, sizeof payload_bytes);
    return header_bytes + payload_bytes;
}

/* Appends " sm_75" and the like for each entry with machine code. False if there is PTX. */
static bool list_machine_code(const void *image, char *text, size_t room)
{
    const char *bytes = image;
    size_t end = image_bytes(image), at = IMAGE_HEADER_BYTES, length = 0;

    text[0] = '\0';
    while (at + ENTRY_HEADER_BYTES <= end) {
        uint16_t kind;
        uint32_t header_bytes, capability;
        uint64_t payload_bytes;

        memcpy(&kind, bytes + at, sizeof kind);
        memcpy(&header_bytes, bytes + at + 4, sizeof header_bytes);
        memcpy(&payload_bytes, bytes + at + 8, sizeof payload_bytes);
        memcpy(&capability, bytes + at + 28, sizeof capability);
        if (kind == ENTRY_PTX)
            return false;
        if (kind == ENTRY_MACHINE_CODE && length + 12 < room)
            length += (size_t)snprintf(text + length, room - length, " sm_%u", capability);
        if (header_bytes < ENTRY_HEADER_BYTES || payload_bytes > end - at)
            break;
        at += header_bytes + payload_bytes;
    }
    return length > 0;
}

/* Says once in the process what is wrong with a program that carries no PTX. */
static void say_no_image(const void *image)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char targets[256];

    if (!list_machine_code(image, targets, sizeof targets) || atomic_flag_test_and_set(&said))
        return;
    fprintf(
        stderr,
        "libcudart: this program carries machine code for%s alone, which this driver cannot run; "
        "compile it with -gencode arch=compute_90,code=compute_90 so that it carries PTX\n",
        targets);
}

static CUresult link_objects(const struct rt_fatbin_wrapper *wrapper, CUlibrary *library)
{
    CUlinkState state;
    void *image;
    size_t bytes;
    CUresult result = rt_driver.cuLinkCreate_v2(0, NULL, NULL, &state);

    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; wrapper->objects[i] && result == CUDA_SUCCESS; i++) {
        bytes = image_bytes(wrapper->objects[i]);
        result = rt_driver.cuLinkAddData_v2(state, CU_JIT_INPUT_FATBINARY,
                                            (void *)(uintptr_t)wrapper->objects[i], bytes, "object",
                                            0, NULL, NULL);
    }
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuLinkComplete(state, &image, &bytes);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuLibraryLoadData(library, image, NULL, NULL, 0, NULL, NULL, 0);
    rt_driver.cuLinkDestroy(state);
    return result;
}

static cudaError_t load(struct rt_fatbin *fatbin, CUlibrary *library)
{
    const struct rt_fatbin_wrapper *wrapper = fatbin->wrapper;
    CUresult result =
        rt_driver.cuLibraryLoadData(library, wrapper->image, NULL, NULL, 0, NULL, NULL, 0);

    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && wrapper->version == WRAPPER_LINKED &&
        wrapper->objects && wrapper->objects[0]) {
        CUresult linked = link_objects(wrapper, library);

        if (linked != CUDA_ERROR_NOT_SUPPORTED)
            result = linked;
    }
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU)
        say_no_image(wrapper->image);
    return rt_result(result);
}

cudaError_t rt_fatbin_library(struct rt_fatbin *fatbin, CUlibrary *library)
{
    cudaError_t result = cudaSuccess;

    *library = atomic_load_explicit(&fatbin->library, memory_order_acquire);
    if (*library)
        return cudaSuccess;
    pthread_mutex_lock(&fatbin->lock);
    *library = atomic_load_explicit(&fatbin->library, memory_order_relaxed);
    if (!*library) {
        if (fatbin->result == cudaSuccess)
            fatbin->result = load(fatbin, library);
        result = fatbin->result;
        if (result == cudaSuccess)
            atomic_store_explicit(&fatbin->library, *library, memory_order_release);
    }
    pthread_mutex_unlock(&fatbin->lock);
    return result;
}
