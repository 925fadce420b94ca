/* SPDX-License-Identifier: MIT */
/* The records of CUPIPE_CHECK: for each allocation and object, the call that created it, with its
 * call stack, and the call that freed it. Records are keyed by kind and handle; a new object with a
 * reused handle replaces the old record. Without the variable nothing is recorded.
 *
 * The entry points set the current call of a thread (api/check.c). Code that creates, frees or
 * reuses memory records it here; code that finds a bad address asks for an explanation
 * (check_explain.c). What checks find is written by check_report.c. */
#ifndef CUP_CORE_CHECK_H
#define CUP_CORE_CHECK_H

#include "core/call.h"
#include "core/object.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_CHECK_FRAMES = 16 };

/* The kinds of records, in addition to the object types. */
enum cup_check_kind {
    /* memory that a call returned to the program; the handle is its address */
    CUP_CHECK_MEMORY = CUP_OBJECT_TYPE_COUNT,
    CUP_CHECK_STORAGE,   /* any memory, internal memory too; the handle is its address */
    CUP_CHECK_ADDRESSES, /* reserved addresses; the handle is the first */
    CUP_CHECK_KIND_COUNT,
};

struct cup_check_call_site {
    const char *call; /* NULL: none */
    void *frames[CUP_CHECK_FRAMES];
    unsigned count;
};

struct cup_check_record {
    uint64_t handle;           /* 0: none */
    int kind;                  /* enum cup_object_type or enum cup_check_kind */
    const char *what;          /* "device memory"; a string constant */
    uint64_t base, size_bytes; /* the memory; size 0: none */
    uint64_t order;            /* sequence number of creation and release */
    unsigned retains;          /* calls that retained it again and were not undone */
    struct cup_check_call_site made, freed;
    struct cup_check_call_site mapped; /* for a graphics resource: the last call that mapped it */
};

static inline bool cup_check_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_CHECK) != 0);
}

void cup_check_start(void);

/* Records the call stack of the thread's current call, if that was not done when it began. For
 * reports in the thread of the call. */
void cup_check_walk_stack(void);

/* Sets the current call of the thread; NULL: none. `deeply` also records the call stack: for calls
 * that create or free something. */
void cup_check_call(const char *call, bool deeply);
const char *cup_check_call_name(void);

/* Where the program called the current call from, as a return address. NULL: its stack was not
 * recorded. */
const void *cup_check_caller(void);

/* Records that the thread's current call created something. handle, kind, what, base and size are
 * set. */
void cup_check_made(const struct cup_check_record *info);

/* Record that it was freed, or that freeing it failed. The first call counts. */
void cup_check_freed(int kind, uint64_t handle);
void cup_check_not_freed(int kind, uint64_t handle);
void cup_check_mapped(int kind, uint64_t handle);

/* Count the calls that retain an object with a record. cup_check_released() records that it was
 * freed when it undoes the first of them; a release that undoes nothing is ignored. */
void cup_check_retained(int kind, uint64_t handle);
void cup_check_released(int kind, uint64_t handle);

/* The memory that started here was freed long ago and is being reused. */
void cup_check_forget(uint64_t base);

/* Returns false if there is no record. */
bool cup_check_find(int kind, uint64_t handle, struct cup_check_record *record);

/* Calls `visit` with a copy of each record that was not freed, in order of creation. */
void cup_check_visit(void (*visit)(const struct cup_check_record *record, void *argument),
                     void *argument);

/* Calls `look` with each record of memory, under a lock: it must not call functions of this
 * file. */
void cup_check_search(void (*look)(const struct cup_check_record *record, void *argument),
                      void *argument);

/* Reports which memory the range exceeds or belonged to, and which calls created and freed it.
 * `what` starts the sentence; `place` is NULL for the thread's current call. Returns false, without
 * output, if no memory is near or the range is valid. */
struct cup_report_place;
bool cup_check_explain(const char *what, uint64_t address, uint64_t size_bytes,
                       const struct cup_report_place *place);

/* The same for an access that was refused: `why` ends the sentence if the memory exists and is
 * large enough (", which ..."). NULL: the parts above are asked (core/upcalls.h). */
bool cup_check_explain_refused(const char *what, uint64_t address, uint64_t size_bytes,
                               const char *why);

/* Explains, once, a fault of the program outside the library. Called in the signal handler. */
void cup_check_foreign_fault(uint64_t address);

/* The memory that has the address, live or freed; the best record if there are several. */
bool cup_check_memory_at(uint64_t address, struct cup_check_record *record);

/* True if the lock of the records is free at this moment. For signal handlers, which must not wait
 * for it. */
bool cup_check_lock_is_free(void);

/* The same for an access that faulted. */
bool cup_check_explain_fault(const char *what, uint64_t address, uint64_t size_bytes,
                             const struct cup_report_place *place);

/* The same for an argument that the thread's current call rejects. */
void cup_check_explain_given(uint64_t address, uint64_t size_bytes);

/* The same for the fault that ended this thread's last guarded call; `who` is "a copy". */
void cup_check_explain_guarded(const char *who);

/* Marks the thread's current call as reported; returns whether it was. */
void cup_check_mark_reported(void);
bool cup_check_was_reported(void);

/* Writes a line to stderr. */
void cup_check_print(const char *format, ...) CUP_PRINTF(1, 2);
const char *cup_check_ended_word(const struct cup_check_call_site *freed); /* "freed", "unmapped" */

#endif
