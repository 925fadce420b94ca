/* SPDX-License-Identifier: MIT */
/* NCCL's AllReduce beside MPI_Allreduce, both between the processes that mpirun starts, one device
 * each:
 *
 *     mpirun -np 4 build/bench/libraries/nccl_mpi [largest bytes]
 *
 * Prints the times of one operation of both for each size, and NCCL's divided by MPI's; first those
 * of a barrier, which for NCCL is an AllReduce of 4 bytes. MPI reduces memory of the host, NCCL
 * memory of the devices. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 256 << 20, ROUNDS = 5, BARRIER = 0 };

struct state {
    void *device, *send, *receive;
    ncclComm_t comm;
    cudaStream_t stream;
};

static void once(struct state *s, size_t bytes, int by_mpi)
{
    if (by_mpi && bytes == BARRIER) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    bytes = bytes == BARRIER ? sizeof(float) : bytes;
    if (by_mpi) {
        MPI_Allreduce(s->send, s->receive, (int)(bytes / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    ncclAllReduce(s->device, (char *)s->device + bytes, bytes / 4, ncclFloat, ncclSum, s->comm,
                  s->stream);
    cudaStreamSynchronize(s->stream);
}

/* The best time of the slowest rank. */
static double measure(struct state *s, size_t bytes, int by_mpi)
{
    int repeat = bytes < 1 << 16 ? 100 : bytes < 1 << 24 ? 10 : 2;
    double best = 1e9;

    once(s, bytes, by_mpi);
    for (int i = 0; i < ROUNDS; i++) {
        double time, slowest;

        MPI_Barrier(MPI_COMM_WORLD);
        time = MPI_Wtime();
        for (int k = 0; k < repeat; k++)
            once(s, bytes, by_mpi);
        time = (MPI_Wtime() - time) / repeat;
        MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = slowest < best ? slowest : best;
    }
    return best;
}

static size_t size_after(size_t bytes, size_t largest)
{
    return bytes == BARRIER ? 4 : bytes * 8 < largest ? bytes * 8 : largest;
}

static void print_row(struct state *s, size_t bytes, int rank, int count)
{
    double mpi = measure(s, bytes, 1), nccl = measure(s, bytes, 0);
    char name[32];

    snprintf(name, sizeof(name), bytes == BARRIER ? "barrier" : "%zu B", bytes);
    if (rank == 0)
        printf("%3d ranks, %11s: NCCL %10.1f us, MPI %10.1f us, %5.2f x\n", count, name, nccl * 1e6,
               mpi * 1e6, nccl / mpi);
}

int main(int argc, char **argv)
{
    size_t largest = argc > 1 ? strtoul(argv[1], NULL, 0) : LARGEST;
    struct state state;
    ncclUniqueId id;
    int rank, count;

    setenv("CUPIPE_DEVICES", "8", 0);
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (rank == 0 && ncclGetUniqueId(&id) != ncclSuccess)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    cudaSetDevice(rank % 8);
    state.send = calloc(1, largest);
    state.receive = calloc(1, largest);
    memset(state.send, 0, largest);
    memset(state.receive, 0, largest);
    if (cudaMalloc(&state.device, 2 * largest) != cudaSuccess || !state.send || !state.receive ||
        cudaMemset(state.device, 0, 2 * largest) != cudaSuccess ||
        cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking) != cudaSuccess ||
        ncclCommInitRank(&state.comm, count, id, rank) != ncclSuccess)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t bytes = BARRIER; bytes != largest; bytes = size_after(bytes, largest))
        print_row(&state, bytes, rank, count);
    print_row(&state, largest, rank, count);
    ncclCommDestroy(state.comm);
    MPI_Finalize();
    return 0;
}
