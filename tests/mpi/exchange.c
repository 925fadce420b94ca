/* SPDX-License-Identifier: MIT */
/* Device pointers in calls of MPI: what arrives is what was sent, in memory of every kind, in
 * messages of every protocol (small, large, not contiguous, one-sided, reduced), and again when the
 * same addresses hold other memory. Contents are read by the driver on both sides.
 *
 *     mpirun -n 2 exchange [windows]
 *
 * Any number of ranks. It prints one line and exits with 1 if anything is wrong. With `windows`
 * one-sided calls are tried, too. */
#include <cuda.h>
#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2, TAG = 7, LARGE_BYTES = (3 << 20) + 5, PAGE_BYTES = 2 << 20 };

static int rank, ranks;
static long checked, wrong;

static void check_result(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "rank %d: %s: %s\n", rank, call, name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define ok(call) check_result((call), #call)

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* A byte that depends on who sends it, to whom, in which round and where. */
static uint8_t pattern(int from, int round, size_t at)
{
    return (uint8_t)(37 * from + 101 * round + 7 + (at ^ at >> 8 ^ at >> 16));
}

static void fill(CUdeviceptr memory, size_t bytes, int from, int round)
{
    uint8_t *host = allocate(bytes);

    for (size_t i = 0; i < bytes; i++)
        host[i] = pattern(from, round, i);
    ok(cuMemcpyHtoD(memory, host, bytes));
    free(host);
}

static void compare(const char *what, CUdeviceptr memory, size_t bytes, int from, int round)
{
    uint8_t *host = allocate(bytes);
    size_t bad = 0;

    ok(cuMemcpyDtoH(host, memory, bytes));
    for (size_t i = 0; i < bytes; i++)
        bad += host[i] != pattern(from, round, i);
    if (bad)
        fprintf(stderr, "rank %d: %s of %zu bytes from rank %d: %zu are wrong\n", rank, what, bytes,
                from, bad);
    wrong += bad != 0;
    checked++;
    free(host);
}

/* Kinds of memory. */

static CUdeviceptr make_device(size_t bytes)
{
    CUdeviceptr memory;

    ok(cuMemAlloc(&memory, bytes));
    return memory;
}

static void free_device(CUdeviceptr memory, size_t bytes)
{
    (void)bytes;
    ok(cuMemFree(memory));
}

static CUdeviceptr make_managed(size_t bytes)
{
    CUdeviceptr memory;

    ok(cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    return memory;
}

static CUdeviceptr make_pooled(size_t bytes)
{
    CUdeviceptr memory;

    ok(cuMemAllocAsync(&memory, bytes, NULL));
    ok(cuStreamSynchronize(NULL));
    return memory;
}

static void free_pooled(CUdeviceptr memory, size_t bytes)
{
    (void)bytes;
    ok(cuMemFreeAsync(memory, NULL));
    ok(cuStreamSynchronize(NULL));
}

static CUdeviceptr make_pinned(size_t bytes)
{
    void *memory;

    ok(cuMemHostAlloc(&memory, bytes, 0));
    return (CUdeviceptr)memory;
}

static void free_pinned(CUdeviceptr memory, size_t bytes)
{
    (void)bytes;
    ok(cuMemFreeHost((void *)memory));
}

static size_t mapped_bytes(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static CUdeviceptr make_mapped(size_t bytes)
{
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    CUmemAccessDesc access = {.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    CUdevice device;

    ok(cuCtxGetDevice(&device));
    here.id = device;
    properties.location = here;
    access.location = here;
    ok(cuMemAddressReserve(&memory, mapped_bytes(bytes), 0, 0, 0));
    ok(cuMemCreate(&handle, mapped_bytes(bytes), &properties, 0));
    ok(cuMemMap(memory, mapped_bytes(bytes), 0, handle, 0));
    ok(cuMemRelease(handle));
    ok(cuMemSetAccess(memory, mapped_bytes(bytes), &access, 1));
    return memory;
}

static void free_mapped(CUdeviceptr memory, size_t bytes)
{
    ok(cuMemUnmap(memory, mapped_bytes(bytes)));
    ok(cuMemAddressFree(memory, mapped_bytes(bytes)));
}

static const struct kind {
    const char *name;
    CUdeviceptr (*make)(size_t bytes);
    void (*free)(CUdeviceptr memory, size_t bytes);
} kinds[] = {
    {"device memory", make_device, free_device},    {"managed memory", make_managed, free_device},
    {"memory of a pool", make_pooled, free_pooled}, {"mapped memory", make_mapped, free_mapped},
    {"pinned memory", make_pinned, free_pinned},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Every rank sends to the next and receives from the one before. */
static void ring(const struct kind *kind, size_t bytes, int round)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    CUdeviceptr from = kind->make(bytes), to = kind->make(bytes);
    MPI_Request requests[2];

    fill(from, bytes, rank, round);
    ok(cuMemsetD8(to, 0, bytes));
    ok(cuCtxSynchronize());
    MPI_Irecv((void *)to, (int)bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend((void *)from, (int)bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    compare(kind->name, to, bytes, last, round);
    compare(kind->name, from, bytes, rank, round);
    kind->free(from, bytes);
    kind->free(to, bytes);
}

/* Between device memory here and plain memory there. */
static void to_and_from_host(size_t bytes, int round)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    CUdeviceptr memory = make_device(bytes);
    uint8_t *host = allocate(bytes);

    fill(memory, bytes, rank, round);
    MPI_Sendrecv((void *)memory, (int)bytes, MPI_BYTE, next, TAG, host, (int)bytes, MPI_BYTE, last,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(host, (int)bytes, MPI_BYTE, last, TAG, (void *)memory, (int)bytes, MPI_BYTE, next,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compare("what came back from a host", memory, bytes, rank, round); /* the next sent ours back */
    free(host);
    free_device(memory, bytes);
}

/* A column of a matrix: a datatype that is not contiguous. */
static void column(int round)
{
    enum { ROWS = 300, COLUMNS = 77 };
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    CUdeviceptr matrix = make_device(ROWS * COLUMNS), packed = make_device(ROWS);
    MPI_Datatype type;

    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    ok(cuMemsetD8(matrix, 0xee, ROWS * COLUMNS));
    fill(packed, ROWS, rank, round);
    MPI_Sendrecv((void *)packed, ROWS, MPI_BYTE, next, TAG, (void *)(matrix + 5), 1, type, last,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv((void *)(matrix + 5), 1, type, last, TAG, (void *)packed, ROWS, MPI_BYTE, next,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compare("a column", packed, ROWS, rank, round);
    MPI_Type_free(&type);
    free_device(matrix, ROWS * COLUMNS);
    free_device(packed, ROWS);
}

static void broadcast(size_t bytes, int round)
{
    int root = round % ranks;
    CUdeviceptr memory = make_device(bytes);

    if (rank == root)
        fill(memory, bytes, root, round);
    else
        ok(cuMemsetD8(memory, 0, bytes));
    ok(cuCtxSynchronize());
    MPI_Bcast((void *)memory, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    compare("a broadcast", memory, bytes, root, round);
    free_device(memory, bytes);
}

/* Sums of integers, which have one result, whatever their order. */
static void reduce(int count, int round)
{
    size_t bytes = (size_t)count * sizeof(int);
    CUdeviceptr from = make_device(bytes), to = make_device(bytes);
    int *host = allocate(bytes), bad = 0;

    for (int i = 0; i < count; i++)
        host[i] = rank * 1000 + i + round;
    ok(cuMemcpyHtoD(from, host, bytes));
    MPI_Allreduce((void *)from, (void *)to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ok(cuMemcpyDtoH(host, to, bytes));
    for (int i = 0; i < count; i++)
        bad += host[i] != ranks * (ranks - 1) / 2 * 1000 + ranks * (i + round);
    if (bad)
        fprintf(stderr, "rank %d: a sum of %d integers: %d are wrong\n", rank, count, bad);
    wrong += bad != 0;
    checked++;
    free(host);
    free_device(from, bytes);
    free_device(to, bytes);
}

/* One-sided: puts into the next rank's memory, then gets it back. */
static void put_and_get(size_t bytes, int round)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    CUdeviceptr window_memory = make_device(bytes), memory = make_device(bytes);
    MPI_Win window;

    ok(cuMemsetD8(window_memory, 0, bytes));
    fill(memory, bytes, rank, round);
    ok(cuCtxSynchronize());
    MPI_Win_create((void *)window_memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window);
    MPI_Win_fence(0, window);
    MPI_Put((void *)memory, (int)bytes, MPI_BYTE, next, 0, (int)bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    compare("a put", window_memory, bytes, last, round);
    ok(cuMemsetD8(memory, 0, bytes));
    ok(cuCtxSynchronize());
    MPI_Win_fence(0, window);
    MPI_Get((void *)memory, (int)bytes, MPI_BYTE, next, 0, (int)bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    compare("a get", memory, bytes, rank, round);
    MPI_Win_free(&window);
    free_device(memory, bytes);
    free_device(window_memory, bytes);
}

/* How many hosts the ranks are on: each has one rank that is the first there. */
static int count_hosts(void)
{
    int number, is_first, hosts;
    MPI_Comm host;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &number);
    MPI_Comm_free(&host);
    is_first = number == 0;
    MPI_Allreduce(&is_first, &hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return hosts;
}

static void take_device(void)
{
    CUcontext context;
    CUdevice device;
    int count;

    ok(cuInit(0));
    ok(cuDeviceGetCount(&count));
    ok(cuDeviceGet(&device, rank % count));
    ok(cuDevicePrimaryCtxRetain(&context, device));
    ok(cuCtxSetCurrent(context));
}

int main(int count, char **arguments)
{
    bool windows = count > 1 && strcmp(arguments[1], "windows") == 0;
    static const size_t sizes[] = {1, 4099, 70000, LARGE_BYTES};
    long own[2], sum[2];
    CUdevice device;
    int hosts;

    MPI_Init(&count, &arguments);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    take_device();
    hosts = count_hosts();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (int kind = 0; kind < KINDS; kind++)
                ring(&kinds[kind], sizes[i], round);
            to_and_from_host(sizes[i], round);
            broadcast(sizes[i], round);
            if (windows)
                put_and_get(sizes[i], round);
        }
        column(round);
        reduce(3, round);
        reduce(LARGE_BYTES / (int)sizeof(int), round);
    }
    own[0] = checked;
    own[1] = wrong;
    MPI_Allreduce(own, sum, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks on %d hosts: %ld of %ld messages are wrong\n", ranks, hosts, sum[1],
               sum[0]);
    ok(cuCtxGetDevice(&device));
    ok(cuDevicePrimaryCtxRelease(device));
    MPI_Finalize();
    return sum[1] != 0;
}
