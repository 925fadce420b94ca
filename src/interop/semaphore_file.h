/* SPDX-License-Identifier: MIT */
/* A semaphore in a memfd that processes pass to each other: a counter (timeline semaphore) or a
 * flag (binary semaphore), and a futex word. The Vulkan layer in layers/ exports semaphores in this
 * format and the library imports them. Both are built with this file, which depends only on the C
 * library and src/os.
 *
 * Other processes write the page and may die at any time. Each change is therefore one atomic
 * operation on one word, there is no lock in the page, and the file size is sealed. */
#ifndef CUP_INTEROP_SEMAPHORE_FILE_H
#define CUP_INTEROP_SEMAPHORE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_semaphore_kind {
    CUP_SEMAPHORE_BINARY,   /* a wait consumes the signal */
    CUP_SEMAPHORE_TIMELINE, /* a wait ends when the counter has reached the value */
};

/* The label of the memory file (os/memfd.h). */
struct cup_semaphore_label {
    char magic[8]; /* "cup sem" and the format version */
    uint32_t kind;
    uint32_t zero;
};

#define CUP_SEMAPHORE_MAGIC                                                                        \
    {                                                                                              \
        'c', 'u', 'p', ' ', 's', 'e', 'm', 1                                                       \
    }

/* The first page of the file. */
struct cup_semaphore_page {
    /* the counter; for a binary semaphore 1 if signalled, otherwise 0 */
    _Atomic(uint64_t) value;
    _Atomic(uint32_t) futex_word; /* incremented after every change */
    _Atomic(uint32_t) sleepers;   /* upper bound of the threads that may sleep on futex_word */
    _Atomic(uint32_t) users;      /* number of opens by all processes, including dead ones */
};

enum { CUP_SEMAPHORE_FILE_BYTES = 4096 };

/* A semaphore as this process sees it: one struct per file, however often it was opened. */
struct cup_semaphore_file {
    /* list of open files; guarded by the lock in semaphore_file.c */
    struct cup_semaphore_file *next;
    unsigned openings; /* guarded by the same lock */
    enum cup_semaphore_kind kind;
    int fd;
    uint64_t device, inode;
    struct cup_semaphore_page *page;
};

/* Returns NULL if the system is out of files or memory. */
struct cup_semaphore_file *cup_semaphore_file_create(enum cup_semaphore_kind kind, uint64_t value);

/* The descriptor stays the caller's. Returns NULL if it is not a semaphore file. */
struct cup_semaphore_file *cup_semaphore_file_open(int fd);

/* Increment and decrement the count of openings. */
void cup_semaphore_file_ref(struct cup_semaphore_file *file);
void cup_semaphore_file_close(struct cup_semaphore_file *file);

/* Returns a new descriptor for another process, or -1 if there are too many open files. */
int cup_semaphore_file_share(struct cup_semaphore_file *file);

uint64_t cup_semaphore_file_value(const struct cup_semaphore_file *file);

/* Returns true if a wait for the value is satisfied; this consumes the signal of a binary
 * semaphore. */
bool cup_semaphore_file_acquire(struct cup_semaphore_file *file, uint64_t value);

/* Sets the counter to the value, even if it was higher; signals a binary semaphore. */
void cup_semaphore_file_signal(struct cup_semaphore_file *file, uint64_t value);

/* To sleep: call enter, read futex_word, check the semaphore, sleep on the value read, call
 * leave. */
static inline void cup_semaphore_file_enter(struct cup_semaphore_file *file)
{
    atomic_fetch_add(&file->page->sleepers, 1);
}

static inline void cup_semaphore_file_leave(struct cup_semaphore_file *file)
{
    atomic_fetch_sub(&file->page->sleepers, 1);
}

/* Wakes all sleepers without a signal. */
void cup_semaphore_file_wake(struct cup_semaphore_file *file);

/* True if a process died that had it open and only this process is left. Costs two system calls. */
bool cup_semaphore_file_is_abandoned(struct cup_semaphore_file *file);

#endif
