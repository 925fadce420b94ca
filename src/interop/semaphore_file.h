/* SPDX-License-Identifier: MIT */
/* A semaphore in a file that processes pass to each other: a counter (a timeline semaphore) or a
 * flag (a binary one), and a word to sleep on. This is the form in which the Vulkan layer of
 * layers/ exports semaphores and in which the library imports them; both are built with this file,
 * which needs the C library and src/os alone.
 *
 * Others write what lies in it, and die at any time. Every change is one atomic operation on one
 * word, nothing is ever locked there, and the size is sealed. */
#ifndef CUP_INTEROP_SEMAPHORE_FILE_H
#define CUP_INTEROP_SEMAPHORE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_semaphore_kind {
    CUP_SEMAPHORE_BINARY,   /* a wait takes what one signal or several gave */
    CUP_SEMAPHORE_TIMELINE, /* a wait is over when the counter is that high */
};

/* What stands in the label of the memory file (os/memfd.h). */
struct cup_semaphore_label {
    char magic[8]; /* "cup sem" and the version of this form */
    uint32_t kind;
    uint32_t zero;
};

#define CUP_SEMAPHORE_MAGIC                                                                        \
    {                                                                                              \
        'c', 'u', 'p', ' ', 's', 'e', 'm', 1                                                       \
    }

/* What stands at the beginning of the file. */
struct cup_semaphore_page {
    _Atomic(uint64_t) value;      /* the counter; of a binary semaphore 1 if signalled, else 0 */
    _Atomic(uint32_t) futex_word; /* futex: moves after every change */
    _Atomic(uint32_t) sleepers;   /* those who may sleep on the futex_word; too many does no harm */
    _Atomic(uint32_t) users;      /* openings by all processes, those that died included */
};

enum { CUP_SEMAPHORE_FILE_BYTES = 4096 };

/* A semaphore as this process has it: one for each file, however often it was opened. */
struct cup_semaphore_file {
    struct cup_semaphore_file *next; /* of all those open; guarded by a lock in the .c file */
    unsigned openings;               /* guarded by the same lock */
    enum cup_semaphore_kind kind;
    int fd;
    uint64_t device, inode;
    struct cup_semaphore_page *page;
};

/* NULL when the system has no file or no memory to give. */
struct cup_semaphore_file *cup_semaphore_file_create(enum cup_semaphore_kind kind, uint64_t value);

/* The descriptor stays the caller's. NULL when it is not that of such a file. */
struct cup_semaphore_file *cup_semaphore_file_open(int fd);

/* One opening more or less of the same. */
void cup_semaphore_file_ref(struct cup_semaphore_file *file);
void cup_semaphore_file_close(struct cup_semaphore_file *file);

/* A descriptor for somebody else; -1 when there are too many. */
int cup_semaphore_file_share(struct cup_semaphore_file *file);

uint64_t cup_semaphore_file_value(const struct cup_semaphore_file *file);

/* Is a wait for the value over? Of a binary semaphore it takes the signal. */
bool cup_semaphore_file_acquire(struct cup_semaphore_file *file, uint64_t value);

/* The counter becomes the value, also if it was higher; a binary semaphore is signalled. */
void cup_semaphore_file_signal(struct cup_semaphore_file *file, uint64_t value);

/* To sleep: enter, read the futex_word, look at the semaphore, sleep on the futex_word as read,
 * leave. */
static inline void cup_semaphore_file_enter(struct cup_semaphore_file *file)
{
    atomic_fetch_add(&file->page->sleepers, 1);
}

static inline void cup_semaphore_file_leave(struct cup_semaphore_file *file)
{
    atomic_fetch_sub(&file->page->sleepers, 1);
}

/* Wakes all who sleep on it, though nothing was signalled. */
void cup_semaphore_file_wake(struct cup_semaphore_file *file);

/* Is a process dead that had it open, and nobody left but this one? Costs two system calls. */
bool cup_semaphore_file_is_abandoned(struct cup_semaphore_file *file);

#endif
