/* SPDX-License-Identifier: MIT */
/* A runtime is known by its note (runtime/src/note.c), wherever it lies: in libcudart.so, in the
 * program, or in a library that the program loads. The note has the address range of the functions
 * that make calls for the runtime itself. */
#include "check/calls/calls.h"

#include "check/report/records.h"
#include "os/symbol.h"

#include <stdint.h>
#include <string.h>

enum { NOTE_TYPE = 1 };

bool cup_callcheck_is_for_runtime(void)
{
    const char *caller = cup_tracked_caller();
    const char *contents;
    int32_t distances[2];
    size_t size_bytes;

    if (!caller)
        return false;
    caller--; /* a return address lies behind the call */
    contents = cup_symbol_find_note(caller, "cupipe", NOTE_TYPE, &size_bytes);
    if (!contents || size_bytes != sizeof(distances))
        return false;
    memcpy(distances, contents, sizeof(distances));
    uint64_t first = (uint64_t)(uintptr_t)contents + (uint64_t)(int64_t)distances[0];
    uint64_t behind =
        (uint64_t)(uintptr_t)contents + sizeof(distances[0]) + (uint64_t)(int64_t)distances[1];
    return (uint64_t)(uintptr_t)caller >= first && (uint64_t)(uintptr_t)caller < behind;
}
