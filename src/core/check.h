/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK keeps: for each piece of memory and each object that a call made, which call it
 * was and from where, and the same for the call that freed it. Records are kept by kind and handle;
 * a new thing with an old handle replaces the old record. Nothing is kept without the variable.
 *
 * The entry point says which call a thread is in (api/check.c). Whoever makes, ends or reuses
 * memory notes it here, and whoever finds a bad address asks for it to be explained
 * (check_explain.c). */
#ifndef CUP_CORE_CHECK_H
#define CUP_CORE_CHECK_H

#include "core/call.h"
#include "core/object.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_CHECK_FRAMES = 16 };

/* Objects are kinds by their type. */
enum cup_check_kind {
    CUP_CHECK_MEMORY = CUP_OBJECT_TYPE_COUNT, /* what a call gave the program: by its address */
    CUP_CHECK_STORAGE,   /* any memory at all, the driver's own too: by its address */
    CUP_CHECK_ADDRESSES, /* reserved ones, by the first */
    CUP_CHECK_KIND_COUNT,
};

struct cup_check_place {
    const char *call; /* NULL: none */
    void *frames[CUP_CHECK_FRAMES];
    unsigned count;
};

struct cup_check_record {
    uint64_t handle;           /* 0: none */
    int kind;                  /* enum cup_object_type or enum cup_check_kind */
    const char *what;          /* "device memory"; a constant */
    uint64_t base, size_bytes; /* the memory it is; without a size, none */
    uint64_t order;            /* of making and freeing */
    struct cup_check_place made, freed;
    struct cup_check_place mapped; /* of a graphics resource: who mapped it last */
};

static inline bool cup_check_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_CHECK) != 0);
}

void cup_check_start(void);

/* The thread is in this call from here on; NULL: in none. With `deeply` where it was called from is
 * kept, too: for calls that make or end something. */
void cup_check_call(const char *call, bool deeply);
const char *cup_check_call_name(void);

/* The call this thread is in made this: handle, kind, what, base and size are set. */
void cup_check_made(const struct cup_check_record *facts);

/* It ends, or did not end after all. The first to say so is believed. */
void cup_check_freed(int kind, uint64_t handle);
void cup_check_not_freed(int kind, uint64_t handle);
void cup_check_mapped(int kind, uint64_t handle);

/* What began there was freed long ago, and is now other memory. */
void cup_check_forget(uint64_t base);

/* False when there is no record. */
bool cup_check_find(int kind, uint64_t handle, struct cup_check_record *record);

/* Calls `visit` with a copy of each record that was not freed, in the order they were made. */
void cup_check_visit(void (*visit)(const struct cup_check_record *record, void *argument),
                     void *argument);

/* Calls `look` with each record that is memory, under a lock: it must not call anything here. */
void cup_check_search(void (*look)(const struct cup_check_record *record, void *argument),
                      void *argument);

/* Says on stderr which memory the bytes from `address` on leave, or belonged to, and who made and
 * freed it. `what` begins the sentence. False, and silent, when nothing is near or all is well. */
bool cup_check_explain(const char *what, uint64_t address, uint64_t size_bytes);

/* The same where the access was refused, so that something is wrong: `why` ends the sentence when
 * the memory is there and large enough, ", which …". NULL: it is asked of the parts above
 * (core/upcalls.h). */
bool cup_check_explain_refused(const char *what, uint64_t address, uint64_t size_bytes,
                               const char *why);

/* The program itself, and no call of ours, touched memory that it may not touch: explains it, once.
 * Called in the signal handler. */
void cup_check_foreign_fault(uint64_t address);

/* The same where the processor refused it. */
bool cup_check_explain_fault(const char *what, uint64_t address);

/* The same for what the call this thread is in was given and refuses. */
void cup_check_explain_given(uint64_t address, uint64_t size_bytes);

/* The same for the fault that ended this thread's last guarded call; `who` is "a copy". */
void cup_check_explain_guarded(const char *who);

/* Something is about to be said; was something, in the call this thread is in? */
void cup_check_mark_reported(void);
bool cup_check_was_reported(void);

/* Writes a line to stderr; a report is one line with CUPIPE_CHECK, and what belongs to it. */
void cup_check_print(const char *format, ...) CUP_PRINTF(1, 2);
void cup_check_print_place(const char *verb, const struct cup_check_place *place);
const char *cup_check_ended_word(const struct cup_check_place *freed); /* "freed", "unmapped" */

#endif
