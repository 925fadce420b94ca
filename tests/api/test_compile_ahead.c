/* SPDX-License-Identifier: MIT */
/* A program that launches kernels for the first time, and does not wait for them before it unloads
 * their module, ends their context or exits; and modules and graphs that compile many kernels. */
#include "test.h"

#include "kernels.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { KERNELS = 6, STEPS = 1500 };

/* Kernels k0, k1, … that each write their number to out[number], after so many instructions. */
static char *module_text(int steps)
{
    char *text = malloc(((size_t)steps * 32 + 512) * KERNELS + 256), *at = text;

    check(text != NULL);
    at += sprintf(at, PTX_HEAD);
    for (int k = 0; k < KERNELS; k++) {
        at += sprintf(at,
                      ".visible .entry k%d(.param .u64 out)\n{\n.reg .b32 %%r<3>;\n"
                      ".reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.y;\n",
                      k);
        for (int i = 0; i < steps; i++)
            at += sprintf(at, "mul.lo.u32 %%r1, %%r1, %d;\n", i + 3);
        at += sprintf(at, "add.u32 %%r1, %%r1, %d;\nst.global.u32 [%%rd1+%d], %%r1;\nret;\n}\n",
                      k + 1, 4 * k);
    }
    return text;
}

struct kernels {
    CUmodule module;
    CUfunction functions[KERNELS];
    CUdeviceptr out;
};

static struct kernels load(int steps)
{
    struct kernels loaded;
    char *text = module_text(steps);

    check_success(cuModuleLoadData(&loaded.module, text));
    free(text);
    for (int k = 0; k < KERNELS; k++) {
        char name[8];
        sprintf(name, "k%d", k);
        check_success(cuModuleGetFunction(&loaded.functions[k], loaded.module, name));
    }
    check_success(cuMemAlloc(&loaded.out, 4 * KERNELS));
    check_success(cuMemsetD8(loaded.out, 0, 4 * KERNELS));
    return loaded;
}

static void launch(struct kernels *loaded, int k, CUstream stream)
{
    void *arguments[] = {&loaded->out};

    check_success(
        cuLaunchKernel(loaded->functions[k], 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
}

static void launch_all(struct kernels *loaded)
{
    for (int k = 0; k < KERNELS; k++)
        launch(loaded, k, NULL);
}

static void check_written(const struct kernels *loaded)
{
    uint32_t numbers[KERNELS];

    check_success(cuMemcpyDtoH(numbers, loaded->out, sizeof(numbers)));
    for (uint32_t k = 0; k < KERNELS; k++)
        check(numbers[k] == k + 1);
}

TEST(kernels_in_one_stream)
{
    with_context();
    struct kernels loaded = load(STEPS);
    launch_all(&loaded);
    launch_all(&loaded);
    check_written(&loaded);
}

TEST(kernels_in_many_streams)
{
    CUstream streams[KERNELS];

    with_context();
    struct kernels loaded = load(STEPS);
    for (int k = 0; k < KERNELS; k++) {
        check_success(cuStreamCreate(&streams[k], CU_STREAM_DEFAULT));
        launch(&loaded, k, streams[k]);
        check_success(cuStreamDestroy(streams[k]));
    }
    check_success(cuCtxSynchronize());
    check_written(&loaded);
}

TEST(module_is_unloaded_while_its_kernels_are_compiled)
{
    with_context();
    for (int i = 0; i < 3; i++) {
        struct kernels loaded = load(STEPS);
        launch_all(&loaded);
        check_success(cuModuleUnload(loaded.module));
        check_success(cuCtxSynchronize());
        check_written(&loaded);
        check_success(cuMemFree(loaded.out));
    }
}

TEST(context_ends_while_its_kernels_are_compiled)
{
    CUcontext context;

    with_context();
    for (int i = 0; i < 3; i++) {
        check_success(cuCtxCreate(&context, NULL, 0, 0));
        struct kernels loaded = load(STEPS);
        launch_all(&loaded);
        check_success(cuCtxDestroy(context));
    }
}

static void run_child(void (*action)(void))
{
    int status;
    pid_t child = fork();

    check(child >= 0);
    if (child == 0)
        action();
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void launch_and_exit(void)
{
    setenv("CUPIPE_CACHE", "off", 1);
    with_context();
    struct kernels loaded = load(STEPS);
    launch_all(&loaded);
    exit(0);
}

TEST(process_exits_while_its_kernels_are_compiled)
{
    not_under_tsan("its LLVM is a shared library, which ends with the process");
    for (int i = 0; i < 8; i++)
        run_child(launch_and_exit);
}

/* The number of compiled kernels in a cache of its own. */
static int kernels_in(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;

    for (struct dirent *entry; list && (entry = readdir(list));)
        count += strstr(entry->d_name, ".kernel") != NULL;
    if (list)
        closedir(list);
    return count;
}

static void with_folder(char folder[64])
{
    strcpy(folder, "/tmp/cupipe-test-XXXXXX");
    check(mkdtemp(folder) != NULL);
    setenv("CUPIPE_CACHE", folder, 1);
    with_context();
    only_cupipe();
}

static void remove_folder(const char *folder)
{
    char command[96];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    check(system(command) == 0);
}

TEST(eager_loading_compiles_all_kernels)
{
    char folder[64];

    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    with_folder(folder);
    struct kernels loaded = load(8);
    check(kernels_in(folder) == KERNELS);
    launch_all(&loaded);
    check_written(&loaded);
    check(kernels_in(folder) == KERNELS);
    remove_folder(folder);
}

TEST(lazy_loading_compiles_what_is_launched)
{
    char folder[64];

    with_folder(folder);
    struct kernels loaded = load(8);
    launch(&loaded, 2, NULL);
    check_success(cuCtxSynchronize());
    check(kernels_in(folder) == 1);
    remove_folder(folder);
}

TEST(graph_compiles_its_kernels_when_it_is_instantiated)
{
    char folder[64];
    CUgraph graph;
    CUgraphExec executable;

    with_folder(folder);
    struct kernels loaded = load(8);
    void *arguments[] = {&loaded.out};
    check_success(cuGraphCreate(&graph, 0));
    for (int k = 0; k < 2 * KERNELS; k++) {
        CUgraphNode node;
        CUDA_KERNEL_NODE_PARAMS params = {.func = loaded.functions[k % KERNELS],
                                          .gridDimX = 1,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = 32,
                                          .blockDimY = 1,
                                          .blockDimZ = 1,
                                          .kernelParams = arguments};
        check_success(cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    }
    check(kernels_in(folder) == 0);
    check_success(cuGraphInstantiate(&executable, graph, 0));
    check(kernels_in(folder) == KERNELS);
    check_success(cuGraphLaunch(executable, NULL));
    check_success(cuCtxSynchronize());
    check_written(&loaded);
    remove_folder(folder);
}
