/* SPDX-License-Identifier: MIT */
/* Heat on a plate, on many devices: each rank of MPI has a part of the rows on its device and gives
 * the rows at its edges to its neighbours, by device pointers straight into MPI_Sendrecv. At the
 * end rank 0 gathers the plate and compares it, bit by bit, with what its device computes alone.
 *
 *     mpirun -n 4 mpi_heat heat.ptx [WIDTH HEIGHT STEPS]
 *
 * It needs an MPI that takes device pointers; docs/MPI.md says which do. */
#include <cuda.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_X = 32, BLOCK_Y = 8, FILE_BYTES = 1 << 16, FOR_ROW = 1 };

struct part {
    int width, rows;         /* without the rows of the neighbours */
    CUdeviceptr now, next;   /* rows + 2 rows each */
    CUdeviceptr most;        /* a float: the largest change of a cell in the last step */
    CUfunction heat, change; /* see heat.cu */
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "mpi_heat: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void check_result(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fail(call, name);
}
#define check(call) check_result((call), #call)

/* The ranks of a host share its devices. Returns the number of hosts: each has a rank that is the
 * first there. */
static int take_device(CUdevice *device)
{
    int number, count, is_first, hosts;
    CUcontext context;
    MPI_Comm host;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &number);
    MPI_Comm_free(&host);
    check(cuInit(0));
    check(cuDeviceGetCount(&count));
    check(cuDeviceGet(device, number % count));
    check(cuDevicePrimaryCtxRetain(&context, *device));
    check(cuCtxSetCurrent(context));
    is_first = number == 0;
    MPI_Allreduce(&is_first, &hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return hosts;
}

static CUmodule load_module(const char *path)
{
    static char text[FILE_BYTES];
    FILE *file = fopen(path, "rb");
    CUmodule module;

    if (!file || fread(text, 1, sizeof(text) - 1, file) == 0)
        fail(path, "cannot be read");
    fclose(file);
    check(cuModuleLoadData(&module, text));
    return module;
}

static size_t row_bytes(const struct part *part)
{
    return (size_t)part->width * sizeof(float);
}

static CUdeviceptr row(const struct part *part, CUdeviceptr cells, int number)
{
    return cells + row_bytes(part) * (size_t)number;
}

static size_t part_bytes(const struct part *part)
{
    return row_bytes(part) * (size_t)(part->rows + 2);
}

/* The plate is cold but for the row above it. */
static void part_create(struct part *part, CUmodule module, int width, int rows, int is_top)
{
    unsigned bits;
    float hot = 100;

    memcpy(&bits, &hot, sizeof(bits));
    part->width = width;
    part->rows = rows;
    check(cuModuleGetFunction(&part->heat, module, "heat"));
    check(cuModuleGetFunction(&part->change, module, "change"));
    check(cuMemAlloc(&part->most, sizeof(float)));
    check(cuMemAlloc(&part->now, part_bytes(part)));
    check(cuMemAlloc(&part->next, part_bytes(part)));
    check(cuMemsetD8(part->now, 0, part_bytes(part)));
    if (is_top)
        check(cuMemsetD32(part->now, bits, (size_t)width));
    check(cuMemcpyDtoD(part->next, part->now, part_bytes(part)));
}

static void part_destroy(struct part *part)
{
    check(cuMemFree(part->most));
    check(cuMemFree(part->now));
    check(cuMemFree(part->next));
}

static void launch(CUfunction function, const struct part *part, void **parameters)
{
    unsigned blocks_x = ((unsigned)part->width + BLOCK_X - 1) / BLOCK_X;
    unsigned blocks_y = ((unsigned)part->rows + BLOCK_Y - 1) / BLOCK_Y;

    check(cuLaunchKernel(function, blocks_x, blocks_y, 1, BLOCK_X, BLOCK_Y, 1, 0, NULL, parameters,
                         NULL));
}

static void part_step(struct part *part)
{
    void *heat[] = {&part->next, &part->now, &part->width, &part->rows};
    CUdeviceptr old = part->now;

    launch(part->heat, part, heat);
    part->now = part->next;
    part->next = old;
}

/* The outermost rows go to the neighbours, and theirs come into the rows outside. MPI knows nothing
 * of streams: the step must be over before it reads. */
static void exchange(const struct part *part, int above, int below)
{
    float *first = (float *)row(part, part->now, 1), *over = (float *)row(part, part->now, 0);
    float *last = (float *)row(part, part->now, part->rows);
    float *under = (float *)row(part, part->now, part->rows + 1);

    check(cuStreamSynchronize(NULL));
    MPI_Sendrecv(first, part->width, MPI_FLOAT, above, FOR_ROW, under, part->width, MPI_FLOAT,
                 below, FOR_ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, part->width, MPI_FLOAT, below, FOR_ROW, over, part->width, MPI_FLOAT, above,
                 FOR_ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The largest change on the whole plate. */
static float largest_change(struct part *part)
{
    void *change[] = {&part->most, &part->now, &part->next, &part->width, &part->rows};
    float value;

    check(cuMemsetD8(part->most, 0, sizeof(float)));
    launch(part->change, part, change);
    check(cuStreamSynchronize(NULL));
    MPI_Allreduce(MPI_IN_PLACE, (float *)part->most, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    check(cuMemcpyDtoH(&value, part->most, sizeof(value)));
    return value;
}

/* Gathers the rows of all ranks on the device of rank 0 and counts there the cells that differ from
 * those that one device computes. */
static long compare(const struct part *part, CUmodule module, int height, int steps, int rank)
{
    struct part whole;
    long wrong = 0;

    if (rank == 0)
        part_create(&whole, module, part->width, height, 1);
    check(cuStreamSynchronize(NULL));
    MPI_Gather((float *)row(part, part->now, 1), part->width * part->rows, MPI_FLOAT,
               rank == 0 ? (float *)row(&whole, whole.next, 1) : NULL, part->width * part->rows,
               MPI_FLOAT, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return 0;
    size_t cells = (size_t)part->width * (size_t)height;
    unsigned *gathered = malloc(2 * cells * sizeof(*gathered)), *alone = gathered + cells;
    if (!gathered)
        fail("the plate", "there is no memory for it");
    check(cuMemcpyDtoH(gathered, row(&whole, whole.next, 1), cells * sizeof(*gathered)));
    check(cuMemcpyDtoD(whole.next, whole.now, part_bytes(&whole)));
    for (int i = 0; i < steps; i++)
        part_step(&whole);
    check(cuMemcpyDtoH(alone, row(&whole, whole.now, 1), cells * sizeof(*alone)));
    for (size_t i = 0; i < cells; i++)
        wrong += gathered[i] != alone[i];
    free(gathered);
    part_destroy(&whole);
    return wrong;
}

int main(int count, char **arguments)
{
    int ranks, rank, width = 512, height = 512, steps = 200;
    struct part part;
    CUdevice device;

    MPI_Init(&count, &arguments);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count == 5) {
        width = atoi(arguments[2]);
        height = atoi(arguments[3]);
        steps = atoi(arguments[4]);
    }
    if ((count != 2 && count != 5) || width < 3 || width > 16384 || height < ranks ||
        height > 16384 || height % ranks || steps < 1)
        fail("usage", "mpi_heat heat.ptx [WIDTH HEIGHT STEPS], HEIGHT a multiple of the ranks");
    int hosts = take_device(&device);
    CUmodule module = load_module(arguments[1]);
    part_create(&part, module, width, height / ranks, rank == 0);

    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double start = MPI_Wtime();
    for (int i = 0; i < steps; i++) {
        exchange(&part, above, below);
        part_step(&part);
    }
    float change = largest_change(&part);
    double seconds = MPI_Wtime() - start;
    long wrong = compare(&part, module, height, steps, rank);
    if (rank == 0)
        printf("%d ranks on %d hosts, %d x %d cells, %d steps: %.2f s, last change %g, %ld wrong "
               "cells\n",
               ranks, hosts, width, height, steps, seconds, change, wrong);
    part_destroy(&part);
    check(cuModuleUnload(module));
    check(cuDevicePrimaryCtxRelease(device));
    MPI_Finalize();
    return wrong != 0;
}
