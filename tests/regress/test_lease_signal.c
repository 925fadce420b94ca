/* SPDX-License-Identifier: MIT */
/* Found by the fuzzer: a process asks the system whether it is the only one that has a file of
 * shared memory open. If another process opened the file at that moment, the system sent SIGIO,
 * which ends a process that does not handle it. */
#include "test.h"

#include <fcntl.h>

enum { ROUNDS = 3000, PAGE = 65536 };

static atomic_int shared_fd = -1, over;

/* Opens whatever was shared last, again and again. */
static void *open_often(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", atomic_load(&shared_fd));
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

TEST(asking_for_a_file_of_its_own_ends_nobody)
{
    pthread_t opener;
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, 4 << 20));
    check(pthread_create(&opener, NULL, open_often, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        int fd = -1;
        size_t first = (size_t)(i % 3) * PAGE; /* overlaps what was shared before */
        CUresult result = cuMemGetHandleForAddressRange(&fd, memory + first, 4 * PAGE,
                                                        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
        if (result == CUDA_ERROR_NOT_SUPPORTED)
            continue; /* the other thread has it open */
        check_success(result);
        atomic_store(&shared_fd, fd);
        sched_yield();
        atomic_store(&shared_fd, -1);
        close(fd);
    }
    atomic_store(&over, 1);
    pthread_join(opener, NULL);
}
