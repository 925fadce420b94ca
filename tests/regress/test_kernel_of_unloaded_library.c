/* SPDX-License-Identifier: MIT */
/* Found by reading: getting the function of a library's kernel took a reference without checking
 * whether the function still existed. If another thread unloaded the library at that moment, the
 * function was destroyed twice. Found by the fuzzer: a library's module got its creator's reference
 * after its context could end it. */
#include "test.h"

#include <time.h>

enum { THREADS = 4, TURNS = 120, KERNELS = 40 };

static CUcontext context;
static _Atomic(CUkernel) kernel;
static struct flag over;
static atomic_uint found_count;

static void *ask(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(context));
    while (!flag_is_raised(&over)) {
        CUkernel asked = atomic_load(&kernel);
        CUfunction function;
        CUresult result = cuKernelGetFunction(&function, asked);

        check(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_HANDLE);
    }
    return NULL;
}

static char *make_text(void)
{
    char *text = malloc(KERNELS * 32 + 100);
    size_t length;

    check(text != NULL);
    if (!text)
        return NULL;
    length = (size_t)sprintf(text, ".version 7.0\n.target sm_50\n.address_size 64\n");
    for (int i = 0; i < KERNELS; i++)
        length += (size_t)sprintf(text + length, ".entry k%d() { ret; }\n", i);
    return text;
}

TEST(a_library_is_unloaded_while_its_kernels_are_asked_for)
{
    char *text = make_text(), name[16];
    pthread_t threads[THREADS];

    context = with_context();
    for (int i = 0; i < TURNS; i++) {
        CUlibrary library;
        CUkernel found;

        check_success(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
        sprintf(name, "k%d", i % KERNELS);
        check_success(cuLibraryGetKernel(&found, library, name));
        atomic_store(&kernel, found);
        for (int k = 0; i == 0 && k < THREADS; k++)
            check(pthread_create(&threads[k], NULL, ask, NULL) == 0);
        sched_yield();
        check_success(cuLibraryUnload(library));
    }
    flag_raise(&over);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSynchronize());
    free(text);
}

static void *ask_in_primary(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(context));
    while (!flag_is_raised(&over)) {
        CUfunction function;

        /* Any answer will do, if some are good. A good one waits for nothing: without yielding,
         * these threads keep the processors from the one that ends the context. */
        if (cuKernelGetFunction(&function, atomic_load(&kernel)) == CUDA_SUCCESS) {
            atomic_fetch_add(&found_count, 1);
            sched_yield();
        }
    }
    return NULL;
}

TEST(a_context_ends_while_kernels_are_asked_for_in_it)
{
    char *text = make_text();
    pthread_t threads[THREADS];
    CUcontext again;
    CUlibrary library;
    CUkernel found;
    const time_t end = time(NULL) + 5;

    check_success(cuInit(0));
    check_success(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&found, library, "k7"));
    atomic_store(&kernel, found);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    for (int k = 0; k < THREADS; k++)
        check(pthread_create(&threads[k], NULL, ask_in_primary, NULL) == 0);
    /* On a busy machine a turn takes long, because others run wherever it yields. */
    for (int i = 0; (i < 20 * TURNS && time(NULL) < end) || atomic_load(&found_count) == 0; i++) {
        check_success(cuDevicePrimaryCtxReset(0));
        check_success(cuDevicePrimaryCtxRetain(&again, 0));
        for (int k = 0; k < i % 32; k++)
            sched_yield();
    }
    flag_raise(&over);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_success(cuLibraryUnload(library));
    free(text);
}
