/* SPDX-License-Identifier: MIT */
/* Random programs of 200 calls each, told apart by their seeds. 1 to 30 are recorded. */
#include "recorder.hpp"

static uint32_t random_state;
static uint32_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static unsigned random_below(unsigned n)
{
    uint32_t x = random_next();
    return (x >> 8) % n;
}

struct buffer {
    void *ptr;
    size_t size;
    int kind; /* 0 device, 1 pinned, 2 managed, 3 async */
};
static struct buffer buffers[8];
static cudaStream_t streams[4];
static cudaEvent_t events[4];
static struct {
    cudaArray_t array;
    size_t width, height;
} arrays[3];
static char host_bytes[70000];
static cudaError_t buffer_create(struct buffer *b, unsigned k, size_t n)
{
    b->kind = k;
    b->size = n;
    b->ptr = 0;
    cudaError_t r = k == 0   ? cudaMalloc(&b->ptr, n)
                    : k == 1 ? cudaHostAlloc(&b->ptr, n, 0)
                    : k == 2 ? cudaMallocManaged(&b->ptr, n, 1)
                             : cudaMallocAsync(&b->ptr, n, 0);
    if (!r && b->ptr && n) {
        cudaDeviceSynchronize();
        cudaMemset(b->ptr, 0, n);
        cudaDeviceSynchronize();
    }
    return r;
}

static cudaError_t buffer_free(struct buffer *b)
{
    cudaError_t r = b->kind == 1   ? cudaFreeHost(b->ptr)
                    : b->kind == 3 ? cudaFreeAsync(b->ptr, 0)
                                   : cudaFree(b->ptr);
    return r;
}

static cudaStream_t stream_pick(unsigned i)
{
    return i < 4    ? streams[i]
           : i == 4 ? (cudaStream_t)0
           : i == 5 ? cudaStreamLegacy
                    : cudaStreamPerThread;
}

static const char *buffer_text(struct buffer *b)
{
    if (!b->ptr)
        return "none";
    cudaDeviceSynchronize();
    return FORMAT("%zu:%s", b->size, device_checksum(b->ptr, b->size));
}

/* The operands of the call in hand, drawn before each. */
static int bad; /* make a call that fails */
static unsigned how, value, stream_index, first_offset, second_offset, length;
static cudaStream_t stream;
static struct buffer *first, *second;
/* What a call adds to its line. */
static const char *text;

static cudaError_t call_malloc(void)
{
    cudaError_t result = cudaSuccess;

    if (first->ptr) {
        buffer_free(first);
        first->ptr = 0;
    }
    if (bad) {
        result = how == 0   ? cudaMalloc(0, value)
                 : how == 1 ? cudaMalloc(&first->ptr, 0)
                 : how == 2 ? cudaHostAlloc(&first->ptr, 64, 0x40)
                 : how == 3 ? cudaMallocManaged(&first->ptr, 64, 0x40)
                 : how == 4 ? cudaMalloc(&first->ptr, 1ull << 50)
                            : cudaMallocManaged(&first->ptr, 0, 1);
        text = out_state(first->ptr);
        first->ptr = 0;
        first->size = 0;
    } else {
        result = buffer_create(first, how & 3, 64 + length * 4);
        text = out_state(first->ptr);
    }
    return result;
}

static cudaError_t call_free(void)
{
    cudaError_t result = cudaSuccess;

    if (bad) {
        if (how == 0)
            result = cudaFree(GARBAGE_ADDRESS);
        else if (how == 1)
            result = first->ptr ? cudaFree((char *)first->ptr + 1) : cudaFree((void *)8);
        else if (how == 2)
            result = cudaFreeHost(host_bytes);
        else if (how == 3 && first->ptr && first->kind == 0) {
            cudaFree(first->ptr);
            result = cudaFree(first->ptr);
            first->ptr = 0;
        } else
            result = cudaFreeAsync(0, stream);
    } else {
        result = first->ptr ? buffer_free(first) : cudaFree(0);
        first->ptr = 0;
    }
    return result;
}

static cudaError_t call_copy(void)
{
    cudaError_t result = cudaSuccess;

    size_t n =
        first->ptr && second->ptr ? (first->size < second->size ? first->size : second->size) : 0;
    if (first == second)
        n = n / 2;
    size_t so = n > 200 ? first_offset : 0;
    size_t dn = first == second ? n : 0;
    n = n > so ? n - so : 0;
    if (bad) {
        result = how == 0 ? cudaMemcpy(first->ptr, second->ptr, n, (cudaMemcpyKind)(7 + value % 5))
                 : how == 1 ? cudaMemcpy(0, second->ptr, 16, cudaMemcpyDefault)
                 : how == 2 ? cudaMemcpy(first->ptr, 0, 16, cudaMemcpyDefault)
                 : how == 3 ? cudaMemcpy(first->ptr, second->ptr, 0, cudaMemcpyDefault)
                 : how == 4 ? cudaMemcpy(0, 0, 0, (cudaMemcpyKind)-1)
                            : cudaMemcpyPeer(first->ptr, 3, second->ptr, 0, n);
    } else
        result = how & 1 ? cudaMemcpyAsync((char *)first->ptr + dn, (char *)second->ptr + so, n,
                                           cudaMemcpyDefault, stream)
                         : cudaMemcpy((char *)first->ptr + dn, (char *)second->ptr + so, n,
                                      cudaMemcpyDefault);
    text = buffer_text(first);
    return result;
}

static cudaError_t call_host_to_buffer(void)
{
    cudaError_t result = cudaSuccess;

    size_t n = first->ptr ? (length < first->size ? length : first->size) : 0;
    result =
        bad ? (how < 3 ? cudaMemcpy(first->ptr, host_bytes, n,
                                    first->kind == 0 ? cudaMemcpyDeviceToHost : (cudaMemcpyKind)9)
                       : cudaMemcpy(0, host_bytes, 5, cudaMemcpyHostToDevice))
            : cudaMemcpyAsync(first->ptr, host_bytes + first_offset, n,
                              first->kind == 1 ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice,
                              stream);
    text = buffer_text(first);
    return result;
}

static cudaError_t call_buffer_to_host(void)
{
    cudaError_t result = cudaSuccess;

    static char t[20000];
    memset(t, 0, sizeof t);
    size_t n = first->ptr ? (length < first->size ? length : first->size) : 0;
    result =
        bad ? cudaMemcpy(how < 3 ? (void *)0 : t, first->ptr, n, (cudaMemcpyKind)(how < 3 ? 2 : 8))
            : cudaMemcpy(t + first_offset, first->ptr, n,
                         first->kind == 1 ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost);
    text = FORMAT("%08x", checksum(t, sizeof t));
    return result;
}

static cudaError_t call_memset(void)
{
    cudaError_t result = cudaSuccess;

    size_t n = first->ptr ? (length + first_offset < first->size ? length : 0) : 0;
    if (bad)
        result = how == 0   ? cudaMemset(0, 1, 16)
                 : how == 1 ? cudaMemset(host_bytes, 1, 16)
                 : how == 2 ? cudaMemset2D(first->ptr, 4, 1, 8, 2)
                 : how == 3 ? cudaMemset(GARBAGE_ADDRESS, 0, 0)
                 : how == 4 ? cudaMemset2D(0, 0, 0, 0, 0)
                            : cudaMemset3D(pitched(0, 16, 16, 2), 1, extent(8, 2, 2));
    else
        result =
            n ? (how & 1 ? cudaMemsetAsync((char *)first->ptr + first_offset, (int)value, n, stream)
                 : n > 64 ? cudaMemset2D((char *)first->ptr + first_offset, 32, (int)value,
                                         16 + (value & 15), n / 64)
                          : cudaMemset((char *)first->ptr + first_offset, (int)value, n))
              : cudaMemset(first->ptr, 0, 0);
    text = buffer_text(first);
    return result;
}

static cudaError_t call_launch_kernel(void)
{
    cudaError_t result = cudaSuccess;

    int *p = (int *)first->ptr;
    int n = first->ptr ? (int)(first->size / 4) : 0;
    int vv = (int)value;
    void *args[3] = {&p, &n, &vv};
    dim3 g((n + 127) / 128 ? (n + 127) / 128 : 1), bl(128);
    size_t sh = 0;
    const void *f = how & 1 ? (void *)k_add : (void *)k_fill;
    if (bad) {
        if (how == 0)
            g.x = 0;
        else if (how == 1)
            bl.x = 1025;
        else if (how == 2)
            sh = 300000;
        else if (how == 3)
            f = 0;
        else if (how == 4)
            f = host_bytes;
        else
            bl.z = 65;
    }
    result = cudaLaunchKernel(f, g, bl, args, sh, stream);
    text = buffer_text(first);
    return result;
}

static cudaError_t call_launch_syntax(void)
{
    cudaError_t result = cudaSuccess;

    int n = first->ptr ? (int)(first->size / 4) : 0;
    launch_fill(dim3(bad && how < 2 ? 0 : 40), dim3(bad && how > 3 ? 2048 : 256),
                bad && how == 2 ? 1 << 20 : 0, stream, (int *)first->ptr, n, (int)value);
    result = cudaPeekAtLastError();
    text = buffer_text(first);
    return result;
}

static cudaError_t call_to_symbol(void)
{
    cudaError_t result = cudaSuccess;

    unsigned k = value % SYMBOL_COUNT;
    static const size_t z[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4};
    size_t n = 1 + length % (z[k] < 512 ? z[k] : 512),
           of = bad ? z[k] - n + 1 + first_offset : (z[k] - n) / 2;
    result = bad && how == 5
                 ? cudaMemcpyToSymbol(host_bytes, host_bytes, 4, 0, cudaMemcpyHostToDevice)
                 : cudaMemcpyToSymbol(symbol(k), host_bytes + second_offset, n, of,
                                      cudaMemcpyHostToDevice);
    text = FORMAT("k%u", k);
    return result;
}

static cudaError_t call_from_symbol(void)
{
    cudaError_t result = cudaSuccess;

    unsigned k = value % SYMBOL_COUNT;
    static const size_t z[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4};
    char t[512];
    memset(t, 0, 512);
    size_t n = 1 + length % (z[k] < 512 ? z[k] : 512), of = bad ? z[k] - n + 1 + first_offset : 0;
    result = cudaMemcpyFromSymbol(
        t, symbol(k), n, of, bad && how == 0 ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    text = FORMAT("k%u %08x", k, checksum(t, 512));
    return result;
}

static cudaError_t call_stream(void)
{
    cudaError_t result = cudaSuccess;

    if (bad)
        result = how == 0   ? cudaStreamCreateWithFlags(&stream, 6)
                 : how == 1 ? cudaStreamDestroy(0)
                 : how == 2 ? cudaStreamWaitEvent(stream, 0, 0)
                 : how == 3 ? cudaStreamDestroy(cudaStreamPerThread)
                 : how == 4 ? cudaStreamCreate(0)
                            : cudaStreamWaitEvent(stream, events[value & 3], 7);
    else {
        unsigned f = 77;
        int p = 77;
        result = cudaStreamDestroy(streams[stream_index & 3]);
        streams[stream_index & 3] = 0;
        cudaError_t q =
            cudaStreamCreateWithPriority(&streams[stream_index & 3], value & 1, -(int)(value % 8));
        cudaStreamGetFlags(streams[stream_index & 3], &f);
        cudaStreamGetPriority(streams[stream_index & 3], &p);
        text = FORMAT("%s f=%u p=%d", error_name(q), f, p);
    }
    return result;
}

static cudaError_t call_event_record(void)
{
    cudaError_t result = cudaSuccess;

    result = bad ? (how < 3 ? cudaEventRecord(0, stream)
                            : cudaEventRecordWithFlags(events[value & 3], stream, 5))
                 : cudaEventRecord(events[value & 3], stream);
    cudaError_t q = cudaStreamWaitEvent(stream_pick(first_offset % 7), events[value & 3], 0);
    text = error_name(q);
    return result;
}

static cudaError_t call_event(void)
{
    cudaError_t result = cudaSuccess;

    float ms = 0;
    result = bad       ? (how == 0   ? cudaEventQuery(0)
                          : how == 1 ? cudaEventElapsedTime(&ms, events[0], events[3])
                          : how == 2 ? cudaEventElapsedTime(0, events[0], events[1])
                          : how == 3 ? cudaEventDestroy(0)
                          : how == 4 ? cudaEventCreateWithFlags(&events[value & 3], 0x40)
                                     : cudaEventSynchronize(0))
             : how < 2 ? cudaEventSynchronize(events[value & 3])
             : how < 4 ? (cudaDeviceSynchronize(), cudaEventQuery(events[value & 3]))
                       : (cudaDeviceSynchronize(),
                          cudaEventElapsedTime(&ms, events[value % 3], events[(value + 1) % 3]));
    return result;
}

static cudaError_t call_array(void)
{
    cudaError_t result = cudaSuccess;

    unsigned k = value % 3;
    if (arrays[k].array)
        cudaFreeArray(arrays[k].array);
    arrays[k].array = 0;
    cudaChannelFormatDesc d =
        bad ? channel(how == 0 ? 7 : 8, how == 1 ? 16 : 0, how == 2 ? 8 : 0, 0, how == 3 ? 40 : 1)
            : channel(32, 0, 0, 0, how % 3);
    arrays[k].width = 4 + first_offset;
    arrays[k].height = bad && how == 4 ? 100000 : 1 + (second_offset & 31);
    if (bad && how == 5)
        result = cudaMallocArray(0, &d, 4, 4, 0);
    else
        result = cudaMallocArray(&arrays[k].array, &d, arrays[k].width, arrays[k].height, 0);
    if (result)
        arrays[k].array = 0;
    else if (bad) {
        cudaFreeArray(arrays[k].array);
        arrays[k].array = 0;
    } else {
        cudaMemcpy2DToArray(arrays[k].array, 0, 0, host_bytes, arrays[k].width * 4,
                            arrays[k].width * 4, arrays[k].height, cudaMemcpyHostToDevice);
    }
    text = out_state(arrays[k].array);
    return result;
}

static cudaError_t call_to_array(void)
{
    cudaError_t result = cudaSuccess;

    unsigned k = value % 3;
    if (!arrays[k].array) {
        result = cudaMemcpy2DToArray(0, 0, 0, host_bytes, 64, 64, 1, cudaMemcpyHostToDevice);
    } else {
        size_t w = 1 + first_offset % arrays[k].width, h = 1 + second_offset % arrays[k].height;
        result = bad ? cudaMemcpy2DToArray(
                           arrays[k].array, how == 0 ? arrays[k].width * 4 : 0,
                           how == 1 ? arrays[k].height : 0, how == 2 ? 0 : host_bytes,
                           how == 3 ? w * 4 - 1 : 512, how == 4 ? arrays[k].width * 4 + 4 : w * 4,
                           how == 5 ? arrays[k].height + 1 : h, cudaMemcpyHostToDevice)
                     : cudaMemcpy2DToArray(arrays[k].array, 0, 0, host_bytes + (value % 100) * 4,
                                           512, w * 4, h, cudaMemcpyHostToDevice);
        static char t[16384];
        memset(t, 0, sizeof t);
        cudaMemcpy2DFromArray(t, 512, arrays[k].array, 0, 0, arrays[k].width * 4, arrays[k].height,
                              cudaMemcpyDeviceToHost);
        text = FORMAT("%08x", checksum(t, sizeof t));
    }
    return result;
}

static cudaError_t call_copy_2d(void)
{
    cudaError_t result = cudaSuccess;

    size_t n = first->ptr && second->ptr && first != second
                   ? (first->size < second->size ? first->size : second->size)
                   : 0;
    size_t w = 1 + first_offset, h = n / 128;
    if (bad)
        result =
            how == 0   ? cudaMemcpy2D(first->ptr, 8, second->ptr, 128, 16, 2, cudaMemcpyDefault)
            : how == 1 ? cudaMemcpy2D(first->ptr, 128, second->ptr, 8, 16, 2, cudaMemcpyDefault)
            : how == 2 ? cudaMemcpy2D(0, 128, 0, 128, 16, 2, cudaMemcpyDefault)
            : how == 3 ? cudaMemcpy2D(first->ptr, 128, second->ptr, 128, 0, 2, cudaMemcpyDefault)
                       : cudaMemcpy2D(first->ptr, 128, second->ptr, 128, w, h, (cudaMemcpyKind)11);
    else
        result = cudaMemcpy2D(first->ptr, 128, second->ptr, 128, w, h, cudaMemcpyDefault);
    text = buffer_text(first);
    return result;
}

static cudaError_t call_pointer_attributes(void)
{
    cudaError_t result = cudaSuccess;

    int d = 77;
    unsigned f = 77;
    void *p = UNTOUCHED;
    result = bad       ? (how < 2   ? cudaHostGetFlags(&f, first->kind == 1 ? host_bytes : first->ptr)
                          : how < 4 ? cudaSetDevice((int)value + 1)
                                    : cudaPointerGetAttributes(0, first->ptr))
             : how < 2 ? cudaGetDevice(&d)
             : how < 4 ? cudaHostGetDevicePointer(&p, first->ptr, 0)
                       : cudaSetDevice(0);
    text = FORMAT("%s d=%d f=%u %s", first->ptr ? pointer_text(first->ptr) : "", d, f,
                  relative(p, first->ptr));
    return result;
}

static cudaError_t call_graph(void)
{
    cudaError_t result = cudaSuccess;

    if (bad) {
        cudaGraph_t g = 0;
        result = how < 2   ? cudaStreamEndCapture(streams[stream_index & 3], &g)
                 : how < 4 ? cudaStreamBeginCapture(
                                 how == 2 ? (cudaStream_t)0 : streams[stream_index & 3],
                                 how == 2 ? cudaStreamCaptureModeGlobal : (cudaStreamCaptureMode)9)
                           : cudaGraphInstantiate((cudaGraphExec_t *)&g, 0, 0);
        text = out_state(g);
    } else {
        cudaGraph_t g = 0;
        cudaGraphExec_t e = 0;
        cudaStream_t q = streams[stream_index & 3];
        int n = first->ptr && first->kind != 1 ? (int)(first->size / 4) : 0;
        cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
        launch_fill(dim3(40), dim3(256), 0, q, (int *)first->ptr, n, (int)value);
        if (how & 1)
            cudaMemsetAsync(first->ptr, 5, n, q);
        cudaError_t e1 = cudaStreamEndCapture(q, &g);
        cudaError_t e2 = cudaGraphInstantiate(&e, g, 0);
        result = cudaGraphLaunch(e, q);
        cudaStreamSynchronize(q);
        cudaGraphExecDestroy(e);
        cudaGraphDestroy(g);
        text = FORMAT("%s %s %s", error_name(e1), error_name(e2), buffer_text(first));
    }
    return result;
}

/* A call that stands twice is drawn twice as often. */
static const struct {
    const char *name;
    cudaError_t (*run)(void);
} operations[22] = {
    {"malloc", call_malloc},
    {"malloc", call_malloc},
    {"free", call_free},
    {"memcpy", call_copy},
    {"memcpy", call_copy},
    {"h2x", call_host_to_buffer},
    {"x2h", call_buffer_to_host},
    {"memset", call_memset},
    {"memset", call_memset},
    {"launch", call_launch_kernel},
    {"launch", call_launch_kernel},
    {"chevron", call_launch_syntax},
    {"tosym", call_to_symbol},
    {"fromsym", call_from_symbol},
    {"stream", call_stream},
    {"record", call_event_record},
    {"event", call_event},
    {"array", call_array},
    {"toarray", call_to_array},
    {"memcpy2d", call_copy_2d},
    {"attr", call_pointer_attributes},
    {"graph", call_graph},
};

static void operands_draw(void)
{
    bad = random_below(100) < 40;
    unsigned first_index = random_below(8);
    unsigned second_index = random_below(8);
    stream_index = random_below(7);
    how = random_below(6);
    value = random_below(1000);
    first_offset = random_below(64);
    second_offset = random_below(64);
    length = random_below(4096);
    stream = stream_pick(stream_index);
    first = &buffers[first_index];
    second = &buffers[second_index];
    text = "";
}

static void random_program(int seed)
{
    use_runtime();
    random_state = (uint32_t)seed * 2654435761u + 12345u;
    if (!random_state)
        random_state = 1;
    for (int i = 0; i < 20; i++)
        random_next();
    pattern_fill(host_bytes, sizeof host_bytes, (unsigned)seed);
    memset(buffers, 0, sizeof buffers);
    memset(arrays, 0, sizeof arrays);
    for (int i = 0; i < 4; i++) {
        streams[i] = stream_new(i & 1);
        events[i] = event_new(i == 3 ? 2 : 0);
    }
    for (int call = 0; call < 200; call++) {
        unsigned operation = random_below(22);
        operands_draw();
        cudaGetLastError();
        if (!case_start(FORMAT("%03d-%s%s", call, operations[operation].name, bad ? "-bad" : "")))
            continue;
        cudaError_t result = operations[operation].run();
        last_error_read();
        cudaError_t synced = cudaDeviceSynchronize();
        case_answer(result, FORMAT(" sync=%s %s", error_name(synced), text));
    }
}

__attribute__((constructor)) static void programs_register(void)
{
    for (int i = 1; i <= 60; i++) {
        char b[20];
        snprintf(b, 20, "fuzz/%02d", i);
        group_register_index(900, b, random_program, i);
    }
}
