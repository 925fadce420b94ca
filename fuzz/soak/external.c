/* SPDX-License-Identifier: MIT */
/* Memory of others: a file mapped as a buffer and as an image, seen through CUDA and through the
 * file; and memory of a pool through its own descriptor. */
#include "soak.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void as_buffer(CUexternalMemory memory, unsigned char *view, size_t bytes)
{
    size_t count = 1 + draw(bytes), at = draw((bytes - count) / 256 + 1) * 256;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.offset = at, .size = count};
    unsigned char *sent = room(count), *came = room(count);
    CUdeviceptr mapped;

    must(cuExternalMemoryGetMappedBuffer(&mapped, memory, &part));
    fill(sent, count, draw(1 << 30));
    must(cuMemcpyHtoD(mapped, sent, count));
    same(view + at, sent, count, "what CUDA wrote into a file");
    fill(view + at, count, draw(1 << 30));
    must(cuMemcpyDtoH(came, mapped, count));
    same(came, view + at, count, "what a file has for CUDA");
    must(cuMemFree(mapped));
    free(sent);
    free(came);
}

static void as_image(CUexternalMemory memory)
{
    size_t width = 1 + draw(100), height = 1 + draw(50), bytes = width * 4 * height;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC part = {
        .arrayDesc = {width, height, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, .numLevels = 1};
    unsigned char *sent = room(bytes), *came = room(bytes);
    CUmipmappedArray mipmap;
    CUarray array;

    must(cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &part));
    must(cuMipmappedArrayGetLevel(&array, mipmap, 0));
    fill(sent, bytes, draw(1 << 30));
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = sent,
                        .srcPitch = width * 4,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = width * 4,
                        .Height = height};
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = came,
                         .dstPitch = width * 4,
                         .WidthInBytes = width * 4,
                         .Height = height};
    must(cuMemcpy2D(&in));
    must(cuMemcpy2D(&out));
    same(came, sent, bytes, "an image of external memory");
    must(cuMipmappedArrayDestroy(mipmap));
    free(sent);
    free(came);
}

void soak_external(void)
{
    size_t bytes = (size_t)65536 * (1 + draw(16));
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = bytes};
    int fd = memfd_create("soak", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CUexternalMemory memory;

    must_be(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    unsigned char *view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must_be(view != MAP_FAILED);
    file.handle.fd = fd;
    must(cuImportExternalMemory(&memory, &file));
    as_buffer(memory, view, bytes);
    as_image(memory);
    as_buffer(memory, view, bytes);
    must(cuDestroyExternalMemory(memory));
    munmap(view, bytes);
}
