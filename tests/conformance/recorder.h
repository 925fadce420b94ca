/* SPDX-License-Identifier: MIT */
/*
 * The recorder asks a CUDA driver thousands of small questions and prints one line for each answer.
 *
 * A question is a case, and cases stand in groups. A group runs in a process of its own, so that a
 * case that crashes, hangs or poisons its context costs one line and no more. This header is all
 * that a file of groups needs: the driver under test (cuda), the CHECK macros and the helpers for
 * set-up and data.
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

#define STRING_OF(x) #x
#define EXPANDED_STRING_OF(x) STRING_OF(x)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define KB 1024ull
#define MB (1024ull * 1024)
#define GB (1024ull * MB)

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
int case_begin(const char *name);
void case_end(CUresult result, const char *format_text, ...) __attribute__((format(printf, 2, 3)));
void case_info(const char *format_text, ...) __attribute__((format(printf, 1, 2)));

/* Formats into one of 128 static buffers in turn. */
const char *format(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *result_name(CUresult result);

/*
 * Groups. GROUP(order, id, name) { ... } defines one; they run by order, then by name.
 * RISKY defines a group of one call that may well bring the process down. RISKY_HANDLE does so
 * twice, with bad_handle pointing at zeroed memory and at nothing.
 */
#define GROUP(order, id, name)                                                                     \
    static void group_##id(void);                                                                  \
    __attribute__((constructor)) static void register_group_##id(void)                             \
    {                                                                                              \
        group_register(order, name, group_##id);                                                   \
    }                                                                                              \
    static void group_##id(void)
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
void group_register(int order, const char *name, void (*run)(void));
void risky_register(int order, const char *name, CUresult (*call)(void),
                    enum risky_variant variant);

/* What the risky calls work with: a handle that is none, and live objects. */
extern void *bad_handle;
extern CUdeviceptr risky_device;
extern char risky_host[65536];
extern CUstream risky_stream;
extern CUarray risky_array;

/* A group sets this to go on after an error that sticks to the context. */
extern int keep_after_sticky;
/* A group sets this when no case builds on another: a restart then leaves out what is printed. */
extern int cases_independent;

/* A line about the set-up, outside any case; each text once a group. */
void setup_note(const char *text);
/* Ends the group with a line that says why. */
_Noreturn void setup_failed(const char *what, CUresult result);
/* Remembers an error that sticks to the context, so that the case's end restarts the group. */
void sticky_notice(CUresult result);
double seconds_now(void);

/* Fills the table cuda; 0 when the library cannot be loaded. verbose prints what is missing. */
int functions_resolve(int verbose);
/* Inside a call to a function that the library lacks: its name. */
extern const char *missing_function;
CUresult missing_function_called(const char *name);
void line_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

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

/* Data: byte i of the pattern that a seed gives; "ok" or the place of the first wrong byte. */
unsigned char pattern_byte(unsigned seed, size_t i);
void pattern_fill(void *ptr, size_t size, unsigned seed);
const char *pattern_check(const void *ptr, size_t size, unsigned seed);
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
