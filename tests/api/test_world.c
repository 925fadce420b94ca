/* SPDX-License-Identifier: MIT */
/* The library leaves the process state alone: signals, errno, floating-point state, locale, stdio,
 * thread names, and fork. */
#include "test.h"

#include "kernels.h"

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <sys/prctl.h>

/* A bit of everything, kernels too. */
static void use_everything(void)
{
    static unsigned char bytes[2 << 20];
    CUdeviceptr memory, managed;
    CUstream stream;
    CUevent event;
    CUmodule module;
    CUfunction function;
    unsigned value = 7, count = 64;
    void *arguments[] = {&memory, &value, &count};

    check_success(cuMemAlloc(&memory, sizeof(bytes)));
    check_success(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuEventCreate(&event, 0));
    check_success(cuMemcpyHtoDAsync(memory, bytes, sizeof(bytes), stream));
    check_success(cuMemcpyDtoHAsync(bytes, memory, sizeof(bytes), stream));
    check_success(cuEventRecord(event, stream));
    check_success(cuEventSynchronize(event));
    check_result(cuMemcpyHtoD(memory, (void *)8, 16), CUDA_ERROR_INVALID_VALUE); /* a fault */
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
    check_success(cuStreamSynchronize(stream));
    check_success(cuModuleUnload(module));
    check_success(cuEventDestroy(event));
    check_success(cuStreamDestroy(stream));
    check_success(cuMemFree(memory));
    check_success(cuMemFree(managed));
}

TEST(errno_is_kept)
{
    not_under_tsan("what it does itself changes errno");
    errno = 1234;
    with_context();
    only_cupipe();
    check(errno == 1234);
    use_everything();
    check(errno == 1234);
}

TEST(the_signal_mask_is_kept)
{
    sigset_t blocked, now;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGTERM);
    check(pthread_sigmask(SIG_SETMASK, &blocked, NULL) == 0);
    with_context();
    only_cupipe();
    use_everything();
    check(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    for (int number = 1; number < 32; number++)
        check(sigismember(&now, number) == sigismember(&blocked, number));
}

/* Only the four faults have a handler of the library, which passes on what is not its own. */
TEST(handlers_of_other_signals_are_kept)
{
    struct sigaction before[32], now;

    for (int number = 1; number < 32; number++)
        sigaction(number, NULL, &before[number]);
    with_context();
    only_cupipe();
    use_everything();
    for (int number = 1; number < 32; number++) {
        sigaction(number, NULL, &now);
        if (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL)
            continue;
        check(now.sa_handler == before[number].sa_handler);
        check(now.sa_flags == before[number].sa_flags);
    }
}

static volatile sig_atomic_t caught;
/* Not NULL, which UBSan would report before the access faults. */
static int *volatile nowhere = (int *)16; /* the compiler is not to know */

static void on_segv(int number)
{
    caught = number;
    _exit(caught == SIGSEGV ? 42 : 1);
}

TEST(a_fault_of_the_program_reaches_its_handler)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        signal(SIGSEGV, on_segv);
        with_context();
        use_everything();
        *nowhere = 1;
        _exit(1);
    }
    waitpid(pid, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

/* Signals sent to the process reach its own threads: the library's have all of them blocked. */
static atomic_int handled_by;

static void on_user_signal(int number)
{
    (void)number;
    atomic_store(&handled_by, gettid());
}

TEST(signals_go_to_threads_of_the_program)
{
    with_context();
    only_cupipe();
    use_everything();
    signal(SIGUSR1, on_user_signal);
    for (int i = 0; i < 50; i++) {
        atomic_store(&handled_by, 0);
        kill(getpid(), SIGUSR1);
        while (atomic_load(&handled_by) == 0)
            nap();
        check(atomic_load(&handled_by) == getpid());
    }
}

TEST(the_floating_point_state_is_kept)
{
    with_context();
    only_cupipe();
    check(fesetround(FE_UPWARD) == 0);
    feclearexcept(FE_ALL_EXCEPT);
    use_everything();
    check(fegetround() == FE_UPWARD);
}

TEST(the_locale_is_kept)
{
    char before[64];

    if (!setlocale(LC_ALL, "C.UTF-8"))
        skip("there is no C.UTF-8");
    snprintf(before, sizeof(before), "%s", setlocale(LC_ALL, NULL));
    with_context();
    use_everything();
    check(strcmp(before, setlocale(LC_ALL, NULL)) == 0);
}

/* What the program has buffered stays in its buffer, and nothing is added. */
TEST(stdio_is_left_alone)
{
    char text[64] = "";
    int ends[2];

    check(pipe(ends) == 0);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOFBF, 4096);
    printf("buffered");
    with_context();
    use_everything();
    printf(" still");
    fflush(stdout);
    ssize_t length = read(ends[0], text, sizeof(text) - 1);
    dup2(kept, STDOUT_FILENO);
    check(length == (ssize_t)strlen("buffered still") && strcmp(text, "buffered still") == 0);
}

TEST(threads_of_the_library_have_its_name)
{
    char before[17] = "", now[17] = "", path[300], name[32];
    struct dirent *entry;

    not_under_tsan("it has a thread of its own");
    prctl(PR_SET_NAME, "my own name");
    prctl(PR_GET_NAME, before);
    with_context();
    only_cupipe();
    use_everything();
    prctl(PR_GET_NAME, now);
    check(strcmp(before, now) == 0);
    DIR *tasks = opendir("/proc/self/task");
    check(tasks != NULL);
    while ((entry = readdir(tasks))) {
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue; /* it has just ended */
        check(fgets(name, sizeof(name), file) != NULL);
        fclose(file);
        if (strncmp(name, "cupipe", 6) != 0)
            test_fail(__FILE__, __LINE__, "a thread is called %s", name);
    }
    closedir(tasks);
}

TEST(a_child_can_be_made_while_work_is_under_way)
{
    CUdeviceptr memory;
    int status;

    with_context();
    check_success(cuMemAlloc(&memory, 8 << 20));
    for (int i = 0; i < 20; i++) {
        check_success(cuMemsetD8Async(memory, (unsigned char)i, 8 << 20, NULL));
        pid_t pid = fork();
        if (pid == 0)
            _exit(3);
        waitpid(pid, &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    }
    check_success(cuCtxSynchronize());
}
