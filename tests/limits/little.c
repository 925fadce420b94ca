/* SPDX-License-Identifier: MIT */
/* Scarce system resources: file descriptors, address space, space in files. A request that does not
 * fit fails, one that fits succeeds, and everything works when resources are available again. */
#include "use.h"

#include "kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

enum { MIB = 1 << 20, UNIT = 2 << 20 };

/* Whatever is made with a descriptor, one of each kind in turn. */
enum { KINDS = 6, HOLDERS_MAX = 4096 };

struct holder {
    int kind, fd;
    CUmemGenericAllocationHandle physical;
    CUexternalMemory external;
    CUmemoryPool pool, imported;
    CUdeviceptr memory;
    CUevent event;
};

static const CUmemLocation device_0 = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

static CUresult hold_physical(struct holder *holder)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes = FD_TYPE,
                                      .location = device_0};
    CUresult result = cuMemCreate(&holder->physical, UNIT, &properties, 0);

    if (result != CUDA_SUCCESS)
        return result;
    result = cuMemExportToShareableHandle(&holder->fd, holder->physical, FD_TYPE, 0);
    if (result != CUDA_SUCCESS)
        check_success(cuMemRelease(holder->physical));
    return result;
}

static CUresult hold_pool(struct holder *holder)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = FD_TYPE, .location = device_0};
    CUresult result = cuMemPoolCreate(&holder->pool, &properties);

    if (result != CUDA_SUCCESS)
        return result;
    result = cuMemPoolExportToShareableHandle(&holder->fd, holder->pool, FD_TYPE, 0);
    if (result == CUDA_SUCCESS) {
        result = cuMemPoolImportFromShareableHandle(&holder->imported, (void *)(intptr_t)holder->fd,
                                                    FD_TYPE, 0);
        if (result != CUDA_SUCCESS)
            close(holder->fd);
    }
    if (result != CUDA_SUCCESS)
        check_success(cuMemPoolDestroy(holder->pool));
    return result;
}

static CUresult hold_external(struct holder *holder)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = 65536};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.size = 65536};
    int fd = memfd_create("limits", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    check(ftruncate(fd, 65536) == 0);
    file.handle.fd = fd;
    CUresult result = cuImportExternalMemory(&holder->external, &file);
    if (result != CUDA_SUCCESS) {
        close(fd);
        return result;
    }
    result = cuExternalMemoryGetMappedBuffer(&holder->memory, holder->external, &part);
    if (result != CUDA_SUCCESS)
        check_success(cuDestroyExternalMemory(holder->external));
    return result;
}

static CUresult hold_shared_memory(struct holder *holder)
{
    CUipcMemHandle handle;
    CUresult result = cuMemAlloc(&holder->memory, 3 * MIB);

    if (result != CUDA_SUCCESS)
        return result;
    result = cuIpcGetMemHandle(&handle, holder->memory);
    if (result != CUDA_SUCCESS)
        check_success(cuMemFree(holder->memory));
    return result;
}

static CUresult hold_shared_event(struct holder *holder)
{
    CUipcEventHandle handle;
    CUresult result =
        cuEventCreate(&holder->event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);

    if (result != CUDA_SUCCESS)
        return result;
    result = cuIpcGetEventHandle(&handle, holder->event);
    if (result != CUDA_SUCCESS)
        check_success(cuEventDestroy(holder->event));
    return result;
}

static CUresult hold_module(struct holder *holder)
{
    CUresult result = cuModuleLoadData((CUmodule *)&holder->physical, ptx_fill);

    return result;
}

static CUresult (*const hold[KINDS])(struct holder *holder) = {
    hold_physical, hold_pool, hold_external, hold_shared_memory, hold_shared_event, hold_module,
};

static void let_go(struct holder *holder)
{
    switch (holder->kind) {
    case 0:
        check_success(cuMemRelease(holder->physical));
        break;
    case 1:
        check_success(cuMemPoolDestroy(holder->imported));
        check_success(cuMemPoolDestroy(holder->pool));
        break;
    case 2:
        check_success(cuMemFree(holder->memory));
        check_success(cuDestroyExternalMemory(holder->external));
        break;
    case 3:
        check_success(cuMemFree(holder->memory));
        break;
    case 4:
        check_success(cuEventDestroy(holder->event));
        break;
    default:
        check_success(cuModuleUnload((CUmodule)holder->physical));
    }
    if (holder->fd >= 0)
        close(holder->fd);
}

/* Takes things that need a descriptor until none of any kind is to be had, and lets go of all. */
static size_t fill_up(struct holder *holders)
{
    size_t count = 0;
    bool any = true;

    while (any && count + KINDS < HOLDERS_MAX) {
        any = false;
        for (int kind = 0; kind < KINDS; kind++) {
            holders[count] = (struct holder){.kind = kind, .fd = -1};
            CUresult result = hold[kind](&holders[count]);
            any |= result == CUDA_SUCCESS && kind < 2;
            count += result == CUDA_SUCCESS;
        }
    }
    return count;
}

TEST(a_thousand_descriptors_only)
{
    static struct holder holders[HOLDERS_MAX];
    struct rlimit limit = {1024, 1024};
    struct use start, before = {0};
    int spare = dup(STDERR_FILENO); /* for those who measure */
    size_t first = 0;

    setenv("CUPIPE_MEMORY", "8G", 0);
    with_context();
    for (int kind = 0; kind < KINDS; kind++) { /* what is made once */
        holders[0] = (struct holder){.kind = kind, .fd = -1};
        check_success(hold[kind](&holders[0]));
        let_go(&holders[0]);
    }
    start = use_now();
    check(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int turn = 0; turn < 3; turn++) {
        size_t count = fill_up(holders);

        if (turn == 0)
            first = count;
        close(spare);
        print_peak("things with a descriptor", count, HOLDERS_MAX);
        spare = dup(STDERR_FILENO);
        check(count > 100 && count + KINDS < HOLDERS_MAX && count + 8 >= first);
        while (count > 0)
            let_go(&holders[--count]);
        if (turn == 0)
            before = use_now();
    }
    check_back(before, 2 * MIB, 0);
    check_back(start, 24 * MIB, 0); /* some room for handles of each type is kept */
}

/* Whatever does not fit is an error, and what does is right. */
static bool is_scarce(CUresult result)
{
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY &&
        result != CUDA_ERROR_OPERATING_SYSTEM)
        test_fail(__FILE__, __LINE__, "%s", test_result_name(result));
    return result != CUDA_SUCCESS;
}

static bool run_a_kernel(const char *text)
{
    unsigned value = 77, count = 1000, came[1000] = {0};
    CUdeviceptr memory;
    CUfunction function;
    CUmodule module;
    void *arguments[] = {&memory, &value, &count};

    if (is_scarce(cuModuleLoadData(&module, text)))
        return false;
    bool ran = false;
    if (!is_scarce(cuModuleGetFunction(&function, module, "fill")) &&
        !is_scarce(cuMemAlloc(&memory, sizeof(came)))) {
        ran = !is_scarce(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL)) &&
              !is_scarce(cuCtxSynchronize());
        if (ran) {
            check_success(cuMemcpyDtoH(came, memory, sizeof(came)));
            for (unsigned i = 0; i < count; i++)
                check(came[i] == value);
        }
        check_success(cuMemFree(memory));
    }
    check_success(cuModuleUnload(module));
    return ran;
}

/* A text that no cache knows: what is added is taken away again. */
static const char *new_text(void)
{
    static char text[4096];
    static unsigned number;
    const char *store = strstr(ptx_fill, "st.global.u32");

    check(store != NULL);
    number = number ? number + 1 : (unsigned)getpid() << 8;
    snprintf(text, sizeof(text), "%.*sadd.u32 %%r1, %%r1, %u;\nsub.u32 %%r1, %%r1, %u;\n%s",
             (int)(store - ptx_fill), ptx_fill, number, number, store);
    return text;
}

/* One for which the compiler needs much more than for the others. */
static bool compile_a_large_kernel(int steps)
{
    char *text = malloc((size_t)steps * 64 + 1024);
    CUfunction function;
    CUmodule module;
    bool done = false;

    if (!text)
        return false;
    size_t length = (size_t)sprintf(text, PTX_HEAD ".visible .entry large(.param .u64 out)\n{\n"
                                                   ".reg .b32 %%r<3>;\n.reg .b64 %%rd<3>;\n"
                                                   "ld.param.u64 %%rd0, [out];\n"
                                                   "mov.u32 %%r0, %%tid.x;\n");
    for (int i = 0; i < steps; i++)
        length += (size_t)sprintf(text + length, "mad.lo.u32 %%r0, %%r0, 5, %d;\n", i);
    sprintf(text + length, "st.global.u32 [%%rd0], %%r0;\nret;\n}\n");
    if (!is_scarce(cuModuleLoadData(&module, text))) {
        CUdeviceptr out;
        void *arguments[] = {&out};
        if (!is_scarce(cuModuleGetFunction(&function, module, "large")) &&
            !is_scarce(cuMemAlloc(&out, 4))) {
            done =
                !is_scarce(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL)) &&
                !is_scarce(cuCtxSynchronize());
            check_success(cuMemFree(out));
        }
        check_success(cuModuleUnload(module));
    }
    free(text);
    return done;
}

static void work_in_little_space(void)
{
    static unsigned char bytes[1 << 16], back[1 << 16];
    CUdeviceptr memory, managed;
    CUmemoryPool pool;
    CUcontext context, before;
    CUstream stream;
    CUarray array;
    void *pinned;
    CUDA_ARRAY3D_DESCRIPTOR shape = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = FD_TYPE, .location = device_0};

    if (!is_scarce(cuMemAlloc(&memory, sizeof(bytes)))) {
        memset(bytes, 5, sizeof(bytes));
        check_success(cuMemcpyHtoD(memory, bytes, sizeof(bytes)));
        check_success(cuMemcpyDtoH(back, memory, sizeof(bytes)));
        check(memcmp(bytes, back, sizeof(bytes)) == 0);
        CUipcMemHandle handle;
        is_scarce(cuIpcGetMemHandle(&handle, memory));
        check_success(cuMemFree(memory));
    }
    if (!is_scarce(cuStreamCreate(&stream, 0)))
        check_success(cuStreamDestroy(stream));
    if (!is_scarce(cuMemAllocManaged(&managed, 1 << 20, CU_MEM_ATTACH_GLOBAL)))
        check_success(cuMemFree(managed));
    if (!is_scarce(cuMemAllocHost(&pinned, 1 << 20)))
        check_success(cuMemFreeHost(pinned));
    if (!is_scarce(cuArray3DCreate(&array, &shape)))
        check_success(cuArrayDestroy(array));
    if (!is_scarce(cuMemPoolCreate(&pool, &properties)))
        check_success(cuMemPoolDestroy(pool));
    if (!is_scarce(cuMemAddressReserve(&memory, UNIT, 0, 0, 0)))
        check_success(cuMemAddressFree(memory, UNIT));
    check_success(cuCtxGetCurrent(&before));
    if (!is_scarce(cuCtxCreate(&context, NULL, 0, 0)))
        check_success(cuCtxDestroy(context));
    check_success(cuCtxSetCurrent(before));
    check_success(cuCtxSynchronize());
}

static size_t address_space_bytes(void)
{
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");

    check(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void leave_addresses(size_t bytes)
{
    struct rlimit limit;

    check(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = bytes == SIZE_MAX ? limit.rlim_max : address_space_bytes() + bytes;
    check(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* From 256 MiB on ever less, and then enough again. */
static void go_down(void)
{
    static const size_t steps[] = {256 * MIB, 200 * MIB, 128 * MIB, 100 * MIB, 64 * MIB,
                                   40 * MIB,  16 * MIB,  8 * MIB,   4 * MIB,   2 * MIB,
                                   1 * MIB,   300 << 10, 64 << 10,  0};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        leave_addresses(steps[i]);
        work_in_little_space();
        bool small = run_a_kernel(new_text()), large = compile_a_large_kernel(3000);
        printf("%zu KiB left: a small kernel %s, a large one %s\n", steps[i] >> 10,
               small ? "runs" : "does not fit", large ? "runs" : "does not fit");
    }
    leave_addresses(SIZE_MAX);
    work_in_little_space();
    check(run_a_kernel(new_text()) && compile_a_large_kernel(3000));
}

TEST(little_address_space_left_after_init)
{
    setenv("CUPIPE_MEMORY", "256M", 1);
    setenv("CUPIPE_CACHE", "off", 1);
    with_context();
    go_down();
}

/* The compiler is loaded, and has been at work. */
TEST(little_address_space_left_after_a_kernel)
{
    setenv("CUPIPE_MEMORY", "256M", 1);
    setenv("CUPIPE_CACHE", "off", 1);
    with_context();
    check(run_a_kernel(new_text()));
    go_down();
}

/* There was room when the compiler began. */
static void *take_all_addresses(void *milliseconds)
{
    struct timespec pause = {0, *(long *)milliseconds * 1000000};

    nanosleep(&pause, NULL);
    leave_addresses(0);
    return NULL;
}

TEST(addresses_run_out_while_a_kernel_is_compiled)
{
    static const long pauses[] = {5, 30, 80, 150, 300};

    setenv("CUPIPE_THREADS", "1", 1); /* the launch compiles, and answers */
    setenv("CUPIPE_MEMORY", "256M", 1);
    setenv("CUPIPE_CACHE", "off", 1);
    mallopt(M_ARENA_MAX, 1); /* so that nothing is left in one of them */
    with_context();
    check(run_a_kernel(new_text()));
    for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
        pthread_t thread;

        malloc_trim(0);
        check(pthread_create(&thread, NULL, take_all_addresses, (void *)&pauses[i]) == 0);
        bool done = compile_a_large_kernel(8000);
        pthread_join(thread, NULL);
        leave_addresses(SIZE_MAX);
        printf("after %ld ms: %s\n", pauses[i], done ? "compiled nevertheless" : "out of memory");
    }
    check(run_a_kernel(new_text()) && compile_a_large_kernel(3000));
    work_in_little_space();
}

TEST(little_address_space_at_all)
{
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    CUresult result;

    setenv("CUPIPE_MEMORY", "32M", 1);
    check(setrlimit(RLIMIT_AS, &limit) == 0);
    result = cuInit(0);
    printf("cuInit answers %s\n", test_result_name(result));
    check(result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY);
}

/* Files cannot grow: as when a file system is full. */
TEST(no_room_in_files)
{
    struct rlimit limit = {0, 0};
    CUdeviceptr memory;
    CUipcMemHandle handle;

    with_context();
    signal(SIGXFSZ, SIG_IGN);
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_success(cuMemsetD8(memory, 9, 1 << 20));
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CUresult result = cuIpcGetMemHandle(&handle, memory);
    check(result != CUDA_SUCCESS);
    unsigned char byte = 0;
    check_success(cuMemcpyDtoH(&byte, memory + 12345, 1));
    check(byte == 9);
    check_success(cuMemFree(memory));
}

/* A file system of this process alone, without a byte left in it. */
static void mount_full(const char *path)
{
    char name[512], block[4096] = {0};

    check(mkdir(path, 0700) == 0 || errno == EEXIST);
    check(mount("limits", path, "tmpfs", 0, "size=64k,mode=0700") == 0);
    snprintf(name, sizeof(name), "%s/filler", path);
    int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0);
    while (write(fd, block, sizeof(block)) > 0)
        ;
    check(errno == ENOSPC);
    close(fd);
}

TEST(full_file_systems)
{
    char folder[] = "/tmp/limits-XXXXXX", path[64];

    if (unshare(CLONE_NEWNS) != 0)
        skip("a file system of its own needs root");
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        skip("file systems cannot be mounted here");
    check(mkdtemp(folder) != NULL);
    mount_full("/dev/shm");
    mount_full(folder);
    snprintf(path, sizeof(path), "%s/cupipe", folder);
    setenv("TMPDIR", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("CUPIPE_CACHE", path, 1);
    setenv("CUPIPE_LOG", "error", 1);
    with_context();
    for (int i = 0; i < 3; i++) {
        struct holder holder;

        work_in_little_space();
        check(run_a_kernel(ptx_fill) && run_a_kernel(new_text()));
        for (int kind = 0; kind < KINDS; kind++) {
            holder = (struct holder){.kind = kind, .fd = -1};
            check_success(hold[kind](&holder));
            let_go(&holder);
        }
    }
    check(umount(folder) == 0);
    rmdir(folder);
}
