/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK keeps: for each piece of memory and each object that a call made, which call it
 * was and from where, and the same for the call that freed it. Records are kept by handle; a new
 * piece of memory at an old address replaces the old record. Nothing is kept without the variable.
 *
 * The door notes calls (api/check.c); whoever finds a bad address asks for it to be explained. */
#ifndef CUP_CORE_CHECK_H
#define CUP_CORE_CHECK_H

#include "core/call.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_CHECK_FRAMES = 16 };

struct cup_check_place {
    const char *call; /* NULL: none */
    void *frames[CUP_CHECK_FRAMES];
    unsigned count;
};

struct cup_check_record {
    uint64_t handle; /* 0: none */
    int kind;        /* api/check.c's */
    uint64_t size_bytes;
    struct cup_check_place made, freed;
};

static inline bool cup_check_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_CHECK) != 0);
}

void cup_check_start(void);

/* Notes that a call made this, here and now; that a call frees it; that it did not, after all. */
void cup_check_made(int kind, uint64_t handle, uint64_t size_bytes, const char *call);
void cup_check_freed(uint64_t handle, const char *call);
void cup_check_not_freed(uint64_t handle);

/* Calls `visit` with each record, under a lock: it must not call anything here. */
void cup_check_visit(void (*visit)(const struct cup_check_record *record, void *argument),
                     void *argument);

/* Says on stderr which memory the bytes from `address` on belong to, lie behind, or belonged to,
 * and who made and freed it. `what` begins the sentence. False, and silent, when nothing is near.
 */
bool cup_check_explain(const char *what, uint64_t address, uint64_t size_bytes);

/* Writes a line to stderr, and where a call was made. */
void cup_check_print(const char *format, ...) CUP_PRINTF(1, 2);
void cup_check_print_place(const char *verb, const struct cup_check_place *place);

#endif
