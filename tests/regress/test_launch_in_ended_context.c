/* SPDX-License-Identifier: MIT */
/* Found by reading: a context that ends waits for the work in its streams, but it did not wait for
 * a small kernel that a thread executes while launching it, nor for one launched at that moment.
 * Such a kernel printed to a buffer and allocated from memory that were already freed. */
#include "test.h"

enum { THREADS = 3, CONTEXTS = 150 };

static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                           ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"
                           ".extern .func free(.param .b64 pointer);\n"
                           ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param "
                           ".b64 arguments);\n"
                           ".global .align 1 .b8 line[3] = {111, 10, 0};\n"
                           ".visible .entry both()\n{\n"
                           ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"
                           "{\n.param .b64 size;\n.param .b64 result;\n"
                           "st.param.b64 [size], 16;\n"
                           "call.uni (result), malloc, (size);\n"
                           "ld.param.b64 %rd1, [result];\n}\n"
                           "mov.u32 %r2, 7;\nst.u32 [%rd1], %r2;\n"
                           "{\n.param .b64 pointer;\nst.param.b64 [pointer], %rd1;\n"
                           "call.uni free, (pointer);\n}\n"
                           "mov.u64 %rd2, line;\ncvta.global.u64 %rd3, %rd2;\n"
                           "{\n.param .b64 format;\n.param .b64 arguments;\n.param .b32 result;\n"
                           "st.param.b64 [format], %rd3;\nst.param.b64 [arguments], 0;\n"
                           "call.uni (result), vprintf, (format, arguments);\n"
                           "ld.param.b32 %r1, [result];\n}\nret;\n}\n";

static _Atomic(CUcontext) context;
static _Atomic(CUfunction) function;
static struct flag over;

static void *launch(void *unused)
{
    (void)unused;
    while (!flag_is_raised(&over)) {
        /* Whatever they answer: either may have ended. */
        if (cuCtxSetCurrent(atomic_load(&context)) == CUDA_SUCCESS)
            cuLaunchKernel(atomic_load(&function), 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL,
                           NULL);
    }
    return NULL;
}

TEST(who_launches_survives_the_end_of_the_context)
{
    pthread_t threads[THREADS];
    CUcontext primary = with_context();

    check(freopen("/dev/null", "w", stdout) != NULL);
    for (int i = 0; i < CONTEXTS; i++) {
        CUcontext made;
        CUmodule module;
        CUfunction found;

        check_success(cuCtxCreate(&made, NULL, 0, 0));
        check_success(cuModuleLoadData(&module, text));
        check_success(cuModuleGetFunction(&found, module, "both"));
        atomic_store(&function, found);
        atomic_store(&context, made);
        for (int k = 0; i == 0 && k < THREADS; k++)
            check(pthread_create(&threads[k], NULL, launch, NULL) == 0);
        for (int k = 0; k < 20; k++)
            nap();
        check_success(cuCtxDestroy(made));
        check_success(cuCtxSetCurrent(primary));
    }
    flag_raise(&over);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSynchronize());
}
