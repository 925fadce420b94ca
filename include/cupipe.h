/* SPDX-License-Identifier: MIT */
/* What cupipe's libcuda offers beyond CUDA: work of the host in the order of a stream, with a name,
 * the memory that it touches, and an error.
 *
 * A program finds the table CUPIPE_DRIVER_TABLE_ID by cupipe_find_table() of cupipe_table.h. There
 * is none if the driver of the process is not cupipe's, or one of another build:
 *
 *     static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
 *     struct cupipe_refusal why;
 *     const struct cupipe_driver_table *cupipe =
 *         cupipe_find_table(cuGetExportTable, &id, sizeof(*cupipe), &why);
 *
 *     if (cupipe)
 *         cupipe->launch_work(stream, &work);
 */
#ifndef CUPIPE_H
#define CUPIPE_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#define CUPIPE_DRIVER_TABLE_ID                                                                     \
    {                                                                                              \
        {'c', 'u', 'p', 'i', 'p', 'e', ' ', 'd', 'r', 'i', 'v', 'e', 'r', ' ', '2', 0}              \
    }

/* What the driver and those who use its private tables must have in common: a hash of what this file
 * and the driver's src/device/monitor.h declare. scripts/interface.py writes it. */
#define CUPIPE_INTERFACE "42d423b460c70652"

/* How each private table begins, in all builds. */
struct cupipe_table_head {
    size_t bytes;          /* of the table, as the driver has it */
    const char *interface; /* CUPIPE_INTERFACE, as the driver has it */
    const char *version;   /* of the driver: 0.1.0 */
};

/* Memory that work touches: rows of `bytes`, each `pitch` behind the one before. */
struct cupipe_range {
    uint64_t address;
    uint64_t bytes;
    int written;    /* 0: the work only reads it */
    int partly;     /* not 0: it may leave bytes out, such as half of a triangular matrix */
    uint64_t rows;  /* 0 and 1: one */
    uint64_t pitch; /* of more than one row, in bytes */
    /* Not 0: `address` is that of an array of so many addresses, each of such rows. The array is read
     * when the turn of the work comes. */
    uint64_t pointers;
};

struct cupipe_work {
    const char *name; /* for traces and reports; stays valid as long as the process */
    /* Does the work. It may not call CUDA. An error becomes the context's sticky error, as that of
     * a kernel; after such an error work does not run. Work that touches memory which is not there is
     * abandoned where it is, and fails with CUDA_ERROR_ILLEGAL_ADDRESS. That holds for its own thread
     * and for its parts (run_parts), not for threads of other libraries. */
    CUresult (*run)(void *data);
    /* Called once, when the work will not run again: after it has run, or when it was dropped, or
     * when the last graph that has it is destroyed. May be NULL. */
    void (*release)(void *data);
    void *data;
    const struct cupipe_range *ranges; /* copied; for CUPIPE_CHECK, and for `checks_access` */
    size_t range_count;
    /* Not 0: the work touches the ranges and nothing else. If one is not accessible when its turn
     * comes, the work does not run and fails with CUDA_ERROR_ILLEGAL_ADDRESS, as a kernel would; of a
     * range with `partly` that is its first and its last byte. CUPIPE_CHECK=memory and init look at
     * the ranges. */
    int checks_access;
};

/* One run of work that ends later. */
struct cupipe_pending;

/* Work that ends later, by finish_work(). Its stream waits for it and occupies no thread meanwhile. */
struct cupipe_pending_work {
    struct cupipe_work work; /* `run` is NULL */
    /* Begins the work, and returns without waiting for anything. It may not call CUDA. */
    void (*begin)(void *data, struct cupipe_pending *pending);
    /* For CUPIPE_CHECK=streams: not 0 if the work waits for other such work with the same number. What
     * comes before the beginning of any of them comes before what follows the end of each. */
    uint64_t meeting;
    /* Not 0: to begin it takes less time than to wake a thread, so the call that submits it to an
     * idle stream does that itself. */
    int is_brief;
    /* May be NULL. Called in place of `begin` by the call that submits the work, if nothing is before
     * it in the order of the stream. Begins the work, and may look for its end for some
     * microseconds. CUDA_ERROR_NOT_READY: it is not over; then `begin` is called as if this had not
     * been, with the same data. */
    CUresult (*attempt)(void *data);
    /* May be NULL. Called in place of `begin` for a run that an error keeps from beginning, as a node of a
     * graph has many. */
    void (*refused)(void *data);
};

/* Tells whether what a thread waits for has come. */
typedef int cupipe_is_over(const void *what);

/* Where memory is in a file that other processes can open through /proc. */
struct cupipe_memory_file {
    int fd;          /* the driver's own; it stays open at least as long as the memory */
    uint64_t offset; /* of the address */
    uint64_t bytes;  /* from the address on that lie in the file one behind the other */
};

/* What a program says of itself: a range of time or, if it has no length, a mark. */
struct cupipe_trace_range {
    const char *name;     /* UTF-8, as are the other texts; NULL: there is none */
    const char *domain;   /* part of the program */
    const char *category; /* within the domain */
    const char *payload;  /* a value to show, as text */
    int payload_is_json;  /* not 0: the text is a JSON object */
    uint32_t color;       /* 0xRRGGBB, where `has_color` is not 0 */
    int has_color;
    uint64_t start_ns, end_ns; /* of CLOCK_MONOTONIC */
    uint64_t id;               /* not 0: it may overlap other ranges of its thread */
};

/* The same for tools, at the moment when it happens, in its thread. */
enum cupipe_marker_kind {
    CUPIPE_MARKER_MARK = 1,
    CUPIPE_MARKER_BEGIN, /* of a range; its end has the same number */
    CUPIPE_MARKER_END,
    CUPIPE_MARKER_LOCK_WANTED, /* of a lock of the program's own, as the next three */
    CUPIPE_MARKER_LOCK_TAKEN,
    CUPIPE_MARKER_LOCK_REFUSED,
    CUPIPE_MARKER_LOCK_RELEASED,
};

struct cupipe_marker {
    enum cupipe_marker_kind kind;
    uint32_t number;
    uint64_t time_ns;    /* of CLOCK_MONOTONIC */
    const char *name;    /* NULL: there is none; so with the domain */
    const char *domain;
    uint32_t color;      /* 0xAARRGGBB, where `has_color` is not 0 */
    int has_color;
    uint32_t category;
    int32_t payload_type; /* nvtxPayloadType_t; 0: none, or one with a layout */
    uint64_t payload;
};

/* A call of a function of NVTX that has ended. */
struct cupipe_nvtx_call {
    const char *name;   /* nvtxRangePushA */
    const void *params; /* a structure with a member for each parameter */
    const void *result; /* NULL: it has none */
};

/* What programs name. */
enum cupipe_object_kind {
    CUPIPE_OBJECT_THREAD = 1, /* by the number that the system gives it */
    CUPIPE_OBJECT_DEVICE,     /* by its ordinal */
    CUPIPE_OBJECT_CONTEXT,    /* these by their handles */
    CUPIPE_OBJECT_STREAM,
    CUPIPE_OBJECT_EVENT,
    CUPIPE_OBJECT_OTHER, /* a resource of the program's own, by its address */
};

struct cupipe_name {
    enum cupipe_object_kind kind;
    uint64_t object;
    const char *name;   /* UTF-8 */
    const char *domain; /* NULL: none */
};

/* Values of a program's counter, at one moment. */
struct cupipe_counter_value {
    const char *name;
    double value;
};

struct cupipe_trace_counter {
    const char *name;
    const char *domain; /* NULL: none */
    uint64_t time_ns;   /* of CLOCK_MONOTONIC */
    const struct cupipe_counter_value *values;
    size_t count;
};

/* A call of an exported function of the driver or the runtime, as a tool is told of it: once when it
 * begins and once when it ends. */
struct cupipe_call {
    const char *name;   /* cuMemAlloc_v2 */
    int is_runtime;     /* not 0: a function of the runtime */
    const void *params; /* a structure with a member for each parameter; NULL: it has none */
    const char *kernel; /* the name of the kernel that the call launches; NULL: none, or not known */
    /* The driver sets what follows. */
    int is_nested;        /* not 0: another call makes it */
    uint32_t correlation; /* that of the outermost call and of the work that it submits */
    int has_ended;
    int result; /* a CUresult or a cudaError_t, once it has ended */
    uint64_t start_ns, end_ns; /* of CLOCK_MONOTONIC */
    uint64_t tool_data;        /* the tool's own, 0 at first */
};

enum cupipe_activity_kind {
    CUPIPE_ACTIVITY_KERNEL = 1, /* a kernel, or work of the host that stands for one */
    CUPIPE_ACTIVITY_COPY,
    CUPIPE_ACTIVITY_FILL,
    CUPIPE_ACTIVITY_GRAPH, /* one launch of a graph, with all its nodes */
    CUPIPE_ACTIVITY_COMPILE, /* a kernel, in the thread that needs it; it has no stream */
};

enum cupipe_compile_step {
    CUPIPE_COMPILE_LOADED = 1, /* taken from the cache on disk */
    CUPIPE_COMPILE_STORED,     /* written to it */
    CUPIPE_COMPILE_MADE,
};

enum cupipe_memory_kind {
    CUPIPE_MEMORY_PAGEABLE = 1,
    CUPIPE_MEMORY_PINNED,
    CUPIPE_MEMORY_DEVICE,
    CUPIPE_MEMORY_ARRAY,
    CUPIPE_MEMORY_MANAGED,
};

/* What one launch of a kernel has executed, by its own count. */
struct cupipe_counts;

enum cupipe_access {
    CUPIPE_ACCESS_NONE,
    CUPIPE_ACCESS_GLOBAL,
    CUPIPE_ACCESS_SHARED,
};

/* An instruction of a kernel, or of a function that it calls, and how often it was executed. Texts
 * stay valid as long as the process. */
struct cupipe_instruction_count {
    const char *function; /* that it stands in */
    uint32_t position;    /* of the instruction in that function, from 0 */
    const char *op;       /* fma */
    const char *type;     /* f64; empty: it has none */
    const char *text;     /* as PTX writes it */
    const char *file;     /* of the CUDA source; NULL: the PTX does not say */
    uint32_t line;        /* in that file */
    uint64_t executions;  /* by warps */
    uint64_t lanes;       /* of all executions together */
    /* Accesses to memory: executions and lanes again, the bytes of a lane, and the 32-byte sectors
     * of global memory or the passes over the banks of shared memory. */
    enum cupipe_access access;
    uint32_t access_bytes;
    uint64_t accesses, access_lanes, transfers;
};

/* Work that has ended. */
struct cupipe_activity {
    enum cupipe_activity_kind kind;
    const char *name; /* of the kernel; valid during the call only */
    uint32_t correlation; /* of the call that submitted it; 0: that was not observed */
    uint32_t device;      /* ordinal */
    uint64_t context_id;  /* as cuCtxGetId tells it */
    uint64_t stream_id;   /* as cuStreamGetId tells it */
    uint32_t graph;       /* number of the executable graph; 0: none */
    uint64_t graph_node;
    int is_async; /* not 0: the call did not have to wait for it */
    uint64_t submitted_ns, start_ns, end_ns; /* of CLOCK_MONOTONIC */
    union {
        struct {
            uint32_t grid[3], block[3], cluster[3]; /* cluster: zeros if the launch has none */
            uint32_t registers, shared_static_bytes, shared_dynamic_bytes, local_bytes;
            int is_cooperative;
            uint64_t grid_id;
            /* What it executed; valid during the call only. NULL: it was not counted. */
            const struct cupipe_counts *counts;
        } kernel;
        struct {
            uint64_t bytes;
            enum cupipe_memory_kind from, to;
            uint32_t from_device, to_device;
        } copy;
        struct {
            uint64_t bytes;
            uint32_t value;
            enum cupipe_memory_kind memory;
        } fill;
        struct {
            enum cupipe_compile_step step;
            uint64_t code_bytes;
        } compile;
    };
};

/* What a tool wants to be told. It may not call CUDA's functions from `activity`. */
struct cupipe_observer {
    void (*call)(struct cupipe_call *call);
    void (*activity)(const struct cupipe_activity *activity);
    void (*marker)(const struct cupipe_marker *marker);
    void (*name)(const struct cupipe_name *name);
    void (*nvtx_call)(const struct cupipe_nvtx_call *call);
};

struct cupipe_driver_table {
    struct cupipe_table_head head;
    /* Submits work to a stream. If the stream captures, the work becomes a host node. On an error
     * the work does not run, and `release` is not called. */
    CUresult (*launch_work)(CUstream stream, const struct cupipe_work *work);
    /* Runs work in the calling thread if nothing is before it in the order of the stream; `release`
     * is not called. Otherwise, and if the stream captures or the schedule defers work, it does
     * nothing and returns CUDA_ERROR_NOT_READY. */
    CUresult (*run_work)(CUstream stream, const struct cupipe_work *work);
    /* Tells whether a check wants the ranges of work; otherwise the caller may leave them out. */
    int (*wants_ranges)(void);
    /* Calls part(data, i) for each i below `count`, in the calling thread and in worker threads that
     * have nothing else to do, and returns when all have returned. Work may call this. */
    void (*run_parts)(size_t count, void (*part)(void *data, size_t index), void *data);
    /* The number of threads that run_parts() can use. */
    unsigned (*parallel_width)(void);
    /* Tells whether a trace is being written, or an observer listens. */
    int (*is_traced)(void);
    /* Adds a range that the calling thread has ended to the trace. */
    void (*trace_range)(const struct cupipe_trace_range *range);
    /* Tells an observer of all calls and work from now on; NULL: nobody. There is one at a time. It
     * must stay valid as long as the process. */
    void (*observe)(const struct cupipe_observer *observer);
    /* For the runtime: a word that is not 0 while calls must be told, and how. */
    const volatile unsigned *observed;
    void (*begin_call)(struct cupipe_call *call);
    void (*end_call)(struct cupipe_call *call, int result);
    /* launch_work() for work that ends later. */
    CUresult (*launch_pending_work)(CUstream stream, const struct cupipe_pending_work *work);
    /* Ends a run of such work, from any thread, also before `begin` has returned; once for each run.
     * An error becomes the context's sticky error. */
    void (*finish_work)(struct cupipe_pending *pending, CUresult result);
    /* Tells where device memory is; work may ask, too. CUDA_ERROR_NOT_SUPPORTED: it is private memory of the process, as
     * pinned and managed memory are. */
    CUresult (*locate_memory)(uint64_t address, struct cupipe_memory_file *file);
    /* Tells whether an operation of a library, as a rank begins it, fails on purpose (CUPIPE_FAIL):
     * the error, or CUDA_SUCCESS. It may take its time, if the operation is to be late. */
    CUresult (*fail_operation)(const char *name, int rank);
    /* Has threads that wait for a stream call `help` before they sleep. It may bring about what they
     * wait for, and returns when that has come, or when to sleep is better. There is one such
     * function; it must stay valid as long as the process. */
    void (*help_waits)(void (*help)(cupipe_is_over *is_over, const void *what));
    /* Not 0: kernels that begin from now on count what they execute, while there is an observer,
     * who is told of it. They are compiled for that, and take several times as long. */
    void (*count_kernels)(int on);
    /* Reads the counts of a launch: how many instructions they have, and one of them. */
    size_t (*count_instructions)(const struct cupipe_counts *counts);
    void (*read_instruction)(const struct cupipe_counts *counts, size_t index,
                             struct cupipe_instruction_count *instruction);
    /* Names an object in the trace, and tells the observer. */
    void (*name_object)(const struct cupipe_name *name);
    /* Adds a sample of a counter to the trace. */
    void (*trace_counter)(const struct cupipe_trace_counter *counter);
    /* Tell the observer. */
    void (*tell_marker)(const struct cupipe_marker *marker);
    void (*tell_nvtx_call)(const struct cupipe_nvtx_call *call);
    /* For work that holds a lock: calls action(data), then finally(data), which is also called if the
     * action touches memory that is not there. The work ends after it in that case. */
    void (*run_finally)(void (*action)(void *data), void (*finally)(void *data), void *data);
    /* For pending work, and threads of a library, where nothing takes a fault: calls action(data), which
     * holds no lock. CUDA_ERROR_ILLEGAL_ADDRESS: it touched memory that is not there, at *address (0: not
     * known), and was abandoned. Its parts (run_parts) count as it does. */
    CUresult (*run_guarded)(void (*action)(void *data), void *data, uint64_t *address);
};

#endif
