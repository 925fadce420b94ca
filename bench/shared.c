/* SPDX-License-Identifier: MIT */
/* Memory of another process and mappings of virtual memory, against the bare system calls that
 * there must be at least. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t mapping_bytes = (size_t)2 << 20;

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* A file of so many bytes, all of them there. */
static int file_create(size_t bytes)
{
    int file = memfd_create("bench", MFD_CLOEXEC);

    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        fail("bench: memfd_create");
    return file;
}

/* IPC. The exporter has allocations, and a file of the size of one for the reference. What was
 * closed may stay mapped for the next time it is opened: going through many allocations in turn
 * opens one anew each time. */

enum { EXPORTED = 64 };

struct exported {
    CUipcMemHandle handles[EXPORTED];
    int file;
};

struct opener {
    const CUipcMemHandle *handles;
    size_t count, next;
};

const char bench_mode_exporter[] = "--exporter";

int bench_exporter_main(void)
{
    struct exported exported = {.file = file_create(mapping_bytes)};
    CUdeviceptr memory;

    bench_open();
    for (size_t i = 0; i < EXPORTED; i++) {
        must(cuMemAlloc(&memory, mapping_bytes));
        must(cuIpcGetMemHandle(&exported.handles[i], memory));
    }
    if (fwrite(&exported, sizeof(exported), 1, stdout) != 1 || fflush(stdout) != 0)
        fail("bench: the exporter");
    while (getchar() != EOF)
        ;
    return 0;
}

static void open_handle(void *argument, size_t count)
{
    struct opener *opener = argument;

    for (size_t i = 0; i < count; i++) {
        CUdeviceptr memory;
        must(cuIpcOpenMemHandle(&memory, opener->handles[opener->next++ % opener->count],
                                CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        must(cuIpcCloseMemHandle(memory));
    }
}

static void open_file(void *argument, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int opened = open(argument, O_RDWR | O_CLOEXEC);
        void *memory = mmap(NULL, mapping_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);

        if (opened < 0 || memory == MAP_FAILED)
            fail("bench: the exporter's file");
        munmap(memory, mapping_bytes);
        close(opened);
    }
}

static struct bench_result against_file(size_t handle_count)
{
    struct bench_child child = bench_child_start(bench_mode_exporter);
    FILE *from_child = fdopen(dup(child.reader), "r");
    struct exported exported;
    char path[64];

    if (!from_child || fread(&exported, sizeof(exported), 1, from_child) != 1)
        fail("bench: the exporter");
    fclose(from_child);
    struct opener opener = {exported.handles, handle_count, 0};
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", child.pid, exported.file);
    struct bench_result result = bench_short((struct bench_side){open_handle, &opener},
                                             (struct bench_side){open_file, path});
    bench_child_end(&child);
    return result;
}

static struct bench_result measure_ipc_first(const struct bench_row *row)
{
    (void)row;
    return against_file(EXPORTED);
}

static struct bench_result measure_ipc_again(const struct bench_row *row)
{
    (void)row;
    return against_file(1);
}

/* Mappings. */

static CUmemGenericAllocationHandle handle;
static CUdeviceptr reserved;
static int file;

static void map_unmap(void *argument, size_t count)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must(cuMemMap(reserved, mapping_bytes, 0, handle, 0));
        must(cuMemSetAccess(reserved, mapping_bytes, &access, 1));
        must(cuMemUnmap(reserved, mapping_bytes));
    }
}

static void mmap_munmap(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        void *memory = mmap(NULL, mapping_bytes, PROT_NONE, MAP_SHARED, file, 0);

        if (memory == MAP_FAILED || mprotect(memory, mapping_bytes, PROT_READ | PROT_WRITE) != 0)
            fail("bench: mmap");
        munmap(memory, mapping_bytes);
    }
}

static struct bench_result measure_mapping(const struct bench_row *row)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

    (void)row;
    file = file_create(mapping_bytes);
    must(cuMemCreate(&handle, mapping_bytes, &properties, 0));
    must(cuMemAddressReserve(&reserved, mapping_bytes, 0, 0, 0));
    struct bench_result result =
        bench_short((struct bench_side){map_unmap, NULL}, (struct bench_side){mmap_munmap, NULL});
    must(cuMemAddressFree(reserved, mapping_bytes));
    must(cuMemRelease(handle));
    close(file);
    return result;
}

#define AT_MOST(times) .unit = BENCH_NS, .goal = BENCH_RATIO_AT_MOST, .limit = (times)

const struct bench_row bench_shared_rows[] = {
    {"IPC open+close 2 MiB, 64 in turn", .reference = "open+mmap", AT_MOST(3),
     .measure = measure_ipc_first},
    {"IPC open+close 2 MiB, the same again", .reference = "open+mmap", AT_MOST(3),
     .measure = measure_ipc_again},
    {"map+set access+unmap 2 MiB", .reference = "mmap", AT_MOST(3), .measure = measure_mapping},
    {.name = NULL},
};
