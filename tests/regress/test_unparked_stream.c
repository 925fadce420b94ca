/* SPDX-License-Identifier: MIT */
/* Found by the soak: a stream that had waited for another was made ready, and before it was put on
 * the workers' list a thread that synchronised had run all of it and destroyed it. It came to life
 * again, ended a second time, and with it went a reference too many of its context. */
#include "hold.h"

enum { THREADS = 4, TURNS = 8000 };

static CUcontext context;

/* Two streams of which one waits for the other; the host waits for it, too, and destroys it. */
static void *turn(void *unused)
{
    atomic_uint *word;
    CUdeviceptr memory;
    CUevent event;

    (void)unused;
    check_success(cuCtxSetCurrent(context));
    word = pinned_words(1);
    event = new_event(CU_EVENT_DISABLE_TIMING);
    check_success(cuMemAlloc(&memory, 64));
    for (unsigned i = 1; i <= TURNS; i++) {
        CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
        CUstream second = new_stream(CU_STREAM_NON_BLOCKING);

        check_success(cuStreamWaitValue32(first, address_of(word), i, CU_STREAM_WAIT_VALUE_GEQ));
        check_success(cuEventRecord(event, first));
        check_success(cuStreamWaitEvent(second, event, 0));
        check_success(cuMemsetD8Async(memory, 1, 64, second));
        sched_yield(); /* perhaps both are parked by now */
        atomic_store(word, i);
        check_success(cuStreamSynchronize(first)); /* now the second becomes ready */
        check_success(cuStreamSynchronize(second));
        check_success(cuStreamDestroy(second));
        check_success(cuStreamDestroy(first));
    }
    check_success(cuMemFree(memory));
    return NULL;
}

TEST(a_stream_that_is_destroyed_while_it_becomes_ready)
{
    pthread_t threads[THREADS];
    unsigned version;

    context = with_context();
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, turn, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSetCurrent(NULL));
    check_success(cuCtxGetApiVersion(context, &version));
    check_success(cuCtxSetCurrent(context));
    check_success(cuCtxSynchronize());
}
