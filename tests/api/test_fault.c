/* SPDX-License-Identifier: MIT */
/* Invalid host pointers. NVIDIA's driver crashes with most of them; cupipe returns an error, and
 * faults of the application itself are not caught. */
#include "test.h"

#include <setjmp.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROOM = 4 << 20 };

static CUdeviceptr device;
static const size_t sizes[] = {1, 100, 5000, 100000, 3 << 20};

/* Threads of the driver are there before a test unmaps anything: their stacks would fill the gap.
 */
static void begin(void)
{
    with_context();
    only_cupipe();
    check_success(cuMemAlloc(&device, ROOM));
    check_success(cuMemsetD8(device, 0, ROOM));
    check_success(cuCtxSynchronize());
}

static unsigned char *map_pages(size_t bytes, int protection)
{
    void *pages = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(pages != MAP_FAILED);
    return pages;
}

static void check_copies_work(void)
{
    uint64_t out = 0x123456789abcdef, back = 0;

    check_success(cuMemcpyHtoD(device, &out, 8));
    check_success(cuMemcpyDtoH(&back, device, 8));
    check(out == back);
    check_success(cuCtxSynchronize());
}

static void check_source_fails(const void *source, size_t bytes)
{
    check_result(cuMemcpyHtoD(device, source, bytes), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyHtoDAsync(device, source, bytes, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy(device, (CUdeviceptr)(uintptr_t)source, bytes), CUDA_ERROR_INVALID_VALUE);
    check_copies_work();
}

static void check_destination_fails(void *destination, size_t bytes)
{
    check_result(cuMemcpyDtoH(destination, device, bytes), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoHAsync(destination, device, bytes, NULL), CUDA_ERROR_INVALID_VALUE);
    check_copies_work();
}

TEST(unmapped_memory_is_an_error)
{
    unsigned char *pages = map_pages(ROOM, PROT_READ | PROT_WRITE);

    begin();
    check(munmap(pages, ROOM) == 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_source_fails(pages, sizes[i]);
        check_destination_fails(pages, sizes[i]);
    }
}

TEST(impossible_addresses_are_errors)
{
    static const uint64_t addresses[] = {1, 64, 0xdead0000dead0000, 0xffffffffffffff00};

    begin();
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        check_source_fails((void *)(uintptr_t)addresses[i], 64);
        check_destination_fails((void *)(uintptr_t)addresses[i], 64);
    }
}

TEST(protected_memory_is_an_error)
{
    unsigned char *pages = map_pages(ROOM, PROT_NONE);

    begin();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_source_fails(pages, sizes[i]);
        check_destination_fails(pages, sizes[i]);
    }
}

TEST(read_only_memory_is_no_destination)
{
    unsigned char *pages = map_pages(ROOM, PROT_READ);

    begin();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_destination_fails(pages, sizes[i]);
        check_success(cuMemcpyHtoD(device, pages, sizes[i]));
    }
}

TEST(an_unmapped_tail_is_an_error)
{
    /* Other threads may map memory: in so large a hole it lies at the upper end. */
    enum { HOLE = 64 << 20 };
    unsigned char *pages = map_pages(ROOM + HOLE, PROT_READ | PROT_WRITE);

    begin();
    check(munmap(pages + ROOM - PAGE, PAGE + HOLE) == 0);
    for (size_t i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char *at = pages + ROOM - PAGE - sizes[i];
        check_success(cuMemcpyHtoD(device, at, sizes[i]));
        check_source_fails(at + 1, sizes[i]);
        check_destination_fails(at + 1, sizes[i]);
    }
}

TEST(a_truncated_file_is_an_error)
{
    FILE *file = tmpfile();
    unsigned char *pages;

    begin();
    check(file && ftruncate(fileno(file), ROOM) == 0);
    pages = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    check(pages != MAP_FAILED);
    check_success(cuMemcpyHtoD(device, pages, ROOM));
    check(ftruncate(fileno(file), PAGE) == 0);
    check_source_fails(pages + PAGE, 100);
    check_source_fails(pages, 3 << 20);
    check_destination_fails(pages + PAGE - 1, 2);
    check_success(cuMemcpyHtoD(device, pages, PAGE));
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

static void *raise_later(void *flag)
{
    struct timespec time = {0, 30000000};

    nanosleep(&time, NULL);
    flag_raise(flag);
    return NULL;
}

/* The same when a worker, and not the caller, does the copy. */
TEST(a_bad_destination_behind_other_work_is_an_error)
{
    static struct flag flag;
    unsigned char *pages = map_pages(ROOM, PROT_NONE);
    CUstream stream;
    pthread_t thread;

    begin();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &flag));
    check(pthread_create(&thread, NULL, raise_later, &flag) == 0);
    check_result(cuMemcpyDtoHAsync(pages, device, 3 << 20, stream), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check_copies_work();
    pthread_join(thread, NULL);
}

/* Registered memory is the device's: what becomes of it later is an error of the device. */
TEST(registered_memory_that_went_away_is_a_sticky_error)
{
    static struct flag flag;
    unsigned char *pages = map_pages(ROOM, PROT_READ | PROT_WRITE);
    CUstream stream;

    begin();
    check_success(cuMemHostRegister(pages, ROOM, 0));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &flag));
    check_success(cuMemcpyHtoDAsync(device, pages, ROOM, stream));
    /* Not munmap: a thread that starts now could map its own memory there. */
    check(mmap(pages, ROOM, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == pages);
    flag_raise(&flag);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static sigjmp_buf recovery;
static volatile sig_atomic_t faults;

static void on_fault(int number)
{
    (void)number;
    faults++;
    siglongjmp(recovery, 1);
}

static void install_handler(void)
{
    struct sigaction action = {.sa_handler = on_fault};

    check(sigaction(SIGSEGV, &action, NULL) == 0);
    check(sigaction(SIGBUS, &action, NULL) == 0);
}

static volatile unsigned char *nowhere;

/* The application reads where it must not, and its handler saves it. */
static void check_handler_is_called(void)
{
    sig_atomic_t before = faults;

    if (sigsetjmp(recovery, 1) == 0) {
        (void)*nowhere;
        check(!"reached");
    }
    check(faults == before + 1);
}

TEST(a_handler_from_before_still_gets_its_faults)
{
    nowhere = map_pages(PAGE, PROT_NONE);
    install_handler();
    begin();
    check_handler_is_called();
    check_source_fails((void *)(uintptr_t)nowhere, 100);
    check(faults == 1);
    check_handler_is_called();
    check_copies_work();
}

TEST(a_handler_from_after_still_gets_its_faults)
{
    unsigned char host[64];

    nowhere = map_pages(PAGE, PROT_NONE);
    begin();
    check_source_fails((void *)(uintptr_t)nowhere, 100);
    install_handler();
    check_handler_is_called();
    for (int i = 0; i < 5000; i++)
        check_success(cuMemcpyDtoH(host, device, 64));
    check_source_fails((void *)(uintptr_t)nowhere, 100);
    check(faults == 1);
    check_handler_is_called();
}

static int end_of_child(void (*what)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        what();
        _exit(0);
    }
    check(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void fault(void)
{
    (void)*nowhere;
}

static void send_oneself_a_fault(void)
{
    raise(SIGSEGV);
}

TEST(a_fault_of_the_application_ends_it)
{
    nowhere = map_pages(PAGE, PROT_NONE);
    signal(SIGSEGV, SIG_DFL); /* a sanitizer may have a handler there */
    begin();
    check_copies_work();
    check(end_of_child(fault) == SIGSEGV);
    check(end_of_child(send_oneself_a_fault) == SIGSEGV);
}

struct copier {
    pthread_t thread;
    CUcontext context;
    unsigned char *bad; /* NULL: this one copies from where there is memory */
};

static void *copy_much(void *argument)
{
    struct copier *copier = argument;
    unsigned char *out = malloc(2 << 20), *back = malloc(2 << 20);
    CUdeviceptr ptr;

    check_success(cuCtxSetCurrent(copier->context));
    check_success(cuMemAlloc(&ptr, 2 << 20));
    for (int i = 0; i < 300; i++) {
        size_t bytes = i % 20 ? 5000 : 2 << 20;
        if (copier->bad) {
            check_result(cuMemcpyHtoD(ptr, copier->bad, bytes), CUDA_ERROR_INVALID_VALUE);
            continue;
        }
        memset(out, i, bytes);
        check_success(cuMemcpyHtoD(ptr, out, bytes));
        check_success(cuMemcpyDtoH(back, ptr, bytes));
        check(memcmp(out, back, bytes) == 0);
    }
    free(out);
    free(back);
    return NULL;
}

TEST(one_thread_s_fault_is_not_another_s)
{
    struct copier copiers[8];
    unsigned char *bad = map_pages(ROOM, PROT_NONE);
    CUcontext context;

    begin();
    check_success(cuCtxGetCurrent(&context));
    for (int i = 0; i < 8; i++) {
        copiers[i] = (struct copier){.context = context, .bad = i % 2 ? bad : NULL};
        check(pthread_create(&copiers[i].thread, NULL, copy_much, &copiers[i]) == 0);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(copiers[i].thread, NULL);
}
