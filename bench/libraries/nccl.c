/* SPDX-License-Identifier: MIT */
/* NCCL's AllReduce beside memcpy(): ranks are threads of this process, one device each, as many as
 * the argument says (8). Prints for each size the time of one operation, the bus bandwidth that
 * nccl-tests define, 2 (n - 1) / n bytes for each byte of a rank, and its ratio to the bandwidth of
 * memcpy() on one thread; and the time of a barrier, an AllReduce of 4 bytes. nccl_mpi.c
 * compares with MPI. */
#include "bench.h"

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 8, LARGEST = 256 << 20, ROUNDS = 5, COPY_BYTES = 64 << 20 };

struct rank {
    pthread_t thread;
    int rank, count;
    ncclUniqueId id;
    void *buffer;
};

static pthread_barrier_t barrier;
static size_t largest;
static double copy; /* bytes a second */

static double copy_bandwidth(void)
{
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    double best = 1e9;

    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();

        memcpy(to, from, COPY_BYTES);
        __asm__ volatile("" ::"r"(to) : "memory");
        best = bench_now() - start < best ? bench_now() - start : best;
    }
    free(from);
    free(to);
    return COPY_BYTES / best;
}

/* Eight times as much, and at last the largest size; 0: that was the last one. */
static size_t size_after(size_t bytes)
{
    return bytes == largest ? 0 : bytes * 8 < largest ? bytes * 8 : largest;
}

/* All ranks begin together; rank 0 takes the time until its own stream has ended. */
static double measure(struct rank *self, ncclComm_t comm, cudaStream_t stream, size_t bytes)
{
    int repeat = bytes >= 1 << 16 ? 3 : self->count > 64 ? 2 : 100;
    double best = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double start, time;

        pthread_barrier_wait(&barrier);
        start = bench_now();
        for (int k = 0; k < repeat; k++) {
            ncclAllReduce(self->buffer, self->buffer, bytes / 4, ncclFloat, ncclSum, comm, stream);
            cudaStreamSynchronize(stream);
        }
        time = (bench_now() - start) / repeat;
        best = time < best ? time : best;
    }
    return best;
}

static void *run(void *argument)
{
    struct rank *self = argument;
    cudaStream_t stream;
    ncclComm_t comm;

    cudaSetDevice(self->rank % DEVICES);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (cudaMalloc(&self->buffer, largest) != cudaSuccess ||
        ncclCommInitRank(&comm, self->count, self->id, self->rank) != ncclSuccess)
        exit(1);
    cudaMemset(self->buffer, 0, largest);
    for (size_t bytes = 4; bytes; bytes = size_after(bytes)) {
        double time = measure(self, comm, stream, bytes);
        double bus = 2.0 * (self->count - 1) / self->count * (double)bytes / time;

        if (self->rank == 0)
            printf("%3d ranks, %9zu B: %10.1f us, bus %7.3f GB/s, %5.2f x memcpy%s\n", self->count,
                   bytes, time * 1e6, bus * 1e-9, bus / copy, bytes == 4 ? " (barrier)" : "");
    }
    ncclCommDestroy(comm);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : DEVICES;
    struct rank *ranks = calloc((size_t)count, sizeof(*ranks));
    pthread_attr_t attributes;
    ncclUniqueId id;

    setenv("CUPIPE_DEVICES", "8", 0);
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
    largest = argc > 2 ? strtoul(argv[2], NULL, 0) : LARGEST / (size_t)(count > 8 ? count : 1);
    copy = copy_bandwidth();
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    if (!ranks || ncclGetUniqueId(&id) != ncclSuccess)
        return 1;
    for (int i = 0; i < count; i++) {
        ranks[i] = (struct rank){.rank = i, .count = count, .id = id};
        pthread_create(&ranks[i].thread, &attributes, run, &ranks[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(ranks[i].thread, NULL);
    free(ranks);
    return 0;
}
