/* SPDX-License-Identifier: MIT */
/* Two ways to keep a stream busy until the test says otherwise, and pinned words to watch.
 * NVIDIA's driver runs host functions one at a time, so a test that needs two things held, or a
 * host function run while something is held, holds by a value in memory. */
#ifndef HOLD_H
#define HOLD_H

#include "test.h"

/* Zeroed words that the host, streams and kernels all see. */
static inline atomic_uint *pinned_words(size_t count)
{
    void *words = NULL;

    check_success(cuMemHostAlloc(&words, count * sizeof(atomic_uint), 0));
    memset(words, 0, count * sizeof(atomic_uint));
    return words;
}

static inline CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static inline CUstream new_stream(unsigned flags)
{
    CUstream stream;

    check_success(cuStreamCreate(&stream, flags));
    return stream;
}

static inline CUevent new_event(unsigned flags)
{
    CUevent event;

    check_success(cuEventCreate(&event, flags));
    return event;
}

/* The stream goes on when the word is 1. */
static inline void hold_until(CUstream stream, atomic_uint *word)
{
    check_success(cuStreamWaitValue32(stream, address_of(word), 1, CU_STREAM_WAIT_VALUE_EQ));
}

static inline void write_word(CUstream stream, atomic_uint *word, unsigned value)
{
    check_success(cuStreamWriteValue32(stream, address_of(word), value, 0));
}

static inline void word_wait(atomic_uint *word, unsigned value)
{
    while (atomic_load(word) != value)
        nap();
}

/* A host function that blocks. */
struct blocker {
    struct flag started, released, done;
};

static inline void CUDA_CB blocker_run(void *data)
{
    struct blocker *blocker = data;

    flag_raise(&blocker->started);
    flag_wait(&blocker->released);
    flag_raise(&blocker->done);
}

static inline void block(CUstream stream, struct blocker *blocker)
{
    check_success(cuLaunchHostFunc(stream, blocker_run, blocker));
    flag_wait(&blocker->started);
}

/* A host function that notes what a word was when its turn came. */
struct note {
    atomic_uint *word;
    atomic_uint seen;
    struct flag done;
};

static inline void CUDA_CB note_run(void *data)
{
    struct note *note = data;

    atomic_store(&note->seen, atomic_load(note->word));
    flag_raise(&note->done);
}

#endif
