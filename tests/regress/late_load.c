/* SPDX-License-Identifier: MIT */
/* Found with Quadrants and slangpy: a program that had loaded other libraries could not load this
 * one, "cannot allocate memory in static TLS block". glibc keeps some 1,600 bytes for libraries
 * that are loaded late and want a fixed place in every thread; ours wanted 816 of them. Here others
 * eat that room down to the last 16 bytes; then the library is loaded, works, and compiles a
 * kernel. The Vulkan layer, if it is there, is loaded, too.
 *
 * usage: late_load LIBCUDA FOLDER-OF-HUNGRY [LAYER] */
#include <cuda.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Copies of one library, in pieces of these sizes; a piece that does not fit is not loaded. */
static const int pieces[] = {512, 256, 128, 64, 32, 16};
enum { COPIES = 8, LEFT_BYTES = 4 * sizeof(void *) };

static int eat(const char *folder, int most)
{
    int eaten = 0;

    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        for (int copy = 0; copy < COPIES && eaten + pieces[i] <= most; copy++) {
            char name[4096];
            snprintf(name, sizeof name, "%s/hungry_%d_%d.so", folder, pieces[i], copy);
            void *hungry = dlopen(name, RTLD_NOW);
            if (!hungry)
                break;
            ((char *(*)(void))dlsym(hungry, "hungry_touch"))();
            eaten += pieces[i];
        }
    }
    return eaten;
}

/* How much there is, found out by another process. */
static int measure(const char *folder)
{
    int ends[2], bytes = 0;

    if (pipe(ends) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        bytes = eat(folder, INT_MAX);
        _exit(write(ends[1], &bytes, sizeof bytes) != sizeof bytes);
    }
    close(ends[1]);
    if (read(ends[0], &bytes, sizeof bytes) != sizeof bytes)
        bytes = 0;
    waitpid(pid, NULL, 0);
    return bytes;
}

static void *library;

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        CUresult result = ((__typeof__(&name))dlsym(library, #name))(__VA_ARGS__);                 \
        if (result != CUDA_SUCCESS) {                                                              \
            printf("not ok 1 - %s answers %d\n", #name, (int)result);                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void *work(void *context)
{
    static const char text[] =
        ".version 7.0\n.target sm_50\n.address_size 64\n"
        ".visible .entry k(.param .u64 p) { .reg .u64 %a; ld.param.u64 %a, [p];"
        " st.global.u32 [%a], 42; ret; }\n";
    CUdeviceptr memory;
    CUmodule module;
    CUfunction function;
    unsigned value = 0;
    void *parameters[] = {&memory};

    CALL(cuCtxSetCurrent, context);
    CALL(cuMemAlloc_v2, &memory, 4);
    CALL(cuModuleLoadData, &module, text);
    CALL(cuModuleGetFunction, &function, module, "k");
    CALL(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    CALL(cuMemcpyDtoH_v2, &value, memory, 4);
    CALL(cuModuleUnload, module);
    CALL(cuMemFree_v2, memory);
    return value == 42 ? context : NULL;
}

int main(int argc, char **argv)
{
    CUcontext context;
    pthread_t thread;
    void *answer = NULL;

    if (argc < 3)
        return 2;
    int all = measure(argv[2]), eaten = eat(argv[2], all - LEFT_BYTES);
    printf("# %d bytes of %d are eaten\n", eaten, all);
    if (eaten == 0)
        return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library || (argc > 3 && !dlopen(argv[3], RTLD_NOW))) {
        printf("not ok 1 - %s\n1..1\n", dlerror());
        return 1;
    }
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    if (pthread_create(&thread, NULL, work, context) == 0)
        pthread_join(thread, &answer);
    printf("%s 1 - the library is loaded when there is hardly room for storage in threads\n1..1\n",
           answer && work(context) ? "ok" : "not ok");
    return !answer;
}
