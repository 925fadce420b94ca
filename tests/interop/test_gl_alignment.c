/* SPDX-License-Identifier: MIT */
/* Buffers of an OpenGL that aligns them to little: textures and vector accesses work on them, and
 * what CUDA writes arrives. Mesa allocates a buffer's memory with posix_memalign, which is ours
 * here and hands out addresses as the test wants them. */
#include "test.h"

#include "gl_resources.h"

#include "fetch.h"

#include <errno.h>

#if defined(TEST_UNDER_ASAN) || defined(TEST_UNDER_TSAN)
/* Sanitizers have a posix_memalign and a free of their own. */
TEST(buffers_at_any_address)
{
    skip("the sanitizer's allocator cannot be replaced");
}
#else

enum { POOL_BYTES = 1 << 22, BYTES = 4096 };

static unsigned char pool[POOL_BYTES] __attribute__((aligned(4096)));
static size_t pool_used;
static size_t wanted; /* low bits of the addresses that are handed out; 0: those of the C library */

extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

static bool is_of_pool(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)pool < POOL_BYTES;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (wanted && pool_used + bytes + 8192 < POOL_BYTES) {
        *memory = pool + pool_used + wanted;
        pool_used += (bytes + 4095) / 4096 * 4096 + 4096;
        return 0;
    }
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

void free(void *memory)
{
    if (!is_of_pool(memory))
        __libc_free(memory);
}

static unsigned new_buffer_at(size_t low_bits, unsigned seed)
{
    wanted = low_bits;
    unsigned buffer = new_buffer(BYTES, seed);
    wanted = 0;
    gl.BindBuffer(O_ARRAY_BUFFER, buffer);
    void *mapped = gl.MapBufferRange(O_ARRAY_BUFFER, 0, BYTES, O_MAP_READ);
    gl.UnmapBuffer(O_ARRAY_BUFFER);
    gl.BindBuffer(O_ARRAY_BUFFER, 0);
    if (!is_of_pool(mapped) || (uintptr_t)mapped % 4096 != low_bits)
        skip("this OpenGL does not use posix_memalign");
    return buffer;
}

static void use_buffer_at(size_t low_bits)
{
    unsigned char data[BYTES];
    unsigned buffer = new_buffer_at(low_bits, 5);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    fill(data, BYTES, 5);
    for (unsigned round = 0; round < 2; round++) {
        check_success(map(resource));
        CUdeviceptr pointer = pointer_of(resource);
        check_line(pointer, data, BYTES, &fetch_formats[8]);
        check_picture(pointer, data, 32, 7, 544, &fetch_formats[6]);
        check_offsets(pointer, data, BYTES);
        check_vectors(pointer, data, BYTES);
        for (size_t i = 0; i < BYTES; i++)
            data[i] = (unsigned char)~data[i];
        check_success(unmap(resource));
    }
    check(buffer_is(buffer, BYTES, 5));
    check_success(cuGraphicsUnregisterResource(resource));
    gl.DeleteBuffers(1, &buffer);
}

TIER_TEST(buffers_at_any_address)
{
    with_opengl(OPENGL_CORE);
    only_cupipe();
    for (size_t low_bits = 4; low_bits <= 1024; low_bits *= 2) {
        use_buffer_at(low_bits);
        use_buffer_at(4096 - low_bits);
    }
}

/* Nothing is copied where the accesses of kernels work. */
TEST(memory_aligned_to_16_bytes_is_opengls_own)
{
    with_opengl(OPENGL_CORE);
    only_cupipe();
    CUgraphicsResource resource = register_buffer(new_buffer_at(48, 1), 0);
    check_success(map(resource));
    check(is_of_pool((void *)(uintptr_t)pointer_of(resource)));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
}
#endif
