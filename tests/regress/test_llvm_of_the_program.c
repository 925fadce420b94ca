/* SPDX-License-Identifier: MIT */
/* Found with TensorFlow, which exports the functions of an LLVM of its own to the whole process:
 * the compiler of kernels called those, with objects of another version, and crashed. This program
 * exports some, too, which end it. */
#include "../kernels/kernels.h"

#include <dlfcn.h>

#define OF_THE_PROGRAM(name)                                                                       \
    __attribute__((visibility("default"))) void name(void);                                        \
    void name(void)                                                                                \
    {                                                                                              \
        fprintf(stderr, "the program's own " #name " was called\n");                               \
        abort();                                                                                   \
    }

OF_THE_PROGRAM(LLVMContextCreate)
OF_THE_PROGRAM(LLVMModuleCreateWithNameInContext)
OF_THE_PROGRAM(LLVMCreateTargetMachine)
OF_THE_PROGRAM(LLVMRunPasses)

TEST(kernels_are_compiled_by_cupipes_llvm)
{
    void *own = dlsym(RTLD_DEFAULT, "LLVMContextCreate");

    check(own == (void *)LLVMContextCreate);
    setenv("CUPIPE_CACHE", "off", 1);
    CUfunction function = kernel_from("print.ptx", "nothing");
    launch_line(function, 1, 32, 0, NULL);
    check_success(cuCtxSynchronize());
}
