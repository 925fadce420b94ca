/* SPDX-License-Identifier: MIT */
/* The few functions and numbers of OpenCL's interface that are needed. */
#include "opencl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_TYPE_CPU = 2, MEM_READ_WRITE = 1, MEM_USE_HOST_PTR = 8, KERNELS_MAX = 16 };

static int (*get_platforms)(unsigned, void **, unsigned *);
static int (*get_devices)(void *, uint64_t, unsigned, void **, unsigned *);
static void *(*create_context)(const intptr_t *, unsigned, void *const *, void *, void *, int *);
static void *(*create_queue)(void *, void *, uint64_t, int *);
static void *(*create_program)(void *, unsigned, const char **, const size_t *, int *);
static int (*build_program)(void *, unsigned, void *const *, const char *, void *, void *);
static void *(*create_kernel)(void *, const char *, int *);
static int (*set_argument)(void *, unsigned, size_t, const void *);
static int (*enqueue)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *,
                      unsigned, void *, void *);
static int (*finish)(void *);
static void *(*create_buffer)(void *, uint64_t, size_t, void *, int *);
static int (*release_buffer)(void *);

static void *context, *queue, *program;
static struct {
    char name[32];
    void *kernel;
} kernels[KERNELS_MAX];

static bool load(void)
{
    static const struct {
        const char *name;
        void *function;
    } names[] = {
        {"clGetPlatformIDs", &get_platforms},
        {"clGetDeviceIDs", &get_devices},
        {"clCreateContext", &create_context},
        {"clCreateCommandQueue", &create_queue},
        {"clCreateProgramWithSource", &create_program},
        {"clBuildProgram", &build_program},
        {"clCreateKernel", &create_kernel},
        {"clSetKernelArg", &set_argument},
        {"clEnqueueNDRangeKernel", &enqueue},
        {"clFinish", &finish},
        {"clCreateBuffer", &create_buffer},
        {"clReleaseMemObject", &release_buffer},
    };
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof names / sizeof names[0]; i++) {
        *(void **)names[i].function = dlsym(library, names[i].name);
        if (!*(void **)names[i].function)
            return false;
    }
    return library != NULL;
}

bool opencl_open(const char *text, const char **why)
{
    void *platforms[8], *device = NULL;
    unsigned count = 0, devices = 0;
    int error = 0;

    if (context)
        return true;
    *why = "no OpenCL (packages ocl-icd-libopencl1 and pocl-opencl-icd)";
    if (!load() || get_platforms(8, platforms, &count) != 0)
        return false;
    for (unsigned i = 0; i < count && i < 8 && devices == 0; i++)
        get_devices(platforms[i], DEVICE_TYPE_CPU, 1, &device, &devices);
    if (devices == 0)
        return false;
    *why = "OpenCL does not compile the kernels";
    context = create_context(NULL, 1, &device, NULL, NULL, &error);
    queue = context ? create_queue(context, device, 0, &error) : NULL;
    program = queue ? create_program(context, 1, &text, NULL, &error) : NULL;
    return program && build_program(program, 1, &device, "", NULL, NULL) == 0;
}

struct opencl_buffer opencl_wrap(void *host, size_t bytes)
{
    int error = 0;
    struct opencl_buffer buffer = {
        create_buffer(context, MEM_READ_WRITE | MEM_USE_HOST_PTR, bytes, host, &error), host};

    if (!buffer.memory) {
        fprintf(stderr, "bench: OpenCL gave no buffer of %zu bytes: %d\n", bytes, error);
        exit(1);
    }
    return buffer;
}

void opencl_release(struct opencl_buffer buffer)
{
    release_buffer(buffer.memory);
}

static void *find_kernel(const char *name)
{
    int error = 0;
    unsigned i = 0;

    while (kernels[i].kernel && strcmp(kernels[i].name, name) != 0)
        i++;
    if (!kernels[i].kernel) {
        snprintf(kernels[i].name, sizeof kernels[i].name, "%s", name);
        kernels[i].kernel = create_kernel(program, name, &error);
    }
    return kernels[i].kernel;
}

void opencl_run(const char *kernel, const size_t global[2], const size_t local[2],
                const struct opencl_argument *arguments, unsigned count)
{
    void *found = find_kernel(kernel);
    int error = found ? 0 : -1;

    for (unsigned i = 0; error == 0 && i < count; i++)
        error = set_argument(found, i, arguments[i].bytes, arguments[i].value);
    if (error == 0)
        error = enqueue(queue, found, 2, NULL, global, local, 0, NULL, NULL);
    if (error == 0)
        error = finish(queue);
    if (error != 0) {
        fprintf(stderr, "bench: OpenCL kernel %s: error %d\n", kernel, error);
        exit(1);
    }
}
