/* SPDX-License-Identifier: MIT */
/*
 * The recorder of the driver API: all that a file of groups needs. The driver under test (cuda),
 * the CHECK macros, and helpers for set-up and data, on top of the harness.
 */
#ifndef RECORDER_H
#define RECORDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda.h>

#include "harness.h"
#include "pattern.h"
#include "tables.h"

/*
 * The driver under test: one pointer for each function of functions.def, and of MORE_FUNCTIONS, a
 * file that a program of further groups names. Only these are called. OLD_FUNCTION is an exported
 * form that cuda.h gives another name.
 */
struct cuda_functions {
#define FUNCTION(name) __typeof__(name) *name;
#define OLD_FUNCTION(name, symbol, parameters) CUresult(*name) parameters;
#include "functions.def"
#ifdef MORE_FUNCTIONS
#include MORE_FUNCTIONS
#endif
#undef FUNCTION
#undef OLD_FUNCTION
};
extern struct cuda_functions cuda;

/* What an output holds before the call: an output that still holds it was not written. */
#define UNTOUCHED ((CUdeviceptr)0x5e475e475e47ull)
#define GARBAGE_ADDRESS 0xdeadbeef000ull

/* Results that no driver gives: the case was left out; the driver lacks the function. */
#define RESULT_SKIPPED ((CUresult)-2)
#define RESULT_MISSING ((CUresult)-3)

/*
 * Cases. CHECK(name, call, format, ...) makes the call and records its result, followed by the
 * formatted text; the arguments are evaluated after the call and may use `result`. Its value is the
 * call's result. A case that has to be left out makes no call and is RESULT_SKIPPED.
 * CHECK_THEN runs statements between the call and the text. CHECK_DATA synchronises, then looks at
 * the data. RECORD prints facts that are no single call's result.
 */
#define CHECK_THEN(name, call, after, ...)                                                         \
    __extension__({                                                                                \
        CUresult result = RESULT_SKIPPED;                                                          \
        if (case_begin(name)) {                                                                    \
            result = (call);                                                                       \
            after;                                                                                 \
            case_end(result, " " __VA_ARGS__);                                                     \
        }                                                                                          \
        result;                                                                                    \
    })
#define CHECK(name, call, ...) CHECK_THEN(name, call, (void)0, __VA_ARGS__)
#define CHECK_DATA(name, call, sync, data)                                                         \
    CHECK_THEN(name, call, const char *sync_text = (sync);                                         \
               const char *data_text = (data), "sync=%s data=%s", sync_text, data_text)
#define RECORD(name, ...)                                                                          \
    do {                                                                                           \
        if (case_begin(name))                                                                      \
            case_info(__VA_ARGS__);                                                                \
    } while (0)
const char *result_name(CUresult result);

/*
 * RISKY defines a group of one call that may well bring the process down. RISKY_HANDLE does so
 * twice, with bad_handle pointing at zeroed memory and at nothing.
 */
#define RISKY(order, id, expression)                                                               \
    static CUresult risky_##id(void)                                                               \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    __attribute__((constructor)) static void register_risky_##id(void)                             \
    {                                                                                              \
        risky_register(order, #id, risky_##id, RISKY_PLAIN);                                       \
    }
#define RISKY_HANDLE(order, id, expression)                                                        \
    static CUresult risky_##id(void)                                                               \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    __attribute__((constructor)) static void register_risky_##id(void)                             \
    {                                                                                              \
        risky_register(order, #id, risky_##id, RISKY_ZEROED_MEMORY);                               \
        risky_register(order, #id, risky_##id, RISKY_BAD_ADDRESS);                                 \
    }
enum risky_variant { RISKY_PLAIN, RISKY_ZEROED_MEMORY, RISKY_BAD_ADDRESS };
void risky_register(int order, const char *name, CUresult (*call)(void),
                    enum risky_variant variant);

/* What the risky calls work with: a handle that is none, and live objects. */
extern void *bad_handle;
extern CUdeviceptr risky_device;
extern char risky_host[65536];
extern CUstream risky_stream;
extern CUarray risky_array;

/* Fills the table cuda; 0 when the library cannot be loaded. verbose prints what is missing. */
int functions_resolve(int verbose);
/* Inside a call to a function that the library lacks: its name. */
extern const char *missing_function;
CUresult missing_function_called(const char *name);

/* Set-up: the device alone; or with its primary context made current. */
extern CUdevice device;
extern CUcontext context;
void use_device(void);
void use_primary_context(void);
/* A new context, current. */
CUcontext context_new(void);
int device_attribute(CUdevice_attribute attribute);

/* Allocation of each kind of memory; what fails gives 0, or pages with a setup_note. */
CUdeviceptr device_alloc(size_t size);
void *pinned_alloc(size_t size);
CUdeviceptr managed_alloc(size_t size);
void *page_alloc(size_t size);
CUdeviceptr mapped_alloc(size_t size, unsigned handle_types, CUmemGenericAllocationHandle *handle);
CUstream stream_new(unsigned flags);

static inline CUdeviceptr as_device(const void *ptr)
{
    return (CUdeviceptr)(uintptr_t)ptr;
}

static inline void *as_host(CUdeviceptr ptr)
{
    return (void *)(uintptr_t)ptr;
}

/* A pattern of pattern.h in device memory. */
void device_fill(CUdeviceptr ptr, size_t size, unsigned seed);
const char *device_check(CUdeviceptr ptr, size_t size, unsigned seed);

/* Synchronises and returns the result's name. */
const char *sync_stream(CUstream stream);
const char *sync_context(void);

/* An address as text that is the same in every run: relative to another. */
const char *relative(uint64_t value, uint64_t reference);
/* What became of an output that held UNTOUCHED: kept, zero or set. */
const char *out_state_of(uint64_t value);
#define out_state(value) out_state_of((uint64_t)(uintptr_t)(value))
/* The address range that ptr lies in. */
const char *range_of(CUdeviceptr ptr);

/* The same buffer in every kind of memory there is. */
enum {
    KIND_DEVICE,
    KIND_PINNED,
    KIND_REGISTERED,
    KIND_PAGEABLE,
    KIND_MANAGED,
    KIND_POOL,
    KIND_MAPPED,
    KIND_COUNT
};
struct memory {
    const char *name;
    int host_readable;
    CUdeviceptr ptr;
};
void memory_kinds_create(struct memory *kinds, size_t size);
void memory_fill(const struct memory *memory, size_t size, unsigned seed);
void memory_read(const struct memory *memory, void *out, size_t size);

/* Holds a stream back with a host function, until released or for limit_ms (400 when 0). */
struct blocker {
    atomic_int released, done;
    int limit_ms;
};
CUresult stream_block(CUstream stream, struct blocker *blocker);
void stream_unblock(struct blocker *blocker);

#endif
