/* SPDX-License-Identifier: MIT */
/* OpenGL objects and graphics resources in one line, for the tests of OpenGL. Included after
 * test.h; one context a process, in `gl`. */
#ifndef INTEROP_GL_RESOURCES_H
#define INTEROP_GL_RESOURCES_H

#include "opengl.h"

#include <cudaGL.h>

static struct opengl gl;

static inline CUcontext with_opengl(enum opengl_kind kind)
{
    CUcontext context = with_context();
    const char *reason = opengl_open_egl(&gl, kind);

    if (reason)
        skip(reason);
    return context;
}

static inline void fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *byte = memory;

    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)((i * 2654435761u + seed * 40503u) >> 13);
}

static inline bool is_filled(const void *memory, size_t bytes, unsigned seed)
{
    const unsigned char *byte = memory;

    for (size_t i = 0; i < bytes; i++) {
        if (byte[i] != (unsigned char)((i * 2654435761u + seed * 40503u) >> 13))
            return false;
    }
    return true;
}

static inline unsigned new_buffer(size_t bytes, unsigned seed)
{
    void *data = malloc(bytes);
    unsigned buffer;

    fill(data, bytes, seed);
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(O_ARRAY_BUFFER, buffer);
    gl.BufferData(O_ARRAY_BUFFER, (ptrdiff_t)bytes, data, O_DYNAMIC_DRAW);
    gl.BindBuffer(O_ARRAY_BUFFER, 0);
    free(data);
    return buffer;
}

static inline bool buffer_is(unsigned buffer, size_t bytes, unsigned seed)
{
    unsigned char *data = calloc(1, bytes);

    gl.BindBuffer(O_ARRAY_BUFFER, buffer);
    void *mapped = gl.MapBufferRange(O_ARRAY_BUFFER, 0, (ptrdiff_t)bytes, O_MAP_READ);
    if (mapped) {
        memcpy(data, mapped, bytes);
        gl.UnmapBuffer(O_ARRAY_BUFFER);
    } else if (gl.GetBufferSubData) {
        gl.GetError();
        gl.GetBufferSubData(O_ARRAY_BUFFER, 0, (ptrdiff_t)bytes, data);
    }
    gl.BindBuffer(O_ARRAY_BUFFER, 0);
    bool is = is_filled(data, bytes, seed);
    free(data);
    return is;
}

static inline bool device_is(CUdeviceptr pointer, size_t bytes, unsigned seed)
{
    void *data = calloc(1, bytes);

    check_success(cuMemcpyDtoH(data, pointer, bytes));
    bool is = is_filled(data, bytes, seed);
    free(data);
    return is;
}

static inline void device_fill(CUdeviceptr pointer, size_t bytes, unsigned seed)
{
    void *data = malloc(bytes);

    fill(data, bytes, seed);
    check_success(cuMemcpyHtoD(pointer, data, bytes));
    free(data);
}

static inline CUgraphicsResource register_buffer(unsigned buffer, unsigned flags)
{
    CUgraphicsResource resource;

    check_success(cuGraphicsGLRegisterBuffer(&resource, buffer, flags));
    return resource;
}

static inline CUgraphicsResource register_image(unsigned name, unsigned target, unsigned flags)
{
    CUgraphicsResource resource;

    check_success(cuGraphicsGLRegisterImage(&resource, name, target, flags));
    return resource;
}

static inline CUresult map(CUgraphicsResource resource)
{
    return cuGraphicsMapResources(1, &resource, NULL);
}

static inline CUresult unmap(CUgraphicsResource resource)
{
    return cuGraphicsUnmapResources(1, &resource, NULL);
}

static inline CUdeviceptr pointer_of(CUgraphicsResource resource)
{
    CUdeviceptr pointer;
    size_t size;

    check_success(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource));
    return pointer;
}

static inline CUarray array_of(CUgraphicsResource resource, unsigned index, unsigned level)
{
    CUarray array;

    check_success(cuGraphicsSubResourceGetMappedArray(&array, resource, index, level));
    return array;
}

static inline void copy_array(CUarray array, void *memory, size_t row_bytes, size_t height,
                              size_t depth, bool to_array)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = row_bytes, .Height = height, .Depth = depth};

    copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    copy.srcArray = copy.dstArray = array;
    copy.srcHost = copy.dstHost = memory;
    copy.srcPitch = copy.dstPitch = row_bytes;
    copy.srcHeight = copy.dstHeight = height;
    check_success(cuMemcpy3D(&copy));
}

static inline long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    check(file && fscanf(file, "%*s %ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* Has the process grown by less? A sanitizer keeps what is freed, so that nothing can be said. */
static inline void check_growth(long before_kib, long limit_kib)
{
#ifdef __SANITIZE_ADDRESS__
    (void)before_kib;
    (void)limit_kib;
#else
    check(resident_kib() - before_kib < limit_kib);
#endif
}

#endif
