/* SPDX-License-Identifier: MIT */
#include "waits.h"

#include "interop/semaphore_file.h"
#include "os/memfd.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 4096, SEMAPHORES = 64 };

static _Atomic(uint64_t) *words; /* 0 until the helper comes by */
static _Atomic(uint64_t) wanted[WORDS];
static _Atomic(unsigned) word_count;
static _Atomic(struct cup_semaphore_page *) pages[SEMAPHORES];
static _Atomic(unsigned) semaphore_count;

static void satisfy_words(void)
{
    unsigned count = atomic_load(&word_count);

    for (unsigned i = 0; i < count && i < WORDS; i++)
        atomic_store(&words[i], atomic_load(&wanted[i]));
}

/* A counter that is as high as it gets, a flag that is set; then those who sleep are woken. */
static void satisfy_semaphores(void)
{
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        struct cup_semaphore_page *page = atomic_load(&pages[i]);

        if (!page)
            continue;
        atomic_store(&page->value, i % 2 ? UINT64_MAX : 1);
        atomic_fetch_add(&page->futex_word, 1);
        syscall(SYS_futex, &page->futex_word, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
    }
}

static void *help(void *unused)
{
    struct timespec pause = {0, 2000000};

    (void)unused;
    for (;;) {
        nanosleep(&pause, NULL);
        satisfy_words();
        satisfy_semaphores();
    }
    return NULL;
}

/* Known to the driver, so that a stream may wait for it; a context that ends forgets it. */
CUresult waits_register(void)
{
    return cuMemHostRegister_v2((void *)words, WORDS * sizeof(*words),
                                CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
}

void waits_start(void)
{
    pthread_t thread;

    words = mmap(NULL, WORDS * sizeof(*words), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (words == MAP_FAILED || pthread_create(&thread, NULL, help, NULL) != 0)
        abort();
    pthread_detach(thread);
}

/* Values of 32 bits are the low half of a word: NOR is satisfied by zeros unless all ones are asked
 * for, which nothing satisfies. */
CUdeviceptr waits_word(uint64_t value, unsigned flags, unsigned bytes)
{
    unsigned index = atomic_fetch_add(&word_count, 1) % WORDS;
    uint64_t half = UINT64_C(1) << (8 * bytes - 1);

    switch (flags & 3) {
    case CU_STREAM_WAIT_VALUE_AND:
        value = UINT64_MAX;
        break;
    case CU_STREAM_WAIT_VALUE_NOR:
        value = 0;
        break;
    case CU_STREAM_WAIT_VALUE_GEQ:
        value += half / 2 - 1;
        break;
    default:
        break;
    }
    atomic_store(&wanted[index], value);
    return (CUdeviceptr)(uintptr_t)&words[index];
}

int waits_semaphore(bool timeline)
{
    struct cup_semaphore_label label = {
        CUP_SEMAPHORE_MAGIC, timeline ? CUP_SEMAPHORE_TIMELINE : CUP_SEMAPHORE_BINARY, 0};
    unsigned index = (atomic_fetch_add(&semaphore_count, 2) + timeline) % SEMAPHORES;
    int fd = memfd_create("fuzz-semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct cup_semaphore_page *page;

    if (fd < 0)
        return -1;
    if (ftruncate(fd, CUP_SEMAPHORE_FILE_BYTES + CUP_MEMFD_LABEL_BYTES) != 0 ||
        pwrite(fd, &label, sizeof(label), CUP_SEMAPHORE_FILE_BYTES) != sizeof(label) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(fd); /* the system refuses: a program may have taken what there is */
        return -1;
    }
    page = mmap(NULL, CUP_SEMAPHORE_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        close(fd);
        return -1;
    }
    if (atomic_load(&pages[index])) { /* it keeps what it has: somebody may wait there */
        munmap(page, CUP_SEMAPHORE_FILE_BYTES);
        close(fd);
        return -1;
    }
    atomic_store(&pages[index], page);
    return fd;
}
