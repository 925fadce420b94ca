/* SPDX-License-Identifier: MIT */
/* Detects dead processes. The kernel closes the files of a dead process, but the count of users in
 * the page stays. Each process therefore opens the file anew, which the kernel counts, and
 * increments the count in the page: fewer open files than users means that a process died. */
#include "interop/semaphore_file.h"

#include "os/futex.h"
#include "os/ipc_file.h"
#include "os/memfd.h"
#include "os/mutex.h"
#include "os/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Leaf mutex: guards the list of open semaphore files. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_semaphore_file *files; /* guarded by lock */

_Static_assert(sizeof(struct cup_semaphore_page) <= CUP_SEMAPHORE_FILE_BYTES, "fits the file");

static void file_free(struct cup_semaphore_file *file)
{
    if (file->page)
        cup_reserve_release(file->page, CUP_SEMAPHORE_FILE_BYTES);
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}

/* Opens the file again, for this process alone, and maps it. */
static struct cup_semaphore_file *file_new(int fd, enum cup_semaphore_kind kind,
                                           const struct stat *status)
{
    struct cup_semaphore_file *file = calloc(1, sizeof(*file));

    if (!file)
        return NULL;
    file->kind = kind;
    file->openings = 1;
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->fd = cup_ipcfile_reopen(fd);
    if (file->fd >= 0)
        file->page = cup_memfd_map(file->fd, CUP_SEMAPHORE_FILE_BYTES);
    if (!file->page) {
        file_free(file);
        return NULL;
    }
    atomic_fetch_add(&file->page->users, 1);
    return file;
}

static struct cup_semaphore_file *add_locked(struct cup_semaphore_file *file)
{
    cup_mutex_assert_held(&lock);
    if (file) {
        file->next = files;
        files = file;
    }
    return file;
}

struct cup_semaphore_file *cup_semaphore_file_create(enum cup_semaphore_kind kind, uint64_t value)
{
    struct cup_semaphore_label label = {.magic = CUP_SEMAPHORE_MAGIC, .kind = kind};
    struct cup_semaphore_file *file = NULL;
    struct stat status;
    int saved = errno,
        fd = cup_memfd_create("cupipe semaphore", CUP_SEMAPHORE_FILE_BYTES, &label, sizeof(label));

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0)
        file = file_new(fd, kind, &status);
    close(fd);
    errno = saved;
    if (!file)
        return NULL;
    atomic_store(&file->page->value, value);
    pthread_mutex_lock(&lock);
    add_locked(file);
    pthread_mutex_unlock(&lock);
    return file;
}

static bool label_valid(const struct cup_semaphore_label *label)
{
    static const char magic[8] = CUP_SEMAPHORE_MAGIC;

    return memcmp(label->magic, magic, sizeof(magic)) == 0 && label->zero == 0 &&
           (label->kind == CUP_SEMAPHORE_BINARY || label->kind == CUP_SEMAPHORE_TIMELINE);
}

static struct cup_semaphore_file *open_locked(int fd, enum cup_semaphore_kind kind,
                                              const struct stat *status)
{
    cup_mutex_assert_held(&lock);
    for (struct cup_semaphore_file *file = files; file; file = file->next) {
        if (file->device == status->st_dev && file->inode == status->st_ino) {
            file->openings++;
            return file;
        }
    }
    return add_locked(file_new(fd, kind, status));
}

struct cup_semaphore_file *cup_semaphore_file_open(int fd)
{
    struct cup_semaphore_label label;
    struct stat status;
    uint64_t size_bytes;
    int saved = errno;

    if (!cup_memfd_read(fd, &size_bytes, &label, sizeof(label)) ||
        size_bytes != CUP_SEMAPHORE_FILE_BYTES || !label_valid(&label) || fstat(fd, &status) != 0) {
        errno = saved;
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct cup_semaphore_file *file = open_locked(fd, (enum cup_semaphore_kind)label.kind, &status);
    pthread_mutex_unlock(&lock);
    errno = saved;
    return file;
}

void cup_semaphore_file_ref(struct cup_semaphore_file *file)
{
    pthread_mutex_lock(&lock);
    file->openings++;
    pthread_mutex_unlock(&lock);
}

void cup_semaphore_file_close(struct cup_semaphore_file *file)
{
    struct cup_semaphore_file **link = &files;
    int saved = errno;

    pthread_mutex_lock(&lock);
    if (--file->openings == 0) {
        while (*link != file)
            link = &(*link)->next;
        *link = file->next;
        atomic_fetch_sub(&file->page->users, 1);
        file_free(file);
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
}

int cup_semaphore_file_share(struct cup_semaphore_file *file)
{
    return cup_memfd_share(file->fd);
}

uint64_t cup_semaphore_file_value(const struct cup_semaphore_file *file)
{
    return atomic_load(&file->page->value);
}

bool cup_semaphore_file_acquire(struct cup_semaphore_file *file, uint64_t value)
{
    uint64_t signalled = 1;

    if (file->kind == CUP_SEMAPHORE_TIMELINE)
        return atomic_load(&file->page->value) >= value;
    return atomic_compare_exchange_strong(&file->page->value, &signalled, 0);
}

void cup_semaphore_file_wake(struct cup_semaphore_file *file)
{
    atomic_fetch_add(&file->page->futex_word, 1);
    if (atomic_load(&file->page->sleepers) != 0)
        cup_futex_wake_shared(&file->page->futex_word, INT_MAX);
}

void cup_semaphore_file_signal(struct cup_semaphore_file *file, uint64_t value)
{
    atomic_store(&file->page->value, file->kind == CUP_SEMAPHORE_BINARY ? 1 : value);
    cup_semaphore_file_wake(file);
}

bool cup_semaphore_file_is_abandoned(struct cup_semaphore_file *file)
{
    return atomic_load(&file->page->users) > 1 && cup_ipcfile_is_alone(file->fd);
}
