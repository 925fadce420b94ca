/* SPDX-License-Identifier: MIT */
/* What a profiler costs: calls without one, with CUPIPE_TRACE, and with CUPTI recording kernels,
 * copies, fills and calls of the driver. The three are processes of their own that take turns.
 * Prints for each row the best time of the process and its threads for one operation, and the ratio
 * of CUPTI to CUPIPE_TRACE. */
#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, TURNS = 3, BUFFER_BYTES = 1 << 20, KINDS = 3 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry nothing()\n{\n    ret;\n}\n";
static CUdeviceptr memory;
static CUfunction function;
static char host[256];

static void query(void)
{
    cuStreamQuery(NULL);
}

static void fill(void)
{
    cuMemsetD8Async(memory, 1, 256, NULL);
}

static void copy(void)
{
    cuMemcpyHtoD(memory, host, sizeof(host));
}

static void launch(void)
{
    cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
}

static const struct row {
    const char *name;
    void (*run)(void);
    int count;
} rows[] = {{"cuStreamQuery", query, 200000},
            {"cuMemsetD8Async, 256 bytes", fill, 20000},
            {"cuMemcpyHtoD, 256 bytes", copy, 20000},
            {"cuLaunchKernel, one warp", launch, 20000}};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static double processor_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void give(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    *bytes = BUFFER_BYTES;
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *records_max = 0;
}

static void take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t used)
{
    (void)context, (void)stream, (void)bytes, (void)used;
    free(buffer);
}

static void record(void)
{
    cuptiActivityRegisterCallbacks(give, take);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
}

static double measure(const struct row *row)
{
    double best = 1e18;

    for (int round = 0; round < ROUNDS; round++) {
        double start = processor_ns();

        for (int i = 0; i < row->count; i++)
            row->run();
        cuCtxSynchronize();
        double took = (processor_ns() - start) / row->count;
        best = took < best ? took : best;
    }
    return best;
}

/* Writes one number for each row. */
static int child(const char *kind, int to)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    double took[ROWS];

    if (strcmp(kind, "trace") == 0)
        setenv("CUPIPE_TRACE", "/dev/null", 1);
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 4096) != CUDA_SUCCESS ||
        cuModuleLoadData(&module, ptx) != CUDA_SUCCESS ||
        cuModuleGetFunction(&function, module, "nothing") != CUDA_SUCCESS)
        return 1;
    for (int i = 0; i < 1000; i++) /* so that the kernel is compiled and its time known */
        launch();
    cuCtxSynchronize();
    if (strcmp(kind, "cupti") == 0)
        record();
    for (int i = 0; i < ROWS; i++)
        took[i] = measure(&rows[i]);
    return write(to, took, sizeof(took)) != sizeof(took);
}

static int run_child(const char *kind, double *best)
{
    double took[ROWS];
    int pipes[2], status;

    if (pipe(pipes) != 0)
        return 1;
    pid_t process = fork();
    if (process == 0)
        _exit(child(kind, pipes[1]));
    close(pipes[1]);
    bool good = read(pipes[0], took, sizeof(took)) == sizeof(took);
    close(pipes[0]);
    waitpid(process, &status, 0);
    for (int i = 0; good && i < ROWS; i++)
        best[i] = took[i] < best[i] ? took[i] : best[i];
    return !good;
}

int main(void)
{
    static const char *const kinds[KINDS] = {"none", "trace", "cupti"};
    double best[KINDS][ROWS];

    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < ROWS; i++)
            best[k][i] = 1e18;
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < KINDS; k++)
            if (run_child(kinds[k], best[k])) {
                fprintf(stderr, "cupti: %s did not run\n", kinds[k]);
                return 1;
            }
    printf("%-28s %9s %9s %9s  %s\n", "", "none, ns", "trace, ns", "CUPTI, ns", "CUPTI / trace");
    for (int i = 0; i < ROWS; i++)
        printf("%-28s %9.0f %9.0f %9.0f  %.2f\n", rows[i].name, best[0][i], best[1][i], best[2][i],
               best[2][i] / best[1][i]);
    return 0;
}
