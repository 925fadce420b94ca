/* SPDX-License-Identifier: MIT */
/* Found by the soak: if a thread synchronised while another one was about to write what kernels had
 * printed, the call returned before it was written. */
#include "test.h"

#include "../kernels/kernels.h"

#include <sys/mman.h>

enum { TURNS = 6000, THREADS = 6, BLOCK = 32 };

static CUcontext context;
static struct flag over;

/* Synchronises all the time, and so writes what others' kernels have printed. */
static void *synchronise(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(context));
    while (!flag_is_raised(&over))
        check_success(cuCtxSynchronize());
    return NULL;
}

static unsigned count_lines(int fd)
{
    static char text[BLOCK * 16];
    ssize_t length = pread(fd, text, sizeof(text), 0);
    unsigned lines = 0;

    for (ssize_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

TEST(who_synchronises_finds_what_was_printed)
{
    CUfunction print = kernel_from("print.ptx", "print_index");
    CUdeviceptr out = device_zeros(BLOCK * sizeof(unsigned));
    void *parameters[] = {&out};
    pthread_t threads[THREADS];
    int saved = dup(STDOUT_FILENO), file = memfd_create("printed", MFD_CLOEXEC);

    check_success(cuCtxGetCurrent(&context));
    check(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, synchronise, NULL) == 0);
    for (int i = 0; i < TURNS; i++) {
        fflush(stdout);
        check(ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
        launch_line(print, 1, BLOCK, 0, parameters);
        check_success(cuCtxSynchronize());
        fflush(stdout);
        check(count_lines(STDOUT_FILENO) == BLOCK);
    }
    flag_raise(&over);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    dup2(saved, STDOUT_FILENO);
}
