/* SPDX-License-Identifier: MIT */
/* Calls a little of everything for check_trace.py to find in the trace, and leaves without cleaning
 * up. With the argument "kill" it ends by a signal. */
#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: result %d\n", what, (int)result);
    exit(3);
}

static void *second_thread(void *context)
{
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    return NULL;
}

/* A child writes nothing into the file of its parent. */
static void run_child(void)
{
    pid_t child = fork();
    int version;

    if (child == 0) {
        cuDriverGetVersion(&version);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void use_memory(void)
{
    static char data[4096];
    CUdeviceptr pointer = 0, nothing;

    need(cuMemAlloc(&pointer, sizeof data), "cuMemAlloc");
    cuMemAlloc(&nothing, 0);
    need(cuMemcpyHtoD(pointer, data, sizeof data), "cuMemcpyHtoD");
    need(cuMemcpyDtoH(data, pointer, sizeof data), "cuMemcpyDtoH");
}

int main(int argc, char **argv)
{
    CUdriverProcAddressQueryResult status;
    CUcontext context;
    CUstream stream;
    CUdevice device;
    pthread_t thread;
    void *entry;

    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuGetProcAddress("cuNo\"Such\n", &entry, CUDA_VERSION, 0, &status), "cuGetProcAddress");
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    use_memory();
    need(cuStreamSynchronize(stream), "cuStreamSynchronize");
    pthread_create(&thread, NULL, second_thread, context);
    pthread_join(thread, NULL);
    run_child();
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        usleep(300000);
        cuCtxSynchronize();
        raise(SIGKILL);
    }
    return 0;
}
