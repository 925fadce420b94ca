/* SPDX-License-Identifier: MIT */
/* Found by reading: the compiler of kernels installs a handler for LLVM's fatal errors, which
 * leaves the compilation of the thread. Mesa uses the same LLVM in threads that compile no kernel:
 * there the handler jumped through address 0. */
#include "../kernels/kernels.h"

#include <dlfcn.h>

TEST(llvm_that_gives_up_elsewhere_ends_the_process_as_it_does)
{
    typedef void give_up_function(const char *reason, bool crash);
    CUfunction function;
    void *llvm;
    int status;

    setenv("CUPIPE_CACHE", "off", 1);
    function = kernel_from("print.ptx", "nothing");
    launch_line(function, 1, 32, 0, NULL); /* loads LLVM */
    check_success(cuCtxSynchronize());
    llvm = dlopen("libLLVM.so.19.1", RTLD_LAZY | RTLD_NOLOAD);
    void *found = llvm ? dlsym(llvm, "_ZN4llvm18report_fatal_errorEPKcb") : NULL;
    if (!found)
        skip("kernels are not compiled by this LLVM here");
    give_up_function *give_up = (give_up_function *)(uintptr_t)found;
    pid_t child = fork();
    if (child == 0) {
        give_up("for a test", false);
        _exit(0);
    }
    check(child > 0 && waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
