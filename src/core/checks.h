/* SPDX-License-Identifier: MIT */
/* The table of CUPIPE_CHECK. The checks are above all parts that they check (src/check); those
 * parts report what happens through the operations of this table. An operation that no check needs
 * is NULL, so a library that checks nothing spends a load and a branch on each report. */
#ifndef CUP_CORE_CHECKS_H
#define CUP_CORE_CHECKS_H

#include "core/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;
struct cup_abi_block;
struct cup_abi_bounds;
struct cup_abi_reads;
struct cup_abi_rows;
struct cup_abi_run_lanes;
struct cup_grid;
struct cup_guard_fault;
struct cup_job;
struct cup_mbarrier_use;
struct cup_texture;
struct cupipe_work;

/* How a job touches bytes. Strong accesses (atomic, volatile, of the stream's memory operations) do
 * not conflict with each other. */
enum cup_touch {
    CUP_TOUCH_READ,
    CUP_TOUCH_WRITE,
    CUP_TOUCH_STRONG_READ,
    CUP_TOUCH_STRONG_WRITE,
    CUP_TOUCH_COUNT,
};

typedef bool cup_check_before(const void *plan, uint32_t first, uint32_t second);

/* An allocation of a heap or a pool. */
struct cup_check_allocation {
    uint64_t address, size_bytes;
    const char *what;     /* names its kind in reports; it is not copied */
    bool has_redzones;    /* its memory is new; false: it takes the place of another allocation */
    bool is_initialised;  /* someone else writes it, or nobody reads it by its address */
    uint64_t space_base;  /* the space that it is in; */
    uint64_t space_bytes; /* 0: what was written there is not known */
};

/* Freed memory in quarantine. */
struct cup_quarantined {
    struct cup_quarantined *next;
    uint64_t address, size_bytes; /* as the program knew it */
    uint64_t begin, end;          /* without access until released; may be empty */
    void *owner;
    void (*release)(const struct cup_quarantined *quarantined); /* returns it; no lock is held */
};

struct cup_checks {
    uint32_t kernels; /* the checks of kernels: bits of enum cup_abi_check */
    bool redzones;    /* CUPIPE_CHECK=memory: freed memory goes into quarantine */
    bool streams; /* CUPIPE_CHECK=streams: all work goes through queues, in the order of calls */
#define CUP_CHECK(name, parameters, arguments) void(*name) parameters;
#define CUP_CHECK_ANSWER(type, name, parameters, arguments) type(*name) parameters;
#include "core/checks.def"
#undef CUP_CHECK
#undef CUP_CHECK_ANSWER
};

extern struct cup_checks cup_checks; /* set once, when the library is initialised */

#define CUP_CHECK(name, parameters, arguments)                                                     \
    static inline void cup_check_##name parameters                                                 \
    {                                                                                              \
        if (cup_unlikely(cup_checks.name != NULL))                                                 \
            cup_checks.name arguments;                                                             \
    }
#define CUP_CHECK_ANSWER(type, name, parameters, arguments)                                        \
    static inline type cup_check_##name parameters                                                 \
    {                                                                                              \
        return cup_unlikely(cup_checks.name != NULL) ? cup_checks.name arguments : (type)0;        \
    }
#include "core/checks.def"
#undef CUP_CHECK
#undef CUP_CHECK_ANSWER

#endif
