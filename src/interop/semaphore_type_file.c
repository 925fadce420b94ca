/* SPDX-License-Identifier: MIT */
/* struct cup_semaphore_type for the semaphores of semaphore_file.h. */
#include "interop/external_semaphore.h"
#include "interop/semaphore_file.h"

static void *file_open(int fd)
{
    return cup_semaphore_file_open(fd);
}

static void file_close(void *payload)
{
    cup_semaphore_file_close(payload);
}

static bool file_acquire(void *payload, uint64_t value)
{
    return cup_semaphore_file_acquire(payload, value);
}

static void file_signal(void *payload, uint64_t value)
{
    cup_semaphore_file_signal(payload, value);
}

static bool file_is_abandoned(void *payload)
{
    return cup_semaphore_file_is_abandoned(payload);
}

static _Atomic(uint32_t) *file_futex_word(void *payload)
{
    struct cup_semaphore_file *file = payload;

    return &file->page->futex_word;
}

static void file_enter(void *payload)
{
    cup_semaphore_file_enter(payload);
}

static void file_leave(void *payload)
{
    cup_semaphore_file_leave(payload);
}

const struct cup_semaphore_type cup_semaphore_type_file = {
    .name = "a semaphore file",
    .open = file_open,
    .close = file_close,
    .acquire = file_acquire,
    .signal = file_signal,
    .is_abandoned = file_is_abandoned,
    .futex_word = file_futex_word,
    .enter = file_enter,
    .leave = file_leave,
};
