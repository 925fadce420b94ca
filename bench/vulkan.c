/* SPDX-License-Identifier: MIT */
/* Memory that a Vulkan driver made, imported, mapped and freed, against the bare mapping that there
 * must be at least. The driver is lavapipe or, without it, SwiftShader. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#ifdef BENCH_VULKAN
#include "vulkan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
    int fd;
    size_t bytes, allocated;
};

/* Each turn gives a descriptor away, so it begins with making one. */
static void import_map_free(void *argument, size_t count)
{
    const struct shared *shared = argument;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;

    memset(&handle, 0, sizeof(handle));
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.size = shared->allocated;
    memset(&buffer, 0, sizeof(buffer));
    buffer.size = shared->bytes;
    for (size_t i = 0; i < count; i++) {
        CUexternalMemory memory;
        CUdeviceptr pointer;
        handle.handle.fd = fcntl(shared->fd, F_DUPFD_CLOEXEC, 0);
        must(cuImportExternalMemory(&memory, &handle));
        must(cuExternalMemoryGetMappedBuffer(&pointer, memory, &buffer));
        must(cuMemFree(pointer));
        must(cuDestroyExternalMemory(memory));
    }
}

static void map_bare(void *argument, size_t count)
{
    const struct shared *shared = argument;

    for (size_t i = 0; i < count; i++) {
        void *memory = mmap(NULL, shared->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
        if (memory == MAP_FAILED) {
            perror("bench: mmap of Vulkan memory");
            exit(1);
        }
        bench_keep(memory);
        munmap(memory, shared->bytes);
    }
}

static struct bench_result measure_import(const struct bench_row *row)
{
    struct bench_result result = {0};
    struct vulkan vk;
    struct vulkan_buffer buffer;
    const char *reason = vulkan_open(&vk, VULKAN_LAVAPIPE);

    if (reason)
        reason = vulkan_open(&vk, VULKAN_SWIFTSHADER);
    if (reason) {
        snprintf(result.note, sizeof(result.note), "%s", reason);
        return result;
    }
    vulkan_buffer_create(&vk, row->bytes, &buffer);
    vulkan_buffer_fill(&vk, &buffer, 0, row->bytes, 1);
    struct shared shared = {vulkan_memory_fd(&vk, buffer.memory), row->bytes,
                            buffer.allocated_bytes};
    result = bench_short((struct bench_side){import_map_free, &shared},
                         (struct bench_side){map_bare, &shared});
    snprintf(result.note, sizeof(result.note), "%.50s", vk.properties.deviceName);
    close(shared.fd);
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
    return result;
}
#else
static struct bench_result measure_import(const struct bench_row *row)
{
    struct bench_result result = {0};

    (void)row;
    snprintf(result.note, sizeof(result.note), "built without Vulkan's headers");
    return result;
}
#endif

const struct bench_row bench_vulkan_rows[] = {
    {.name = "import, map, free 256 MiB of Vulkan's",
     .reference = "mmap+munmap",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 3,
     .measure = measure_import,
     .bytes = (size_t)256 << 20},
    {0},
};
