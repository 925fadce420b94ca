/* SPDX-License-Identifier: MIT */
/* SwiftShader's binary semaphores. SwiftShader exports them as a memfd that holds a process-shared
 * mutex and condition variable of the C library, a user count and a flag. A wait clears the flag; a
 * signal sets it and broadcasts.
 *
 * Any process may die with the mutex locked, or truncate the file. The mutex is therefore only ever
 * tried, through its first word (0 free, 1 locked, 2 locked with waiters); after a second without
 * success it counts as orphaned and is ignored. All accesses to the file run under the fault guard.
 * The broadcast goes through the C library and may block on state that a dead process left behind,
 * so `slow` is set. */
#include "interop/external_semaphore.h"

#include "core/log.h"
#include "interop/mapped_elsewhere.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/guard.h"
#include "os/ipc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 4096,
    ORPHANED_NS = 1000000000,
    SERIES_NS = 100000000, /* attempts further apart than this do not form a series */
    CLOSE_ATTEMPTS = 20,
    RETRY_NS = 50000,
    CHECKS_PER_SCAN = 50, /* scanning all processes is expensive */
    USERS_MAX = 1 << 20,
};

static const char file_name[] = "/memfd:SwiftShader.Semaphore.";

union shared_mutex {
    pthread_mutex_t mutex; /* SwiftShader's, in memory that it also maps */
    _Atomic(uint32_t) word;
};

struct shared_page {
    union shared_mutex lock;
    pthread_cond_t changed;
    int32_t users; /* guarded by lock */
    _Atomic(uint8_t) signalled;
};

_Static_assert(sizeof(struct shared_page) <= FILE_BYTES, "fits the file");

struct semaphore {
    struct shared_page *page;
    uint64_t inode;
    _Atomic(uint64_t) busy_since_ns,
        busy_last_ns; /* the mutex was locked by others from then until then */
    unsigned checks;  /* checks since the last scan of all processes */
};

/* An operation under the mutex. */
struct attempt {
    struct semaphore *semaphore;
    void (*action)(struct attempt *attempt);
    int users_change;
    bool done, taken;
};

static bool lock_try(struct shared_page *page)
{
    uint32_t unlocked = 0;

    return atomic_compare_exchange_strong(&page->lock.word, &unlocked, 1);
}

static void lock_release(struct shared_page *page)
{
    if (atomic_exchange(&page->lock.word, 0) == 2)
        cup_futex_wake_shared(&page->lock.word, 1);
}

/* True if the mutex has been locked by others for longer than any operation takes. */
static bool is_orphaned(struct semaphore *semaphore)
{
    uint64_t now_ns = cup_clock_ns(), last_ns = atomic_exchange(&semaphore->busy_last_ns, now_ns);

    if (now_ns - last_ns > SERIES_NS)
        atomic_store(&semaphore->busy_since_ns, now_ns);
    return now_ns - atomic_load(&semaphore->busy_since_ns) > ORPHANED_NS;
}

static void attempt_run(void *argument)
{
    struct attempt *attempt = argument;
    struct shared_page *page = attempt->semaphore->page;

    if (lock_try(page)) {
        attempt->action(attempt);
        lock_release(page);
        atomic_store(&attempt->semaphore->busy_last_ns, 0);
        attempt->done = true;
    } else if (is_orphaned(attempt->semaphore)) {
        attempt->action(attempt);
        attempt->done = true;
    }
}

/* Returns false if the file was truncated. */
static bool attempt_once(struct attempt *attempt)
{
    return cup_guard_run(attempt_run, attempt);
}

static bool attempt_until_done(struct attempt *attempt)
{
    while (attempt_once(attempt)) {
        if (attempt->done)
            return true;
        cup_clock_sleep_ns(RETRY_NS);
    }
    return false;
}

static void change_users(struct attempt *attempt)
{
    struct shared_page *page = attempt->semaphore->page;

    attempt->taken = page->users > 0 && page->users < USERS_MAX;
    if (attempt->taken)
        page->users += attempt->users_change;
}

static bool is_swiftshaders(int fd, struct stat *status)
{
    char link[64], name[sizeof(file_name)];
    int mode = fcntl(fd, F_GETFL);

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return mode >= 0 && (mode & O_ACCMODE) == O_RDWR &&
           readlink(link, name, sizeof(name)) == (ssize_t)sizeof(name) &&
           memcmp(name, file_name, sizeof(file_name) - 1) == 0 && fstat(fd, status) == 0 &&
           status->st_size >= FILE_BYTES;
}

static struct semaphore *semaphore_map(int fd, const struct stat *status)
{
    struct semaphore *semaphore = calloc(1, sizeof(*semaphore));

    if (!semaphore)
        return NULL;
    void *page = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        free(semaphore);
        return NULL;
    }
    semaphore->page = page;
    semaphore->inode = status->st_ino;
    return semaphore;
}

static void *swiftshader_open(int fd)
{
    struct stat status;
    int saved = errno;
    struct semaphore *semaphore = is_swiftshaders(fd, &status) ? semaphore_map(fd, &status) : NULL;
    struct attempt attempt = {semaphore, change_users, .users_change = 1};

    errno = saved;
    if (!semaphore || (attempt_until_done(&attempt) && attempt.taken))
        return semaphore;
    munmap(semaphore->page, FILE_BYTES);
    free(semaphore);
    return NULL;
}

/* A count that stays too high is harmless; blocking here is not. */
static void swiftshader_close(void *payload)
{
    struct semaphore *semaphore = payload;
    struct attempt attempt = {semaphore, change_users, .users_change = -1};

    for (int i = 0; i < CLOSE_ATTEMPTS && attempt_once(&attempt) && !attempt.done; i++)
        sched_yield();
    munmap(semaphore->page, FILE_BYTES);
    free(semaphore);
}

static void acquire_signal(struct attempt *attempt)
{
    attempt->taken = atomic_exchange(&attempt->semaphore->page->signalled, 0) != 0;
}

static void peek(void *argument)
{
    struct attempt *attempt = argument;

    attempt->taken = atomic_load(&attempt->semaphore->page->signalled) != 0;
}

/* A truncated file will never be signalled: the wait ends. */
static bool swiftshader_acquire(void *payload, uint64_t value)
{
    struct attempt attempt = {payload, acquire_signal, .users_change = 0};

    (void)value;
    if (!cup_guard_run(peek, &attempt))
        return true;
    if (!attempt.taken)
        return false;
    attempt.taken = false;
    return !attempt_once(&attempt) || attempt.taken;
}

static void set_signal(struct attempt *attempt)
{
    struct shared_page *page = attempt->semaphore->page;

    atomic_store(&page->signalled, 1);
    pthread_cond_broadcast(&page->changed);
}

static void swiftshader_signal(void *payload, uint64_t value)
{
    struct attempt attempt = {payload, set_signal, .users_change = 0};

    (void)value;
    if (!attempt_until_done(&attempt))
        cup_log(CUP_LOG_WARNING, "the shared memory of a semaphore was truncated");
}

static void count_users(void *argument)
{
    struct attempt *attempt = argument;

    attempt->taken = attempt->semaphore->page->users > 1;
}

/* True if the count includes other users but no other process has mapped the file. */
static bool swiftshader_is_abandoned(void *payload)
{
    struct semaphore *semaphore = payload;
    struct attempt attempt = {semaphore, NULL, .users_change = 0};

    if (++semaphore->checks % CHECKS_PER_SCAN != 0 || !cup_guard_run(count_users, &attempt))
        return false;
    return attempt.taken && !cup_mapped_elsewhere(file_name, semaphore->inode, semaphore->page);
}

const struct cup_semaphore_type cup_semaphore_type_swiftshader = {
    .name = "a semaphore of SwiftShader",
    .open = swiftshader_open,
    .close = swiftshader_close,
    .acquire = swiftshader_acquire,
    .signal = swiftshader_signal,
    .slow = true,
    .is_abandoned = swiftshader_is_abandoned,
};
