/* SPDX-License-Identifier: MIT */
/* Many more ranks than processors. */
#include "nccl_test.h"

/* A sanitizer makes each rank many times as slow. */
#if defined(TEST_UNDER_TSAN) || defined(__SANITIZE_ADDRESS__)
enum { PROCESSES = 8, THREADS = 100, THREADS_OF_EACH = 4 };
#else
enum { PROCESSES = 64, THREADS = 1000, THREADS_OF_EACH = 16 };
#endif

static void sums(struct rank *self)
{
    enum { COUNT = 1000, ROUNDS = 3 };
    int host[COUNT], *data, *all = device_memory((size_t)self->count * sizeof(int));
    int *every = malloc((size_t)self->count * sizeof(int)), sum = 0;

    check(every != NULL);
    for (int i = 0; i < COUNT; i++)
        host[i] = self->rank + i;
    data = upload(host, sizeof(host));
    for (int rank = 0; rank < self->count; rank++)
        sum += rank;
    for (int round = 0; round < ROUNDS; round++)
        check_done(ncclAllReduce(data, data, COUNT, ncclInt, round ? ncclMax : ncclSum, self->comm,
                                 self->stream));
    fetch(self, host, data, sizeof(host));
    for (int i = 0; i < COUNT; i++)
        check(host[i] == sum + self->count * i);

    data = upload(&self->rank, sizeof(int));
    check_done(ncclAllGather(data, all, 1, ncclInt, self->comm, self->stream));
    fetch(self, every, all, (size_t)self->count * sizeof(int));
    for (int rank = 0; rank < self->count; rank++)
        check(every[rank] == rank);
    free(every);
}

TEST(many_processes)
{
    need_cupipe_in_processes();
    run_processes(PROCESSES, sums, NULL);
}

TEST(many_threads)
{
    enter_device(0);
    only_cupipe();
    run_threads(THREADS, sums, NULL);
}

TEST(many_threads_of_many_processes)
{
    need_cupipe_in_processes();
    run_mixed(PROCESSES / 4, THREADS_OF_EACH, sums, NULL);
}
