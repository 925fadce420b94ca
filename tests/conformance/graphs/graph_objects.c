/* SPDX-License-Identifier: MIT */
/* The kernels and objects that the groups work with, and ways to run graphs and captures. */
#include "graphs.h"

CUmodule module, second_module;
CUfunction functions[KERNEL_COUNT], second_functions[KERNEL_COUNT];
CUlibrary library;
CUkernel kernels[KERNEL_COUNT];
CUdeviceptr buffers[BUFFER_COUNT], managed_buffer;
unsigned *host_buffers[4];
CUstream streams[6];
CUevent events[8];
CUarray arrays[4];
CUcontext second_context;
atomic_int host_calls[16];

#define PTX_HEAD ".version 7.8\n.target sm_50\n.address_size 64\n"
#define REGISTERS ".reg .u64 %rd<10>; .reg .u32 %r<16>; .reg .pred %p<4>;\n"
/* %r6 is the index of the thread, %rd4 the address of its word. */
#define VECTOR_KERNEL(name, body)                                                                  \
    ".visible .entry " name "(.param .u64 p, .param .u32 n, .param .u32 v) {\n" REGISTERS          \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"                      \
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"                          \
    "mad.lo.u32 %r6, %r3, %r4, %r5; setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"                   \
    "cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3;\n" body   \
    "DONE: ret;\n}\n"
#define MIX_KERNEL                                                                                 \
    ".visible .entry kmix(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 v) "            \
    "{\n" REGISTERS "ld.param.u64 %rd1, [p]; ld.param.u64 %rd5, [q];\n"                            \
    "ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"                                              \
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"                          \
    "mad.lo.u32 %r6, %r3, %r4, %r5; setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"                   \
    "cvta.to.global.u64 %rd2, %rd1; cvta.to.global.u64 %rd6, %rd5; mul.wide.u32 %rd3, %r6, 4;\n"   \
    "add.u64 %rd4, %rd2, %rd3; add.u64 %rd7, %rd6, %rd3;\n"                                        \
    "ld.global.u32 %r7, [%rd4]; ld.global.u32 %r8, [%rd7]; mad.lo.u32 %r7, %r8, %r2, %r7;\n"       \
    "st.global.u32 [%rd4], %r7;\nDONE: ret;\n}\n"
/* Each thread stores the word of its opposite thread. */
#define SHARED_KERNEL                                                                              \
    ".extern .shared .align 4 .b8 dsm[];\n"                                                        \
    ".visible .entry kshm(.param .u64 p, .param .u32 n, .param .u32 v) {\n" REGISTERS              \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"                      \
    "mov.u32 %r5, %tid.x; mov.u32 %r8, dsm; shl.b32 %r9, %r5, 2; add.u32 %r9, %r8, %r9;\n"         \
    "add.u32 %r10, %r5, %r2; st.shared.u32 [%r9], %r10; bar.sync 0;\n"                             \
    "mov.u32 %r4, %ntid.x; sub.u32 %r11, %r4, %r5; sub.u32 %r11, %r11, 1;\n"                       \
    "shl.b32 %r11, %r11, 2; add.u32 %r11, %r8, %r11; ld.shared.u32 %r12, [%r11];\n"                \
    "setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE; cvta.to.global.u64 %rd2, %rd1;\n"                   \
    "mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r12;\n"           \
    "DONE: ret;\n}\n"
#define INCREMENT_KERNEL                                                                           \
    ".visible .entry kinc(.param .u64 p) {\n" REGISTERS                                            \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];\n"          \
    "add.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1; ret;\n}\n"

/* clang-format off */
const char *const kernels_ptx =
    PTX_HEAD ".visible .global .align 4 .u32 gvar[16];\n"
    VECTOR_KERNEL("kset", "add.u32 %r7, %r6, %r2; st.global.u32 [%rd4], %r7;\n")
    VECTOR_KERNEL("kadd", "ld.global.u32 %r7, [%rd4]; add.u32 %r7, %r7, %r2;\n"
                          "st.global.u32 [%rd4], %r7;\n")
    VECTOR_KERNEL("kmul", "ld.global.u32 %r7, [%rd4]; mad.lo.u32 %r7, %r7, %r2, 1;\n"
                          "st.global.u32 [%rd4], %r7;\n")
    MIX_KERNEL
    ".visible .entry knop() {\nret;\n}\n"
    SHARED_KERNEL
    INCREMENT_KERNEL;
const char *const other_ptx =
    PTX_HEAD VECTOR_KERNEL("other", "mov.u32 %r7, 77; st.global.u32 [%rd4], %r7;\n");
/* clang-format on */
const char *const kernel_names[KERNEL_COUNT] = {"kset", "kadd", "kmul", "kmix",
                                                "knop", "kshm", "kinc"};

void CUDA_CB host_count(void *data)
{
    host_calls[(uintptr_t)data & 15]++;
}

void CUDA_CB host_count_hundred(void *data)
{
    host_calls[(uintptr_t)data & 15] += 100;
}

static void kernels_load(void)
{
    if (cuda.cuModuleLoadData(&module, kernels_ptx)) {
        module = 0;
        setup_note("setup-module-failed");
    }
    for (int i = 0; i < KERNEL_COUNT; i++) {
        functions[i] = 0;
        if (module)
            cuda.cuModuleGetFunction(&functions[i], module, kernel_names[i]);
    }
    if (cuda.cuLibraryLoadData(&library, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0)) {
        library = 0;
        setup_note("setup-library-failed");
    }
    for (int i = 0; i < KERNEL_COUNT; i++) {
        kernels[i] = 0;
        if (library)
            cuda.cuLibraryGetKernel(&kernels[i], library, kernel_names[i]);
    }
}

void use_kernels(void)
{
    use_primary_context();
    kernels_load();
}

void use_graph_objects(void)
{
    use_primary_context();
    kernels_load();
    for (int i = 0; i < BUFFER_COUNT; i++) {
        buffers[i] = device_alloc(BUFFER_BYTES);
        if (!buffers[i])
            setup_note("setup-alloc-failed");
        else
            cuda.cuMemsetD8(buffers[i], 0, BUFFER_BYTES);
    }
    managed_buffer = managed_alloc(BUFFER_BYTES);
    for (int i = 0; i < 4; i++) {
        host_buffers[i] = pinned_alloc(BUFFER_BYTES);
        if (host_buffers[i])
            memset(host_buffers[i], 0, BUFFER_BYTES);
    }
    for (int i = 0; i < 6; i++)
        streams[i] = stream_new(i < 3 ? 0 : CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 8; i++)
        cuda.cuEventCreate(&events[i], i < 4 ? CU_EVENT_DISABLE_TIMING : 0);
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.Width = 64;
    descriptor.Format = CU_AD_FORMAT_UNSIGNED_INT32;
    descriptor.NumChannels = 1;
    cuda.cuArray3DCreate(&arrays[0], &descriptor);
    descriptor.Height = 16;
    cuda.cuArray3DCreate(&arrays[1], &descriptor);
    cuda.cuArray3DCreate(&arrays[2], &descriptor);
    descriptor.Depth = 4;
    cuda.cuArray3DCreate(&arrays[3], &descriptor);
    cuda.cuCtxSynchronize();
}

void use_second_context(void)
{
    second_context = context_new();
    if (!second_context) {
        setup_note("setup-ctx2-failed");
        return;
    }
    cuda.cuModuleLoadData(&second_module, kernels_ptx);
    for (int i = 0; i < KERNEL_COUNT; i++) {
        second_functions[i] = 0;
        if (second_module)
            cuda.cuModuleGetFunction(&second_functions[i], second_module, kernel_names[i]);
    }
    cuda.cuCtxSetCurrent(context);
}

void buffers_clear(void)
{
    cuda.cuCtxSynchronize();
    for (int i = 0; i < BUFFER_COUNT; i++)
        cuda.cuMemsetD8(buffers[i], 0, BUFFER_BYTES);
    for (int i = 0; i < 4; i++)
        if (host_buffers[i])
            memset(host_buffers[i], 0, BUFFER_BYTES);
    cuda.cuCtxSynchronize();
}

void buffer_set(int index, unsigned value)
{
    unsigned *words = malloc(BUFFER_BYTES);
    for (unsigned i = 0; i < BUFFER_WORDS; i++)
        words[i] = value + i;
    cuda.cuMemcpyHtoD(buffers[index], words, BUFFER_BYTES);
    cuda.cuCtxSynchronize();
    free(words);
}

const char *buffer_text(int index)
{
    unsigned *words = calloc(1, BUFFER_BYTES);
    CUresult copied = cuda.cuMemcpyDtoH(words, buffers[index], BUFFER_BYTES);
    const char *text = copied ? result_name(copied)
                              : format("%u,%u,%u..%u/%08x", words[0], words[1], words[2],
                                       words[BUFFER_WORDS - 1], checksum(words, BUFFER_BYTES));
    free(words);
    return text;
}

const char *buffers_checksum(void)
{
    static unsigned char words[BUFFER_COUNT * BUFFER_BYTES];
    memset(words, 0, sizeof words);
    CUresult copied = 0;
    for (int i = 0; i < BUFFER_COUNT && !copied; i++)
        copied = cuda.cuMemcpyDtoH(words + (size_t)i * BUFFER_BYTES, buffers[i], BUFFER_BYTES);
    return copied ? result_name(copied) : format("%08x", checksum(words, sizeof words));
}

unsigned device_word(CUdeviceptr ptr)
{
    unsigned word = 0xdddddddd;
    cuda.cuMemcpyDtoH(&word, ptr, 4);
    return word;
}

CUgraphExec instantiate(CUgraph graph, unsigned long long flags)
{
    CUgraphExec exec = 0;
    return cuda.cuGraphInstantiate(&exec, graph, flags) ? NULL : exec;
}

const char *exec_run(CUgraphExec exec, CUstream stream)
{
    if (!exec)
        return "noexec";
    CUresult launched = cuda.cuGraphLaunch(exec, stream);
    const char *synced = sync_stream(stream);
    return launched ? format("launch:%s", result_name(launched)) : synced;
}

const char *graph_run(CUgraph graph)
{
    CUgraphExec exec = 0;
    CUresult made = cuda.cuGraphInstantiate(&exec, graph, 0);
    if (made)
        return format("inst:%s", result_name(made));
    const char *text = exec_run(exec, streams[0]);
    cuda.cuGraphExecDestroy(exec);
    return text;
}

unsigned random_below(uint64_t *state, unsigned limit)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return limit ? (unsigned)((*state >> 33) % limit) : 0;
}

const char *capture_end(CUstream stream, CUgraph *graph)
{
    *graph = 0;
    CUresult ended = cuda.cuStreamEndCapture(stream, graph);
    if (ended && *graph)
        return format("%s(graph set)", result_name(ended));
    return result_name(ended);
}

int capture_status(CUstream stream)
{
    CUstreamCaptureStatus status = 77;
    CUresult asked = cuda.cuStreamIsCapturing(stream, &status);
    return asked ? -1 : (int)status;
}

struct thread {
    thread_call call;
    void *data;
    CUresult result;
    CUcontext context;
};

static void *thread_run(void *data)
{
    struct thread *thread = data;

    cuda.cuCtxSetCurrent(thread->context);
    thread->result = thread->call(thread->data);
    return NULL;
}

CUresult call_in_thread(thread_call call, void *data)
{
    struct thread thread = {call, data, RESULT_SKIPPED, context};
    CUcontext current = NULL;
    pthread_t id;

    if (!cuda.cuCtxGetCurrent(&current) && current)
        thread.context = current;
    if (pthread_create(&id, NULL, thread_run, &thread))
        return RESULT_SKIPPED;
    pthread_join(id, NULL);
    return thread.result;
}
