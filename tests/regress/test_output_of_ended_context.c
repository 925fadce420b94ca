/* SPDX-License-Identifier: MIT */
/* Found by reading, after a crash of the soak that did not recur: cuMemUnmap waits for the work of
 * all primary contexts and then writes what their kernels printed. A thread that waited for its
 * turn to write used a freed buffer if another thread had released that primary context. */
#include "test.h"

#include "../kernels/kernels.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { ROUNDS = 6, THREADS = 128, BLOCK = 32, UNIT = 2 << 20 };

static CUcontext own;
static CUdeviceptr space;
static CUmemGenericAllocationHandle memory;
static struct flag go;

static void CUDA_CB wait_for_go(void *unused)
{
    (void)unused;
    flag_wait(&go);
}

static void *unmap(void *index)
{
    check_success(cuCtxSetCurrent(own));
    check_success(cuMemUnmap(space + (uintptr_t)index * UNIT, UNIT));
    return NULL;
}

/* The kernel has printed, and nobody has synchronised with it. */
static void print_without_waiting(CUcontext primary)
{
    CUfunction print = kernel_of(module_from("print.ptx"), "print_index");
    CUdeviceptr out = device_zeros(BLOCK * sizeof(unsigned));
    void *parameters[] = {&out};
    CUstream printing, held;

    check_success(cuCtxSetCurrent(primary));
    check_success(cuStreamCreate(&printing, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&held, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(held, wait_for_go, NULL));
    check_success(cuLaunchKernel(print, 1, 1, 1, BLOCK, 1, 1, 0, printing, parameters, NULL));
    while (cuStreamQuery(printing) == CUDA_ERROR_NOT_READY)
        nap();
}

static off_t size_of(int fd)
{
    struct stat status;

    check(fstat(fd, &status) == 0);
    return status.st_size;
}

/* One thread writes what was printed, the others stand behind it; then the context ends. */
static void one_round(int file)
{
    const struct timespec pause = {0, 60000000};
    pthread_t threads[THREADS];
    CUcontext primary = with_context();

    go = (struct flag){0};
    check(ftruncate(file, 0) == 0);
    print_without_waiting(primary);
    for (uintptr_t i = 0; i < THREADS; i++) {
        check_success(cuMemMap(space + i * UNIT, UNIT, 0, memory, 0));
        check(pthread_create(&threads[i], NULL, unmap, (void *)i) == 0);
    }
    nanosleep(&pause, NULL); /* by now all wait for the host function */
    flockfile(stdout);
    flag_raise(&go);
    nanosleep(&pause, NULL); /* by now one is about to write */
    funlockfile(stdout);
    while (size_of(file) == 0)
        sched_yield();
    check_success(cuDevicePrimaryCtxRelease(0));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

TEST(who_waits_to_write_survives_the_end_of_the_context)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    int saved = dup(STDOUT_FILENO), file = memfd_create("printed", MFD_CLOEXEC);

    check(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    check_success(cuInit(0));
    check_success(cuCtxCreate(&own, NULL, 0, 0));
    check_success(cuMemCreate(&memory, UNIT, &properties, 0));
    check_success(cuMemAddressReserve(&space, (size_t)THREADS * UNIT, 0, 0, 0));
    for (int i = 0; i < ROUNDS; i++)
        one_round(file);
    check_success(cuMemRelease(memory));
    check_success(cuMemAddressFree(space, (size_t)THREADS * UNIT));
    check_success(cuCtxDestroy(own));
    dup2(saved, STDOUT_FILENO);
}
