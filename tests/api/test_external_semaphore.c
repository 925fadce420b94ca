/* SPDX-License-Identifier: MIT */
/* External semaphores without Vulkan. The tests that wait and signal make the files themselves, in
 * the form the layer exports them, and so are about cupipe alone. */
#include "hold.h"
#include "semaphore_file.h"

#include <fcntl.h>
#include <sys/mman.h>

TEST(a_descriptor_that_is_no_semaphore)
{
    CUexternalSemaphore imported;
    int pipes[2];

    with_context();
    check(pipe(pipes) == 0);
    check_result(import_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, -1, &imported),
                 CUDA_ERROR_UNKNOWN);
    check_result(import_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, -1, &imported),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(import_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, pipes[0], &imported),
                 CUDA_ERROR_UNKNOWN);
    check(fcntl(pipes[0], F_GETFD) >= 0);
}

TEST(types_of_other_systems)
{
    CUexternalSemaphore imported;

    with_context();
    check_result(import_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, 3, &imported),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(import_as((CUexternalSemaphoreHandleType)0, 3, &imported),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(import_as((CUexternalSemaphoreHandleType)11, 3, &imported),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(null_and_garbage)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;
    CUexternalSemaphore none = NULL;

    with_context();
    only_cupipe(); /* NVIDIA's driver crashes on some of it */
    memset(&wait, 0, sizeof(wait));
    memset(&signal, 0, sizeof(signal));
    check_result(cuDestroyExternalSemaphore(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDestroyExternalSemaphore((CUexternalSemaphore)0x1234), CUDA_ERROR_INVALID_VALUE);
    check_result(cuWaitExternalSemaphoresAsync(&none, &wait, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuSignalExternalSemaphoresAsync(&none, &signal, 1, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuWaitExternalSemaphoresAsync(NULL, &wait, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuWaitExternalSemaphoresAsync(&none, &wait, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuSignalExternalSemaphoresAsync(&none, NULL, 1, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* The list ends where memory ends. */
TEST(a_list_that_is_not_all_there)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waits[2];
    char *memory =
        mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    with_context();
    only_cupipe();
    check(memory != MAP_FAILED && munmap(memory + PAGE_BYTES, PAGE_BYTES) == 0);
    CUexternalSemaphore *list = (CUexternalSemaphore *)(void *)(memory + PAGE_BYTES) - 1;
    list[0] = import_file(make_file(TIMELINE));
    memset(waits, 0, sizeof(waits));
    check_result(cuWaitExternalSemaphoresAsync(list, waits, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuWaitExternalSemaphoresAsync(list, waits, 1, NULL));
}

TEST(the_descriptor_is_taken_over)
{
    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    CUexternalSemaphore imported = import_file(fd);
    check(fcntl(fd, F_GETFD) < 0);
    check_success(cuDestroyExternalSemaphore(imported));
}

TEST(a_signal_comes_after_the_work_before_it)
{
    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    CUexternalSemaphore imported = import_file(fd);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    hold_until(stream, word);
    check_success(signal_one(imported, 5, stream));
    check(atomic_load(&page->value) == 0);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&page->value) == 5);
}

/* Who waits for a semaphore may be outside of CUDA, so the library itself must see to the signal
 * even where work runs only when somebody waits for it. */
TEST(a_signal_runs_late_but_runs)
{
    setenv("CUPIPE_SCHEDULE", "lazy", 1);
    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    CUdeviceptr memory;
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuMemsetD8Async(memory, 1, 64, stream));
    check_success(signal_one(import_file(fd), 5, stream));
    while (atomic_load(&page->value) != 5)
        nap();
}

/* Whoever writes the value by hand rings the bell by hand. */
static void write_value(struct page *page, uint64_t value)
{
    atomic_store(&page->value, value);
    atomic_fetch_add(&page->bell, 1);
}

TEST(a_wait_is_for_a_value_or_more)
{
    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    CUexternalSemaphore imported = import_file(fd);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(wait_one(imported, 7, stream));
    write_value(page, 6);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    write_value(page, 9);
    check_success(cuStreamSynchronize(stream));
    check_success(wait_one(imported, 9, stream));
    check_success(cuStreamSynchronize(stream));
}

/* The sleeper is not told: it must look by itself, if not at once. */
TEST(a_value_written_without_a_bell)
{
    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(wait_one(import_file(fd), 1, stream));
    atomic_store(&page->value, 1);
    check_success(cuStreamSynchronize(stream));
}

TEST(a_binary_wait_takes_the_signal)
{
    with_context();
    only_cupipe();
    int fd = make_file(BINARY);
    struct page *page = map_file(fd);
    CUexternalSemaphore imported = import_file(fd);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(signal_one(imported, 77, stream));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&page->value) == 1);
    check_success(wait_one(imported, 99, stream));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&page->value) == 0);
}

TEST(a_list_waits_for_all_of_it)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params[3];
    CUexternalSemaphore imported[3];
    struct page *pages[3];

    with_context();
    only_cupipe();
    memset(params, 0, sizeof(params));
    for (int i = 0; i < 3; i++) {
        int fd = make_file(TIMELINE);
        pages[i] = map_file(fd);
        imported[i] = import_file(fd);
        params[i].params.fence.value = 1;
    }
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuWaitExternalSemaphoresAsync(imported, params, 3, stream));
    write_value(pages[2], 1);
    write_value(pages[0], 1);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    write_value(pages[1], 1);
    check_success(cuStreamSynchronize(stream));
}

TEST(one_bad_semaphore_and_none_is_used)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params[2];

    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    CUexternalSemaphore list[2] = {import_file(fd), NULL};
    memset(params, 0, sizeof(params));
    params[0].params.fence.value = 3;
    check_result(cuSignalExternalSemaphoresAsync(list, params, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    list[1] = list[0];
    params[1].flags = 1;
    check_result(cuSignalExternalSemaphoresAsync(list, params, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxSynchronize());
    check(atomic_load(&page->value) == 0);
}

/* The default stream waits for a blocking stream that waits for a semaphore. */
TEST(the_default_stream_follows_a_wait)
{
    CUdeviceptr memory;

    with_context();
    only_cupipe();
    int fd = make_file(TIMELINE);
    struct page *page = map_file(fd);
    check_success(wait_one(import_file(fd), 1, new_stream(CU_STREAM_DEFAULT)));
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuMemsetD8Async(memory, 1, 64, NULL));
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    write_value(page, 1);
    check_success(cuStreamSynchronize(NULL));
}

enum { STREAMS = 4, ROUNDS = 500 };

struct relay {
    CUcontext context;
    CUexternalSemaphore in, out;
    unsigned index;
};

/* Each thread has a stream that hands a number on to the next, round and round. */
static void *relay_main(void *argument)
{
    struct relay *relay = argument;

    check_success(cuCtxSetCurrent(relay->context));
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        check_success(wait_one(relay->in, round, stream));
        check_success(
            signal_one(relay->out, relay->index == STREAMS - 1 ? round + 1 : round, stream));
    }
    check_success(cuStreamSynchronize(stream));
    check_success(cuStreamDestroy(stream));
    return NULL;
}

TEST(threads_hand_a_number_round)
{
    struct relay relays[STREAMS];
    CUexternalSemaphore semaphores[STREAMS];
    struct page *pages[STREAMS];
    pthread_t threads[STREAMS];
    CUcontext context = with_context();

    only_cupipe();
    for (unsigned i = 0; i < STREAMS; i++) {
        int fd = make_file(TIMELINE);
        pages[i] = map_file(fd);
        semaphores[i] = import_file(fd);
    }
    for (unsigned i = 0; i < STREAMS; i++) {
        relays[i] = (struct relay){context, semaphores[i], semaphores[(i + 1) % STREAMS], i};
        check(pthread_create(&threads[i], NULL, relay_main, &relays[i]) == 0);
    }
    check_success(signal_one(semaphores[0], 1, NULL));
    for (unsigned i = 0; i < STREAMS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check(atomic_load(&pages[0]->value) == ROUNDS + 1);
}

struct destroyer {
    CUcontext context;
    CUexternalSemaphore semaphore;
    atomic_int *destroyed;
};

static void *destroy_main(void *argument)
{
    struct destroyer *destroyer = argument;

    check_success(cuCtxSetCurrent(destroyer->context));
    if (cuDestroyExternalSemaphore(destroyer->semaphore) == CUDA_SUCCESS)
        atomic_fetch_add(destroyer->destroyed, 1);
    return NULL;
}

TEST(threads_destroy_what_streams_wait_for)
{
    enum { THREADS = 4, TIMES = 50 };
    CUcontext context = with_context();
    pthread_t threads[THREADS];

    only_cupipe();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < TIMES; i++) {
        atomic_int destroyed = 0;
        struct destroyer destroyer = {context, import_file(make_file(BINARY)), &destroyed};
        check_success(wait_one(destroyer.semaphore, 0, stream));
        for (int t = 0; t < THREADS; t++)
            check(pthread_create(&threads[t], NULL, destroy_main, &destroyer) == 0);
        for (int t = 0; t < THREADS; t++)
            check(pthread_join(threads[t], NULL) == 0);
        check_success(cuStreamSynchronize(stream));
        check(atomic_load(&destroyed) == 1);
    }
}

TEST(no_descriptor_is_left_behind)
{
    with_context();
    only_cupipe();
    check_success(cuDestroyExternalSemaphore(import_file(make_file(TIMELINE))));
    int before = dup(0);
    close(before);
    for (int i = 0; i < 1000; i++) {
        CUexternalSemaphore imported = import_file(make_file(TIMELINE));
        check_success(signal_one(imported, 1, NULL));
        check_success(wait_one(imported, 1, NULL));
        check_success(cuDestroyExternalSemaphore(imported));
    }
    check_success(cuCtxSynchronize());
    int after = dup(0);
    check(after == before);
}
