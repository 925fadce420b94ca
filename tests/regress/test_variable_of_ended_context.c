/* SPDX-License-Identifier: MIT */
/* Found by reading: the end of a context freed the memory of modules' variables, and the module
 * freed it again when its last user finished: a thread whose launch was still being compiled. By
 * then the memory belonged to another allocation, which was lost. */
#include "test.h"

enum { BYTES = 4 << 20, STEPS = 500 };

static CUcontext ending;
static CUfunction function;
static struct flag begins;

/* A kernel that writes to a variable, and takes long to compile. */
static char *make_text(void)
{
    char *text = malloc(STEPS * 80 + 1000);
    size_t length = (size_t)sprintf(text,
                                    ".version 7.0\n.target sm_50\n.address_size 64\n"
                                    ".global .align 16 .b8 variable[%d];\n"
                                    ".entry slow(.param .u32 start)\n{\n.reg .u32 %%r<9>;\n"
                                    "ld.param.u32 %%r0, [start];\nmov.u32 %%r1, %%tid.x;\n",
                                    BYTES);

    check(text != NULL);
    for (int i = 0; i < STEPS; i++)
        length += (size_t)sprintf(text + length, "mad.lo.u32 %%r%d, %%r%d, %%r%d, %d;\n", i % 7 + 2,
                                  i % 5, (i + 3) % 9, i);
    sprintf(text + length, "add.u32 %%r0, %%r2, %%r8;\nst.global.u32 [variable], %%r0;\nret;\n}\n");
    return text;
}

static void *launch(void *unused)
{
    unsigned start = 1;
    void *parameters[] = {&start};

    (void)unused;
    check_success(cuCtxSetCurrent(ending));
    flag_raise(&begins);
    cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters,
                   NULL); /* whatever it answers */
    return NULL;
}

TEST(memory_is_given_back_once)
{
    const struct timespec pause = {0, 20000000};
    char *text = make_text();
    unsigned char *came = malloc(BYTES);
    CUdeviceptr memory, base;
    CUcontext primary;
    CUmodule module;
    pthread_t thread;
    size_t size;

    setenv("CUPIPE_CACHE", "off", 1);
    primary = with_context();
    check_success(cuCtxCreate(&ending, NULL, 0, 0));
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "slow"));
    check(pthread_create(&thread, NULL, launch, NULL) == 0);
    flag_wait(&begins);
    nanosleep(&pause, NULL); /* by now it is being compiled */
    check_success(cuCtxDestroy(ending));
    check_success(cuCtxSetCurrent(primary));
    check_success(cuMemAlloc(&memory, BYTES));
    check_success(cuMemsetD8(memory, 0x5a, BYTES));
    pthread_join(thread, NULL);
    for (int i = 0; i < 1000; i++) { /* the kernel may still be under way */
        check_success(cuMemGetAddressRange(&base, &size, memory));
        check(base == memory && size == BYTES);
        nap();
    }
    check_success(cuMemcpyDtoH(came, memory, BYTES));
    for (size_t i = 0; i < BYTES; i++)
        check(came[i] == 0x5a);
    check_success(cuMemFree(memory));
    free(came);
    free(text);
}
