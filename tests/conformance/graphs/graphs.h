/* SPDX-License-Identifier: MIT */
/*
 * What the groups about graphs and stream capture share: kernels, buffers, streams and events to
 * work with, builders of nodes, and graphs as text. They run on the recorder's harness; recorder.h
 * includes functions.def of this folder (MORE_FUNCTIONS).
 */
#ifndef GRAPHS_RECORDER_H
#define GRAPHS_RECORDER_H

#include "../recorder.h"
#include <stdarg.h>

/*
 * The kernels of kernels_ptx. SET, ADD and MULTIPLY take (p, n, v) and work on n words at p; MIX
 * takes (p, q, n, v) and adds v times the words at q; NOP takes nothing; SHARED takes (p, n, v) and
 * goes through dynamic shared memory; INCREMENT takes (p), and one thread adds 1.
 */
enum {
    KERNEL_SET,
    KERNEL_ADD,
    KERNEL_MULTIPLY,
    KERNEL_MIX,
    KERNEL_NOP,
    KERNEL_SHARED,
    KERNEL_INCREMENT,
    KERNEL_COUNT
};
extern const char *const kernels_ptx, *const other_ptx;
extern const char *const kernel_names[KERNEL_COUNT];
extern CUmodule module, second_module;
extern CUfunction functions[KERNEL_COUNT], second_functions[KERNEL_COUNT];
extern CUlibrary library;
extern CUkernel kernels[KERNEL_COUNT];

/* Objects of the primary context, and the second context. */
enum { BUFFER_COUNT = 8, BUFFER_WORDS = 4096, BUFFER_BYTES = BUFFER_WORDS * 4 };
extern CUdeviceptr buffers[BUFFER_COUNT], managed_buffer;
extern unsigned *host_buffers[4];
extern CUstream streams[6]; /* the last three do not block */
extern CUevent events[8];   /* the first four do not keep the time */
extern CUarray arrays[4];
extern CUcontext second_context;

/* Host functions: data is an index into host_calls, to which they add 1 and 100. */
extern atomic_int host_calls[16];
void CUDA_CB host_count(void *data);
void CUDA_CB host_count_hundred(void *data);

/* Set-up: the primary context and the kernels alone; or with all objects. */
void use_kernels(void);
void use_graph_objects(void);
/* Makes second_context and loads second_functions; the primary context stays current. */
void use_second_context(void);

/* Buffers: all to zero; the words of one to value + index; one, or all, as text; one word. */
void buffers_clear(void);
void buffer_set(int index, unsigned value);
const char *buffer_text(int index);
const char *buffers_checksum(void);
unsigned device_word(CUdeviceptr ptr);

/* Values as text. A pointer is named by the object it points into, a handle by null, kept or set.
 */
const char *node_type_name(int type);
const char *capture_status_name(int status);
const char *update_result_name(int result);
const char *instantiate_result_name(int result);
const char *pointer_name(uint64_t ptr);
const char *handle_text(const void *handle);
#define UNTOUCHED_NODE ((CUgraphNode)(uintptr_t)UNTOUCHED)
#define UNTOUCHED_GRAPH ((CUgraph)(uintptr_t)UNTOUCHED)
#define UNTOUCHED_EXEC ((CUgraphExec)(uintptr_t)UNTOUCHED)

/* Parameters of nodes. */
CUDA_KERNEL_NODE_PARAMS kernel_params(int kernel, CUdeviceptr p, CUdeviceptr q, unsigned n,
                                      unsigned v);
CUDA_KERNEL_NODE_PARAMS_v1 kernel_params_v1(int kernel, CUdeviceptr p, CUdeviceptr q, unsigned n,
                                            unsigned v);
CUDA_MEMCPY3D copy_device_to_device(CUdeviceptr dst, CUdeviceptr src, size_t size);
CUDA_MEMCPY3D copy_host_to_device(CUdeviceptr dst, const void *src, size_t size);
CUDA_MEMCPY3D copy_device_to_host(void *dst, CUdeviceptr src, size_t size);
CUDA_MEMCPY3D copy_host_to_host(void *dst, const void *src, size_t size);
CUDA_MEMSET_NODE_PARAMS memset_params(CUdeviceptr dst, unsigned value, unsigned element_size,
                                      size_t width, size_t height, size_t pitch);

/* Graphs and nodes; NULL where the driver refuses. deps are count nodes to depend on. */
CUgraph graph_new(void);
CUgraphNode add_kernel(CUgraph graph, const CUgraphNode *deps, size_t count, int kernel,
                       CUdeviceptr p, unsigned n, unsigned v);
CUgraphNode add_mix_kernel(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr p,
                           CUdeviceptr q, unsigned n, unsigned v);
CUgraphNode add_memset(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr dst,
                       unsigned value, unsigned element_size, size_t width);
CUgraphNode add_copy(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr dst,
                     CUdeviceptr src, size_t size);
CUgraphNode add_host(CUgraph graph, const CUgraphNode *deps, size_t count, int index);
CUgraphNode add_empty(CUgraph graph, const CUgraphNode *deps, size_t count);
CUgraphNode add_child(CUgraph graph, const CUgraphNode *deps, size_t count, CUgraph child);
CUgraphNode add_event_record(CUgraph graph, const CUgraphNode *deps, size_t count, CUevent event);
CUgraphNode add_event_wait(CUgraph graph, const CUgraphNode *deps, size_t count, CUevent event);
CUgraphNode add_alloc(CUgraph graph, const CUgraphNode *deps, size_t count, size_t size,
                      CUdeviceptr *out);
CUgraphNode add_free(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr ptr);
CUgraphNode add_batch(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr ptr,
                      unsigned value);
CUgraphNode add_conditional(CUgraph graph, const CUgraphNode *deps, size_t count, int type,
                            unsigned size, unsigned initial, CUgraph *bodies);
/* A plausible node of any type. */
enum { NODE_TYPE_COUNT = 14 };
CUgraphNode add_node_of_type(int type, CUgraph graph, const CUgraphNode *deps, size_t count);

/* A graph of diamond_nodes 0 -> 1, 2 -> 3, and 4 alone. */
extern CUgraphNode diamond_nodes[8];
CUgraph diamond_graph_new(void);

/* Nodes and edges of a graph as text; with the parameters of every node; those of one node; found[]
 * as indices into known[]. */
const char *graph_text(CUgraph graph);
const char *graph_text_with_params(CUgraph graph);
const char *node_params_text(CUgraphNode node);
const char *node_order(const CUgraphNode *found, size_t found_count, const CUgraphNode *known,
                       size_t known_count);

/* Running. instantiate() is NULL on failure; graph_run() instantiates, launches, synchronises. */
CUgraphExec instantiate(CUgraph graph, unsigned long long flags);
const char *exec_run(CUgraphExec exec, CUstream stream);
const char *graph_run(CUgraph graph);
unsigned random_below(uint64_t *state, unsigned limit);

/* Capture: ends one and names the result; the status, or -1. */
const char *capture_end(CUstream stream, CUgraph *graph);
int capture_status(CUstream stream);

/* Runs call in another thread with the same context current. */
typedef CUresult (*thread_call)(void *data);
CUresult call_in_thread(thread_call call, void *data);

/* Text in parts: TEXT(name, size) declares one, text_add() appends what fits. */
struct text {
    char *chars;
    size_t size, length;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define TEXT(name, size)                                                                           \
    char name##_chars[size];                                                                       \
    name##_chars[0] = 0;                                                                           \
    struct text name = {name##_chars, size, 0}

#endif
