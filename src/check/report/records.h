/* SPDX-License-Identifier: MIT */
/* The records of CUPIPE_CHECK: for each allocation and object, the call that created it, with its
 * call stack, and the call that freed it. Records are keyed by kind and handle; a new object with a
 * reused handle replaces the old record. Without the variable nothing is recorded.
 *
 * The entry points set the current call of a thread (check/calls/calls.c). Code that creates, frees
 * or reuses memory records it here; code that finds a bad address asks for an explanation
 * (explain.c). What checks find is written by report.c. */
#ifndef CUP_CHECK_REPORT_RECORDS_H
#define CUP_CHECK_REPORT_RECORDS_H

#include "core/call.h"
#include "core/object.h"
#include "core/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* The kinds of records, in addition to the object types. */
enum cup_tracked_kind {
    /* memory that a call returned to the program; the handle is its address */
    CUP_TRACKED_MEMORY = CUP_OBJECT_TYPE_COUNT,
    CUP_TRACKED_STORAGE,   /* any memory, internal memory too; the handle is its address */
    CUP_TRACKED_ADDRESSES, /* reserved addresses; the handle is the first */
    CUP_TRACKED_KIND_COUNT,
};

enum { CUP_TRACKED_FRAMES = 16 };

/* A call of the API, and where the program made it. */
struct cup_tracked_site {
    const char *call; /* NULL: none */
    void *frames[CUP_TRACKED_FRAMES];
    unsigned count;
};

struct cup_tracked {
    uint64_t handle;           /* first member: the key of the record */
    int kind;                  /* enum cup_object_type or enum cup_tracked_kind */
    const char *what;          /* "device memory"; a string constant */
    uint64_t base, size_bytes; /* the memory; size 0: none */
    uint64_t order;            /* sequence number of creation and release */
    unsigned retains;          /* calls that retained it again and were not undone */
    struct cup_tracked_site made, freed;
    struct cup_tracked_site mapped; /* for a graphics resource: the last call that mapped it */
};

/* What is known of the thread's current call. */
struct cup_tracked_thread {
    struct cup_tracked_site site;
    bool is_reported;
};

CUP_THREAD_STATE(check, struct cup_tracked_thread);

static inline bool cup_tracked_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_CHECK) != 0);
}

void cup_tracked_start(void);

/* Records the call stack of the thread's current call, if that was not done when it began. For
 * reports in the thread of the call. */
void cup_tracked_walk_stack(void);

/* Sets the current call of the thread; NULL: none. `deeply` also records the call stack: for calls
 * that create or free something. */
void cup_tracked_call(const char *call, bool deeply);
const char *cup_tracked_call_name(void);

/* Where the program called the current call from, as a return address. NULL: its stack was not
 * recorded. */
const void *cup_tracked_caller(void);

/* Records that the thread's current call created something. handle, kind, what, base and size are
 * set. */
void cup_tracked_made(const struct cup_tracked *info);

/* Record that it was freed, or that freeing it failed. The first call counts. */
void cup_tracked_freed(int kind, uint64_t handle);
void cup_tracked_not_freed(int kind, uint64_t handle);
void cup_tracked_mapped(int kind, uint64_t handle);

/* Count the calls that retain an object with a record. cup_tracked_released() records that it was
 * freed when it undoes the first of them; a release that undoes nothing is ignored. */
void cup_tracked_retained(int kind, uint64_t handle);
void cup_tracked_released(int kind, uint64_t handle);

/* The memory that started here was freed long ago and is being reused. */
void cup_tracked_forget(uint64_t base);

/* Returns false if there is no record. */
bool cup_tracked_find(int kind, uint64_t handle, struct cup_tracked *record);

/* Calls `visit` with a copy of each record that was not freed, in order of creation. */
void cup_tracked_visit(void (*visit)(const struct cup_tracked *record, void *argument),
                       void *argument);

/* Calls `look` with each record of memory, under a lock: it must not call functions of this
 * file. */
void cup_tracked_search(void (*look)(const struct cup_tracked *record, void *argument),
                        void *argument);

/* Reports which memory the range exceeds or belonged to, and which calls created and freed it.
 * `what` starts the sentence; `place` is NULL for the thread's current call. Returns false, without
 * output, if no memory is near or the range is valid. */
struct cup_report_place;
bool cup_explain_range(const char *what, uint64_t address, uint64_t size_bytes,
                       const struct cup_report_place *place);

/* The same for an access that was refused: `why` ends the sentence if the memory exists and is
 * large enough (", which ..."). NULL: the access rights of the memory say why. */
bool cup_explain_refused(const char *what, uint64_t address, uint64_t size_bytes, const char *why);

/* Explains, once, a fault of the program outside the library. Called in the signal handler. */
void cup_explain_foreign_fault(uint64_t address);

/* The memory that has the address, live or freed; the best record if there are several. */
bool cup_tracked_memory_at(uint64_t address, struct cup_tracked *record);

/* True if the lock of the records is free at this moment. For signal handlers, which must not wait
 * for it. */
bool cup_tracked_lock_is_free(void);

/* The same for an access that faulted. */
bool cup_explain_fault(const char *what, uint64_t address, uint64_t size_bytes,
                       const struct cup_report_place *place);

/* The same for an argument that the thread's current call rejects. */
void cup_explain_argument(uint64_t address, uint64_t size_bytes);

/* The same for the fault that ended this thread's last guarded call; `who` is "a copy". */
void cup_explain_guarded(const char *who);

/* Marks the thread's current call as reported; returns whether it was. */
void cup_tracked_mark_reported(void);
bool cup_tracked_was_reported(void);

/* Writes a line to stderr. */
void cup_report_print(const char *format, ...) CUP_PRINTF(1, 2);
const char *cup_tracked_ended_word(const struct cup_tracked_site *freed); /* "freed", "unmapped" */

#endif
