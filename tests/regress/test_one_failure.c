/* SPDX-License-Identifier: MIT */
/* One failed system call leaked resources: the file and the tables of a heap, the tables for
 * imported memory, mappings of memory and pools that could not be placed, and the last part of a
 * reservation that was not a multiple of a page. tests/faults finds such leaks everywhere; here
 * each of these objects is created while each system call it needs fails. */
#include "test.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/mman.h>

#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

enum { REQUESTS_MAX = 400, BYTES = 65536 };

static bool use_pool(void)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = FD_TYPE,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemoryPool pool, imported;
    int fd;

    if (cuMemPoolCreate(&pool, &properties) != CUDA_SUCCESS)
        return false;
    bool done = cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0) == CUDA_SUCCESS;
    if (done) {
        done = cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd, FD_TYPE, 0) ==
               CUDA_SUCCESS;
        close(fd);
        if (done)
            check_success(cuMemPoolDestroy(imported));
    }
    check_success(cuMemPoolDestroy(pool));
    return done;
}

static bool use_imported(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = BYTES};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.size = BYTES};
    int fd = memfd_create("one failure", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CUexternalMemory memory;
    CUdeviceptr buffer;

    check(fd >= 0 && ftruncate(fd, BYTES) == 0);
    file.handle.fd = fd;
    if (cuImportExternalMemory(&memory, &file) != CUDA_SUCCESS) {
        close(fd);
        return false;
    }
    bool done = cuExternalMemoryGetMappedBuffer(&buffer, memory, &part) == CUDA_SUCCESS;
    if (done)
        check_success(cuMemFree(buffer));
    check_success(cuDestroyExternalMemory(memory));
    return done;
}

static bool use_managed(void)
{
    CUdeviceptr memory;

    if (cuMemAllocManaged(&memory, BYTES, CU_MEM_ATTACH_GLOBAL) != CUDA_SUCCESS)
        return false;
    check_success(cuMemFree(memory));
    return true;
}

static bool begin(void)
{
    CUcontext context;

    return cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
           cuCtxSetCurrent(context) == CUDA_SUCCESS;
}

struct use {
    unsigned descriptors;
    uint64_t mapped_bytes;
};

/* Addresses that are taken, but for the program's own heap and stack. */
static struct use use_now(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    DIR *folder = opendir("/proc/self/fd");
    struct use use = {0};
    char line[4096];

    check(maps && folder);
    while (fgets(line, sizeof(line), maps)) {
        unsigned long from, to;

        if (!strchr(line, '[') && sscanf(line, "%lx-%lx", &from, &to) == 2)
            use.mapped_bytes += to - from;
    }
    fclose(maps);
    while (readdir(folder))
        use.descriptors++;
    closedir(folder);
    return use;
}

/* A run in which the n-th request fails. All may answer an error once, and nothing twice. */
static void run(int number, int output)
{
    static bool (*const parts[])(void) = {begin, use_pool, use_imported, use_managed};
    char rule[32];

    snprintf(rule, sizeof(rule), "os:%d", number);
    setenv("CUPIPE_FAIL", rule, 1);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0); /* what malloc maps is not looked at */
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        check(parts[i]() || parts[i]());
    for (size_t i = 1; i < sizeof(parts) / sizeof(parts[0]); i++)
        check(parts[i]() || parts[i]());
    struct use use = use_now();
    check(write(output, &use, sizeof(use)) == (ssize_t)sizeof(use));
}

/* False: no request failed in it, says the library's report. */
static bool run_apart(int number, struct use *use)
{
    FILE *written = tmpfile(), *said = tmpfile();
    char text[4096] = "";
    int status;

    check(written && said);
    fflush(NULL);
    pid_t pid = fork();
    check(pid >= 0);
    if (pid == 0) {
        dup2(fileno(said), STDERR_FILENO);
        run(number, fileno(written));
        exit(0);
    }
    check(waitpid(pid, &status, 0) == pid);
    rewind(said);
    text[fread(text, 1, sizeof(text) - 1, said)] = '\0';
    rewind(written);
    if (status != 0 || fread(use, sizeof(*use), 1, written) != 1)
        test_fail(__FILE__, __LINE__, "os:%d ends with %#x: %s", number, (unsigned)status, text);
    fclose(said);
    fclose(written);
    return strstr(text, " failed 1 of ") != NULL;
}

TEST(one_failure_leaves_nothing_behind)
{
    struct use usual, use;
    int number = 1;

#if defined(TEST_UNDER_ASAN) || defined(TEST_UNDER_TSAN)
    skip("sanitizers have memory of their own, which is what is measured");
#endif
    setenv("CUPIPE_MEMORY", "256M", 0);
    setenv("CUPIPE_THREADS", "1", 0);
    check(!run_apart(REQUESTS_MAX, &usual));
    for (; run_apart(number, &use); number++) {
        if (use.descriptors > usual.descriptors || use.mapped_bytes > usual.mapped_bytes)
            test_fail(__FILE__, __LINE__, "os:%d leaves %u descriptors, %llu bytes; not %u, %llu",
                      number, use.descriptors, (unsigned long long)use.mapped_bytes,
                      usual.descriptors, (unsigned long long)usual.mapped_bytes);
    }
    printf("%d requests\n", number - 1);
    check(number > 30 && number < REQUESTS_MAX);
}
