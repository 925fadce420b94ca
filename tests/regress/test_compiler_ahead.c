/* SPDX-License-Identifier: MIT */
/* Without a cache, the compiler is loaded while the module is read: a first launch waited for both,
 * one after the other. */
#include "test.h"

#include <sched.h>

static bool is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    bool found = false;

    check(maps != NULL);
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\nret;\n}\n";

TEST(a_module_brings_the_compiler)
{
    CUmodule module;

    setenv("CUPIPE_CACHE", "off", 1);
    setenv("CUPIPE_THREADS", "2", 1);
    with_context();
    check(!is_mapped("libcupipe-jit.so"));
    check_success(cuModuleLoadData(&module, text));
    while (!is_mapped("libcupipe-jit.so")) /* the test's time limit ends it */
        sched_yield();
    check_success(cuModuleUnload(module));
}

TEST(with_one_worker_the_first_launch_brings_it)
{
    CUmodule module;
    CUfunction function;

    setenv("CUPIPE_CACHE", "off", 1);
    setenv("CUPIPE_THREADS", "1", 1);
    with_context();
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "k"));
    check(!is_mapped("libcupipe-jit.so"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    check_success(cuCtxSynchronize());
    check(is_mapped("libcupipe-jit.so"));
}
