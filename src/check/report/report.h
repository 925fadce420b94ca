/* SPDX-License-Identifier: MIT */
/* The reports of all checks (CUPIPE_CHECK). A check describes a fault that it found: which check,
 * which fault, one or two places, the memory. This file writes it to stderr and to the JSON file,
 * counts repetitions instead of writing them, applies suppressions and limits, and knows at exit
 * what was reported.
 *
 * Two faults are the same if check, fault and places are the same; a place is the same if kernel,
 * function and line, or call and call stack, are. Blocks, threads and addresses do not count; the
 * memory counts if the line is unknown. */
#ifndef CUP_CHECK_REPORT_REPORT_H
#define CUP_CHECK_REPORT_REPORT_H

#include "check/report/records.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_report_check {
    CUP_REPORT_MEMORY,
    CUP_REPORT_LEAKS,
    CUP_REPORT_INIT,
    CUP_REPORT_RACES,
    CUP_REPORT_SYNC,
    CUP_REPORT_STREAMS,
    CUP_REPORT_CHECK_COUNT,
};

extern const char *const cup_report_check_names[CUP_REPORT_CHECK_COUNT];

/* Where something happened: in a kernel, in a call of the API, or in a kernel that a call launched.
 * Fields that are zero are unknown. Strings are needed during cup_report_write() only. */
struct cup_report_place {
    const char *role;     /* "written": "  written by kernel ..." */
    const char *kernel;   /* NULL: not in a kernel */
    bool is_host_work;    /* `kernel` names work of the host (cupipe.h) */
    const char *function; /* NULL: the kernel itself */
    const char *file;     /* of the source */
    uint32_t line;
    uint32_t ptx_line;
    uint32_t block[3], thread[3];
    bool has_block, has_thread;
    bool in_text;       /* the report's text names it; only what the text lacks is printed */
    const char *detail; /* ends the line: ", in stream 0x..." */
    const struct cup_tracked_site *call;
};

enum { CUP_REPORT_PLACES = 2 };

struct cup_report {
    enum cup_report_check check;
    const char *fault; /* a short name: "use-after-free" */
    const char *text;  /* one sentence, without a full stop */
    struct cup_report_place places[CUP_REPORT_PLACES];
    unsigned place_count;
    uint64_t address, size_bytes;     /* size 0: no memory */
    const struct cup_tracked *memory; /* the allocation or object; NULL: unknown */
    const char *ended;                /* "destroyed"; NULL: as the call that freed it says */
    const char *note;                 /* a last line, or several: what to do; NULL: none */
};

/* Reports a fault. May be called under any lock but those of this file. Returns false if the fault
 * is suppressed. */
bool cup_report_write(const struct cup_report *report);

/* The place of the thread's current call, with its call stack; an empty place if there is none.
 * The call site is copied to *site. */
struct cup_report_place cup_report_place_here(struct cup_tracked_site *site);

/* Reads the suppressions and opens the JSON file. INVALID_VALUE, with a message on stderr: either
 * cannot be read or written, or a suppression is wrong. */
CUresult cup_report_start(void);

/* The end of the process: repetitions, unused suppressions and the summary. Returns the exit code
 * that CUPIPE_CHECK_EXIT demands; 0: none. */
int cup_report_finish(void);

#endif
