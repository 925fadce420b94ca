/* SPDX-License-Identifier: MIT */
/* OpenGL buffers as graphics resources, on a real OpenGL. */
#include "test.h"

#include "gl_resources.h"

#include <dirent.h>

enum { BYTES = 50000 };

TEST(cuda_reads_and_writes_a_buffer)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    CUdeviceptr pointer;
    size_t size;

    check_success(map(resource));
    check_success(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource));
    check(size == BYTES && device_is(pointer, BYTES, 1));
    device_fill(pointer, BYTES, 2);
    check_success(unmap(resource));
    check(buffer_is(buffer, BYTES, 2));
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

TEST(cuda_sees_what_opengl_rendered_into_a_buffer)
{
    unsigned texture, framebuffer, pixel;

    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(16 * 16 * 4, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, 16, 16, 0, O_RGBA, O_UNSIGNED_BYTE, NULL);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(O_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(O_FRAMEBUFFER, O_COLOR_ATTACHMENT0, O_TEXTURE_2D, texture, 0);
    gl.ClearColor(0.2f, 0.4f, 0.6f, 1);
    gl.Clear(O_COLOR_BUFFER_BIT);
    gl.BindBuffer(O_PIXEL_PACK_BUFFER, buffer);
    gl.ReadPixels(0, 0, 16, 16, O_RGBA, O_UNSIGNED_BYTE, NULL);
    check_success(map(resource));
    check_success(cuMemcpyDtoH(&pixel, pointer_of(resource) + 255 * 4, 4));
    check(pixel == 0xff996633);
    check_success(unmap(resource));
}

TEST(memory_is_where_it_was_each_time)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    check_success(map(resource));
    CUdeviceptr first = pointer_of(resource);
    check_success(unmap(resource));
    check_success(map(resource));
    check(pointer_of(resource) == first);
    check_success(unmap(resource));
}

TEST(read_only_never_writes_back)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);

    check_success(map(resource));
    check(device_is(pointer_of(resource), BYTES, 1));
    device_fill(pointer_of(resource), BYTES, 2);
    check(device_is(pointer_of(resource), BYTES, 2));
    check_success(unmap(resource));
    check(buffer_is(buffer, BYTES, 1));
    check_success(cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE));
    check_success(map(resource));
    device_fill(pointer_of(resource), BYTES, 3);
    check_success(unmap(resource));
    check(buffer_is(buffer, BYTES, 3));
}

/* Storage that OpenGL does not map, or maps one way only. */
TEST(immutable_storage_of_every_kind)
{
    static const unsigned rights[] = {0,
                                      0x100,
                                      O_MAP_READ,
                                      O_MAP_WRITE,
                                      O_MAP_READ | O_MAP_WRITE,
                                      O_MAP_READ | O_MAP_WRITE | O_MAP_PERSISTENT | O_MAP_COHERENT};
    unsigned char data[BYTES];

    with_opengl(OPENGL_CORE);
    fill(data, BYTES, 1);
    for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
        unsigned buffer;
        gl.GenBuffers(1, &buffer);
        gl.BindBuffer(O_ARRAY_BUFFER, buffer);
        gl.BufferStorage(O_ARRAY_BUFFER, BYTES, data, rights[i]);
        CUgraphicsResource resource = register_buffer(buffer, 0);
        check_success(map(resource));
        check(device_is(pointer_of(resource), BYTES, 1));
        device_fill(pointer_of(resource), BYTES, 2);
        check_success(unmap(resource));
        check(buffer_is(buffer, BYTES, 2));
        check_success(cuGraphicsUnregisterResource(resource));
    }
    check(gl.GetError() == 0);
}

TEST(a_buffer_registered_twice_is_one)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource one = register_buffer(buffer, 0), two = register_buffer(buffer, 0);
    CUgraphicsResource three = register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);

    check_success(map(one));
    check_success(map(two));
    device_fill(pointer_of(one), BYTES, 2);
    check(device_is(pointer_of(two), BYTES, 2));
    check_success(map(three));
    check(device_is(pointer_of(three), BYTES, 2));
    check_success(unmap(one));
    device_fill(pointer_of(two), BYTES, 3);
    check_success(unmap(two));
    check_success(unmap(three));
    check(buffer_is(buffer, BYTES, 3));
}

TEST(mapping_twice_or_not_at_all_is_an_error)
{
    CUgraphicsResource list[3];
    CUdeviceptr pointer = 7;
    size_t size = 7;

    with_opengl(OPENGL_CORE);
    for (int i = 0; i < 3; i++)
        list[i] = register_buffer(new_buffer(BYTES, 1), 0);
    check_result(unmap(list[0]), CUDA_ERROR_NOT_MAPPED);
    check_result(cuGraphicsResourceGetMappedPointer(&pointer, &size, list[0]),
                 CUDA_ERROR_NOT_MAPPED);
    check(pointer == 0 && size == 0);
    check_success(map(list[1]));
    check_result(map(list[1]), CUDA_ERROR_ALREADY_MAPPED);
    check_result(cuGraphicsMapResources(3, list, NULL), CUDA_ERROR_ALREADY_MAPPED);
    check_result(unmap(list[0]), CUDA_ERROR_NOT_MAPPED);
    check_result(cuGraphicsUnmapResources(3, list, NULL), CUDA_ERROR_NOT_MAPPED);
    check_result(cuGraphicsUnregisterResource(list[1]), CUDA_ERROR_ALREADY_MAPPED);
    check_result(cuGraphicsResourceSetMapFlags(list[1], 0), CUDA_ERROR_ALREADY_MAPPED);
    check_success(unmap(list[1]));
    list[2] = list[1];
    check_result(cuGraphicsMapResources(3, list, NULL), CUDA_ERROR_ALREADY_MAPPED);
    check_result(unmap(list[0]), CUDA_ERROR_NOT_MAPPED);
    check_result(cuGraphicsMapResources(0, list, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsMapResources(1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    list[2] = NULL;
    check_result(cuGraphicsMapResources(3, list, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(unmap(list[0]), CUDA_ERROR_NOT_MAPPED);
}

TEST(a_buffer_is_no_array)
{
    CUmipmappedArray mipmap;
    CUarray array;

    with_opengl(OPENGL_CORE);
    CUgraphicsResource resource = register_buffer(new_buffer(BYTES, 1), 0);
    check_success(map(resource));
    check_result(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
                 CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    check_result(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, resource),
                 CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
}

TEST(what_is_no_buffer_is_refused)
{
    CUgraphicsResource resource;
    unsigned buffer;

    with_opengl(OPENGL_CORE);
    check_result(cuGraphicsGLRegisterBuffer(&resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsGLRegisterBuffer(&resource, 12345, 0), CUDA_ERROR_INVALID_HANDLE);
    buffer = new_buffer(BYTES, 1);
    check_result(cuGraphicsGLRegisterBuffer(NULL, buffer, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsGLRegisterBuffer(&resource, buffer, 4), CUDA_ERROR_INVALID_VALUE);
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(O_ARRAY_BUFFER, buffer);
    check_result(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_ERROR_OUT_OF_MEMORY);
    check(gl.GetError() == 0);
}

TEST(without_an_opengl_context)
{
    CUgraphicsResource resource, other;
    unsigned count;
    CUdevice device;

    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    resource = register_buffer(buffer, 0);
    check_success(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
    check(count == 1 && device == 0);
    opengl_make_current(&gl, NULL);
    check_result(cuGraphicsGLRegisterBuffer(&other, buffer, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(map(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    check_result(cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    check_result(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL),
                 CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    opengl_make_current(&gl, gl.context);
    check_success(map(resource));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
}

TEST(a_deleted_buffer_lives_until_it_is_unregistered)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    check_success(map(resource));
    gl.DeleteBuffers(1, &buffer);
    check(device_is(pointer_of(resource), BYTES, 1));
    device_fill(pointer_of(resource), BYTES, 2);
    check_success(unmap(resource));
    for (int i = 0; i < 8; i++)
        new_buffer(2 * BYTES, 3);
    check_success(map(resource));
    check(device_is(pointer_of(resource), BYTES, 2));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

TEST(a_resized_buffer_is_as_large_as_it_is)
{
    static const size_t sizes[] = {4 * BYTES, BYTES, 100};
    unsigned char data[4 * BYTES];

    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    for (int i = 0; i < 3; i++) {
        fill(data, sizes[i], 5);
        gl.BindBuffer(O_ARRAY_BUFFER, buffer);
        gl.BufferData(O_ARRAY_BUFFER, (ptrdiff_t)sizes[i], data, O_DYNAMIC_DRAW);
        check_success(map(resource));
        check(device_is(pointer_of(resource), sizes[i], 5));
        check_result(cuMemcpyDtoH(data, pointer_of(resource), sizes[i] + 65536),
                     CUDA_ERROR_INVALID_VALUE);
        check_success(unmap(resource));
    }
    gl.BufferData(O_ARRAY_BUFFER, 0, NULL, O_DYNAMIC_DRAW);
    check_result(map(resource), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuGraphicsUnregisterResource(resource));
}

TEST(a_buffer_the_application_has_mapped)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    gl.BindBuffer(O_ARRAY_BUFFER, buffer);
    check(gl.MapBufferRange(O_ARRAY_BUFFER, 0, BYTES, O_MAP_READ | O_MAP_WRITE) != NULL);
    check_success(map(resource));
    check(device_is(pointer_of(resource), BYTES, 1));
    check(gl.MapBufferRange(O_ARRAY_BUFFER, 0, BYTES, O_MAP_READ) == NULL);
    check(gl.GetError() == O_INVALID_OPERATION);
    check_success(unmap(resource));
    gl.UnmapBuffer(O_ARRAY_BUFFER);
    check(gl.GetError() == O_INVALID_OPERATION);
}

/* Nobody may touch what OpenGL has back: it may be anything by now. */
TEST(memory_cannot_be_used_after_unmapping)
{
    unsigned char byte;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    check_success(map(resource));
    CUdeviceptr pointer = pointer_of(resource);
    check_result(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
    check_success(unmap(resource));
    check_result(cuMemcpyDtoH(&byte, pointer, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD8(pointer, 0, BYTES), CUDA_ERROR_INVALID_VALUE);
    check(buffer_is(buffer, BYTES, 1));
}

TEST(mapped_memory_is_device_memory)
{
    unsigned type = 0, flag = 7;
    CUcontext owner = NULL, context = with_opengl(OPENGL_CORE);
    CUgraphicsResource resource = register_buffer(new_buffer(BYTES, 1), 0);
    CUdeviceptr pointer;

    check_success(map(resource));
    pointer = pointer_of(resource);
    check_success(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer));
    check(type == CU_MEMORYTYPE_DEVICE);
    check_success(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, pointer + 100));
    check(owner == context);
    check_success(
        cuPointerGetAttribute(&flag, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, pointer));
    check(flag == 0);
    check_success(cuPointerGetAttribute(&flag, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointer));
    check(flag == 1);
}

static void CUDA_CB wait_for(void *argument)
{
    flag_wait(argument);
}

static void *raise_soon(void *argument)
{
    for (int i = 0; i < 100; i++)
        nap();
    flag_raise(argument);
    return NULL;
}

/* Map waits for nothing in the stream; unmap for all of it. */
TEST(unmapping_waits_for_the_stream)
{
    unsigned char data[BYTES];
    struct flag flag = {0};
    pthread_t thread;
    CUstream stream;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for, &flag));
    check_success(cuGraphicsMapResources(1, &resource, stream));
    check(!flag_is_raised(&flag));
    fill(data, BYTES, 2);
    check_success(cuMemcpyHtoDAsync(pointer_of(resource), data, BYTES, stream));
    check(pthread_create(&thread, NULL, raise_soon, &flag) == 0);
    check_success(cuGraphicsUnmapResources(1, &resource, stream));
    check(flag_is_raised(&flag) && buffer_is(buffer, BYTES, 2));
    pthread_join(thread, NULL);
}

static int value_of(unsigned name)
{
    int value = -1;

    gl.GetIntegerv(name, &value);
    return value;
}

TEST(the_applications_state_is_left_alone)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1), other = new_buffer(100, 2);
    int array = value_of(O_VERTEX_ARRAY_BINDING);

    gl.BindBuffer(O_COPY_READ_BUFFER, other);
    gl.BindBuffer(O_ARRAY_BUFFER, other);
    gl.Enable(0xFFFF); /* an error the application has not looked at yet */
    CUgraphicsResource resource = register_buffer(buffer, 0);
    check_success(map(resource));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == O_INVALID_ENUM && gl.GetError() == 0);
    check(value_of(O_COPY_READ_BUFFER) == (int)other);
    check(value_of(O_ARRAY_BUFFER_BINDING) == (int)other);
    check(value_of(O_VERTEX_ARRAY_BINDING) == array);
}

TEST(a_context_that_shares_the_buffer_maps_it)
{
    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    opengl_make_current(&gl, opengl_context(&gl, gl.context));
    check_success(map(resource));
    check(device_is(pointer_of(resource), BYTES, 1));
    device_fill(pointer_of(resource), BYTES, 2);
    check_success(unmap(resource));
    check(buffer_is(buffer, BYTES, 2));
    only_cupipe();
    opengl_make_current(&gl, opengl_context(&gl, NULL));
    new_buffer(BYTES, 3); /* of the same name, most likely */
    check_result(map(resource), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}

struct worker {
    CUcontext context;
    void *gl_context;
    unsigned seed;
};

static void *work_alone(void *argument)
{
    const struct worker *worker = argument;

    check_success(cuCtxSetCurrent(worker->context));
    opengl_make_current(&gl, worker->gl_context);
    unsigned buffer = new_buffer(BYTES, worker->seed);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    for (unsigned i = 0; i < 200; i++) {
        check_success(map(resource));
        check(device_is(pointer_of(resource), BYTES, worker->seed + i));
        device_fill(pointer_of(resource), BYTES, worker->seed + i + 1);
        check_success(unmap(resource));
        check(buffer_is(buffer, BYTES, worker->seed + i + 1));
    }
    check_success(cuGraphicsUnregisterResource(resource));
    opengl_make_current(&gl, NULL);
    return NULL;
}

TEST(two_contexts_on_two_threads)
{
    CUcontext context = with_opengl(OPENGL_CORE);
    struct worker workers[2];
    pthread_t threads[2];

    for (unsigned i = 0; i < 2; i++) {
        workers[i] = (struct worker){context, opengl_context(&gl, NULL), 1000 * i};
        check(pthread_create(&threads[i], NULL, work_alone, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

TEST(resources_end_with_their_context)
{
    CUcontext context;
    CUdevice device;

    with_opengl(OPENGL_CORE);
    check_success(cuDeviceGet(&device, 0));
    unsigned buffer = new_buffer(BYTES, 1);
    check_success(cuCtxCreate(&context, NULL, 0, device));
    CUgraphicsResource resource = register_buffer(buffer, 0);
    check_success(map(resource));
    device_fill(pointer_of(resource), BYTES, 2);
    check_success(cuCtxDestroy(context));
    check(buffer_is(buffer, BYTES, 2) && gl.GetError() == 0);
    check_result(cuGraphicsUnregisterResource(resource), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(stale_and_invented_handles_are_errors)
{
    char zero[256] = {0};

    with_opengl(OPENGL_CORE);
    only_cupipe();
    CUgraphicsResource resource = register_buffer(new_buffer(BYTES, 1), 0);
    check_success(cuGraphicsUnregisterResource(resource));
    check_result(cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_HANDLE);
    check_result(map(resource), CUDA_ERROR_INVALID_HANDLE);
    check_result(map((CUgraphicsResource)(void *)zero), CUDA_ERROR_INVALID_HANDLE);
    check_result(map((CUgraphicsResource)(uintptr_t)0x1234567), CUDA_ERROR_INVALID_HANDLE);
}

TEST(the_first_functions)
{
    CUdeviceptr pointer;
    size_t size;

    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(BYTES, 1);
    check_success(cuGLInit());
    check_result(cuGLMapBufferObject(&pointer, &size, buffer), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGLRegisterBufferObject(12345), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuGLRegisterBufferObject(buffer));
    check_success(cuGLMapBufferObject(&pointer, &size, buffer));
    check(size == BYTES && device_is(pointer, BYTES, 1));
    check_result(cuGLMapBufferObject(&pointer, &size, buffer), CUDA_ERROR_ALREADY_MAPPED);
    check_success(cuGLUnmapBufferObject(buffer));
    check_success(cuGLSetBufferObjectMapFlags(buffer, CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
    check_success(cuGLMapBufferObjectAsync(&pointer, &size, buffer, NULL));
    device_fill(pointer, BYTES, 2);
    check_success(cuGLUnmapBufferObjectAsync(buffer, NULL));
    check(buffer_is(buffer, BYTES, 2));
    check_success(cuGLUnregisterBufferObject(buffer));
    check_result(cuGLUnregisterBufferObject(buffer), CUDA_ERROR_INVALID_VALUE);
}

static unsigned descriptor_count(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void rounds(CUgraphicsResource *resources, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        check_success(cuGraphicsMapResources(2, resources, NULL));
        check_success(cuGraphicsUnmapResources(2, resources, NULL));
    }
}

TEST(a_hundred_thousand_rounds_leak_nothing)
{
    CUgraphicsResource resources[2];

    with_opengl(OPENGL_CORE);
    resources[0] = register_buffer(new_buffer(1 << 20, 1), 0);
    resources[1] = register_buffer(new_buffer(100, 1), CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    rounds(resources, 1000);
    long before = resident_kib();
    unsigned descriptors = descriptor_count();
    rounds(resources, 100000);
    check_growth(before, 1024);
    check(descriptor_count() == descriptors);
}

TEST(registrations_leak_nothing)
{
    long before = 0;

    with_opengl(OPENGL_CORE);
    unsigned buffer = new_buffer(1 << 16, 1);
    for (unsigned i = 0; i < 3000; i++) {
        if (i == 500)
            before = resident_kib();
        CUgraphicsResource resource = register_buffer(buffer, i % 3);
        check_success(map(resource));
        check_success(unmap(resource));
        check_success(cuGraphicsUnregisterResource(resource));
    }
    check_growth(before, 2048);
}
