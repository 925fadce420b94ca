/* SPDX-License-Identifier: MIT */
/* Random calls; seeds 31..60 are kept apart as held-out cases. */
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
    for (int c = 0; c < 200; c++) {
        unsigned op = random_below(22), bad = random_below(100);
        bad = bad < 40;
        unsigned i = random_below(8), j = random_below(8), s_ = random_below(7),
                 how = random_below(6), v = random_below(1000), o1 = random_below(64),
                 o2 = random_below(64), ln = random_below(4096);
        cudaStream_t s = stream_pick(s_);
        struct buffer *a = &buffers[i], *b = &buffers[j];
        char nm[40];
        cudaError_t r = (cudaError_t)0;
        const char *x = "";
        cudaGetLastError();
#define CASE(n, ...)                                                                               \
    snprintf(nm, sizeof nm, "%03d-" n "%s", c, bad ? "-bad" : "");                                 \
    if (case_start(nm)) {                                                                          \
        __VA_ARGS__;                                                                               \
        last_error_read();                                                                         \
        cudaError_t q_ = cudaDeviceSynchronize();                                                  \
        case_answer(r, FORMAT(" sync=%s %s", error_name(q_), x));                                  \
    }                                                                                              \
    break
        switch (op) {
        case 0:
        case 1:
            CASE(
                "malloc",
                if (a->ptr) {
                    buffer_free(a);
                    a->ptr = 0;
                } if (bad) {
                    r = how == 0   ? cudaMalloc(0, v)
                        : how == 1 ? cudaMalloc(&a->ptr, 0)
                        : how == 2 ? cudaHostAlloc(&a->ptr, 64, 0x40)
                        : how == 3 ? cudaMallocManaged(&a->ptr, 64, 0x40)
                        : how == 4 ? cudaMalloc(&a->ptr, 1ull << 50)
                                   : cudaMallocManaged(&a->ptr, 0, 1);
                    x = out_state(a->ptr);
                    a->ptr = 0;
                    a->size = 0;
                } else {
                    r = buffer_create(a, how & 3, 64 + ln * 4);
                    x = out_state(a->ptr);
                });
        case 2:
            CASE(
                "free",
                if (bad) {
                    if (how == 0)
                        r = cudaFree(GARBAGE_ADDRESS);
                    else if (how == 1)
                        r = a->ptr ? cudaFree((char *)a->ptr + 1) : cudaFree((void *)8);
                    else if (how == 2)
                        r = cudaFreeHost(host_bytes);
                    else if (how == 3 && a->ptr && a->kind == 0) {
                        cudaFree(a->ptr);
                        r = cudaFree(a->ptr);
                        a->ptr = 0;
                    } else
                        r = cudaFreeAsync(0, s);
                } else {
                    r = a->ptr ? buffer_free(a) : cudaFree(0);
                    a->ptr = 0;
                });
        case 3:
        case 4:
            CASE(
                "memcpy", size_t n = a->ptr && b->ptr ? (a->size < b->size ? a->size : b->size) : 0;
                if (a == b) n = n / 2; size_t so = n > 200 ? o1 : 0; size_t dn = a == b ? n : 0;
                n = n > so ? n - so : 0; if (bad) {
                    r = how == 0   ? cudaMemcpy(a->ptr, b->ptr, n, (cudaMemcpyKind)(7 + v % 5))
                        : how == 1 ? cudaMemcpy(0, b->ptr, 16, cudaMemcpyDefault)
                        : how == 2 ? cudaMemcpy(a->ptr, 0, 16, cudaMemcpyDefault)
                        : how == 3 ? cudaMemcpy(a->ptr, b->ptr, 0, cudaMemcpyDefault)
                        : how == 4 ? cudaMemcpy(0, 0, 0, (cudaMemcpyKind)-1)
                                   : cudaMemcpyPeer(a->ptr, 3, b->ptr, 0, n);
                } else r = how & 1 ? cudaMemcpyAsync((char *)a->ptr + dn, (char *)b->ptr + so, n,
                                                     cudaMemcpyDefault, s)
                                   : cudaMemcpy((char *)a->ptr + dn, (char *)b->ptr + so, n,
                                                cudaMemcpyDefault);
                x = buffer_text(a));
        case 5:
            CASE("h2x", size_t n = a->ptr ? (ln < a->size ? ln : a->size) : 0;
                 r = bad ? (how < 3 ? cudaMemcpy(a->ptr, host_bytes, n,
                                                 a->kind == 0 ? cudaMemcpyDeviceToHost
                                                              : (cudaMemcpyKind)9)
                                    : cudaMemcpy(0, host_bytes, 5, cudaMemcpyHostToDevice))
                         : cudaMemcpyAsync(
                               a->ptr, host_bytes + o1, n,
                               a->kind == 1 ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice, s);
                 x = buffer_text(a));
        case 6:
            CASE("x2h", static char t[20000]; memset(t, 0, sizeof t);
                 size_t n = a->ptr ? (ln < a->size ? ln : a->size) : 0;
                 r = bad ? cudaMemcpy(how < 3 ? (void *)0 : t, a->ptr, n,
                                      (cudaMemcpyKind)(how < 3 ? 2 : 8))
                         : cudaMemcpy(t + o1, a->ptr, n,
                                      a->kind == 1 ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost);
                 x = FORMAT("%08x", checksum(t, sizeof t)));
        case 7:
        case 8:
            CASE("memset", size_t n = a->ptr ? (ln + o1 < a->size ? ln : 0) : 0;
                 if (bad) r = how == 0   ? cudaMemset(0, 1, 16)
                              : how == 1 ? cudaMemset(host_bytes, 1, 16)
                              : how == 2 ? cudaMemset2D(a->ptr, 4, 1, 8, 2)
                              : how == 3 ? cudaMemset(GARBAGE_ADDRESS, 0, 0)
                              : how == 4 ? cudaMemset2D(0, 0, 0, 0, 0)
                                         : cudaMemset3D(pitched(0, 16, 16, 2), 1, extent(8, 2, 2));
                 else r = n ? (how & 1  ? cudaMemsetAsync((char *)a->ptr + o1, (int)v, n, s)
                               : n > 64 ? cudaMemset2D((char *)a->ptr + o1, 32, (int)v,
                                                       16 + (v & 15), n / 64)
                                        : cudaMemset((char *)a->ptr + o1, (int)v, n))
                            : cudaMemset(a->ptr, 0, 0);
                 x = buffer_text(a));
        case 9:
        case 10:
            CASE(
                "launch", int *p = (int *)a->ptr; int n = a->ptr ? (int)(a->size / 4) : 0;
                int vv = (int)v; void *args[3] = {&p, &n, &vv};
                dim3 g((n + 127) / 128 ? (n + 127) / 128 : 1), bl(128); size_t sh = 0;
                const void *f = how & 1 ? (void *)k_add : (void *)k_fill; if (bad) {
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
                } r = cudaLaunchKernel(f, g, bl, args, sh, s);
                x = buffer_text(a));
        case 11:
            CASE("chevron", int n = a->ptr ? (int)(a->size / 4) : 0;
                 launch_fill(dim3(bad && how < 2 ? 0 : 40), dim3(bad && how > 3 ? 2048 : 256),
                             bad && how == 2 ? 1 << 20 : 0, s, (int *)a->ptr, n, (int)v);
                 r = cudaPeekAtLastError(); x = buffer_text(a));
        case 12:
            CASE("tosym", unsigned k = v % SYMBOL_COUNT;
                 static const size_t z[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4};
                 size_t n = 1 + ln % (z[k] < 512 ? z[k] : 512),
                 of = bad ? z[k] - n + 1 + o1 : (z[k] - n) / 2;
                 r = bad && how == 5
                         ? cudaMemcpyToSymbol(host_bytes, host_bytes, 4, 0, cudaMemcpyHostToDevice)
                         : cudaMemcpyToSymbol(symbol(k), host_bytes + o2, n, of,
                                              cudaMemcpyHostToDevice);
                 x = FORMAT("k%u", k));
        case 13:
            CASE("fromsym", unsigned k = v % SYMBOL_COUNT;
                 static const size_t z[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4}; char t[512];
                 memset(t, 0, 512);
                 size_t n = 1 + ln % (z[k] < 512 ? z[k] : 512), of = bad ? z[k] - n + 1 + o1 : 0;
                 r = cudaMemcpyFromSymbol(t, symbol(k), n, of,
                                          bad && how == 0 ? cudaMemcpyHostToDevice
                                                          : cudaMemcpyDeviceToHost);
                 x = FORMAT("k%u %08x", k, checksum(t, 512)));
        case 14:
            CASE(
                "stream", if (bad) r = how == 0   ? cudaStreamCreateWithFlags(&s, 6)
                                       : how == 1 ? cudaStreamDestroy(0)
                                       : how == 2 ? cudaStreamWaitEvent(s, 0, 0)
                                       : how == 3 ? cudaStreamDestroy(cudaStreamPerThread)
                                       : how == 4 ? cudaStreamCreate(0)
                                                  : cudaStreamWaitEvent(s, events[v & 3], 7);
                else {
                    unsigned f = 77;
                    int p = 77;
                    r = cudaStreamDestroy(streams[s_ & 3]);
                    streams[s_ & 3] = 0;
                    cudaError_t q =
                        cudaStreamCreateWithPriority(&streams[s_ & 3], v & 1, -(int)(v % 8));
                    cudaStreamGetFlags(streams[s_ & 3], &f);
                    cudaStreamGetPriority(streams[s_ & 3], &p);
                    x = FORMAT("%s f=%u p=%d", error_name(q), f, p);
                });
        case 15:
            CASE("record", r = bad ? (how < 3 ? cudaEventRecord(0, s)
                                              : cudaEventRecordWithFlags(events[v & 3], s, 5))
                                   : cudaEventRecord(events[v & 3], s);
                 cudaError_t q = cudaStreamWaitEvent(stream_pick(o1 % 7), events[v & 3], 0);
                 x = error_name(q));
        case 16:
            CASE("event", float ms = 0;
                 r = bad       ? (how == 0   ? cudaEventQuery(0)
                                  : how == 1 ? cudaEventElapsedTime(&ms, events[0], events[3])
                                  : how == 2 ? cudaEventElapsedTime(0, events[0], events[1])
                                  : how == 3 ? cudaEventDestroy(0)
                                  : how == 4 ? cudaEventCreateWithFlags(&events[v & 3], 0x40)
                                             : cudaEventSynchronize(0))
                     : how < 2 ? cudaEventSynchronize(events[v & 3])
                     : how < 4 ? (cudaDeviceSynchronize(), cudaEventQuery(events[v & 3]))
                               : (cudaDeviceSynchronize(),
                                  cudaEventElapsedTime(&ms, events[v % 3], events[(v + 1) % 3])));
        case 17:
            CASE(
                "array", unsigned k = v % 3; if (arrays[k].array) cudaFreeArray(arrays[k].array);
                arrays[k].array = 0;
                cudaChannelFormatDesc d = bad ? channel(how == 0 ? 7 : 8, how == 1 ? 16 : 0,
                                                        how == 2 ? 8 : 0, 0, how == 3 ? 40 : 1)
                                              : channel(32, 0, 0, 0, how % 3);
                arrays[k].width = 4 + o1;
                arrays[k].height = bad && how == 4 ? 100000 : 1 + (o2 & 31);
                if (bad && how == 5) r = cudaMallocArray(0, &d, 4, 4, 0);
                else r =
                    cudaMallocArray(&arrays[k].array, &d, arrays[k].width, arrays[k].height, 0);
                if (r) arrays[k].array = 0; else if (bad) {
                    cudaFreeArray(arrays[k].array);
                    arrays[k].array = 0;
                } else {
                    cudaMemcpy2DToArray(arrays[k].array, 0, 0, host_bytes, arrays[k].width * 4,
                                        arrays[k].width * 4, arrays[k].height,
                                        cudaMemcpyHostToDevice);
                } x = out_state(arrays[k].array));
        case 18:
            CASE(
                "toarray", unsigned k = v % 3; if (!arrays[k].array) {
                    r = cudaMemcpy2DToArray(0, 0, 0, host_bytes, 64, 64, 1, cudaMemcpyHostToDevice);
                } else {
                    size_t w = 1 + o1 % arrays[k].width, h = 1 + o2 % arrays[k].height;
                    r = bad ? cudaMemcpy2DToArray(
                                  arrays[k].array, how == 0 ? arrays[k].width * 4 : 0,
                                  how == 1 ? arrays[k].height : 0, how == 2 ? 0 : host_bytes,
                                  how == 3 ? w * 4 - 1 : 512,
                                  how == 4 ? arrays[k].width * 4 + 4 : w * 4,
                                  how == 5 ? arrays[k].height + 1 : h, cudaMemcpyHostToDevice)
                            : cudaMemcpy2DToArray(arrays[k].array, 0, 0, host_bytes + (v % 100) * 4,
                                                  512, w * 4, h, cudaMemcpyHostToDevice);
                    static char t[16384];
                    memset(t, 0, sizeof t);
                    cudaMemcpy2DFromArray(t, 512, arrays[k].array, 0, 0, arrays[k].width * 4,
                                          arrays[k].height, cudaMemcpyDeviceToHost);
                    x = FORMAT("%08x", checksum(t, sizeof t));
                });
        case 19:
            CASE("memcpy2d", size_t n = a->ptr && b->ptr && a != b
                                            ? (a->size < b->size ? a->size : b->size)
                                            : 0;
                 size_t w = 1 + o1, h = n / 128;
                 if (bad) r =
                     how == 0   ? cudaMemcpy2D(a->ptr, 8, b->ptr, 128, 16, 2, cudaMemcpyDefault)
                     : how == 1 ? cudaMemcpy2D(a->ptr, 128, b->ptr, 8, 16, 2, cudaMemcpyDefault)
                     : how == 2 ? cudaMemcpy2D(0, 128, 0, 128, 16, 2, cudaMemcpyDefault)
                     : how == 3 ? cudaMemcpy2D(a->ptr, 128, b->ptr, 128, 0, 2, cudaMemcpyDefault)
                                : cudaMemcpy2D(a->ptr, 128, b->ptr, 128, w, h, (cudaMemcpyKind)11);
                 else r = cudaMemcpy2D(a->ptr, 128, b->ptr, 128, w, h, cudaMemcpyDefault);
                 x = buffer_text(a));
        case 20:
            CASE("attr", int d = 77; unsigned f = 77; void *p = UNTOUCHED;
                 r = bad       ? (how < 2   ? cudaHostGetFlags(&f, a->kind == 1 ? host_bytes : a->ptr)
                                  : how < 4 ? cudaSetDevice((int)v + 1)
                                            : cudaPointerGetAttributes(0, a->ptr))
                     : how < 2 ? cudaGetDevice(&d)
                     : how < 4 ? cudaHostGetDevicePointer(&p, a->ptr, 0)
                               : cudaSetDevice(0);
                 x = FORMAT("%s d=%d f=%u %s", a->ptr ? pointer_text(a->ptr) : "", d, f,
                            relative(p, a->ptr)));
        default:
            CASE(
                "graph",
                if (bad) {
                    cudaGraph_t g = 0;
                    r = how < 2 ? cudaStreamEndCapture(streams[s_ & 3], &g)
                        : how < 4
                            ? cudaStreamBeginCapture(how == 2 ? (cudaStream_t)0 : streams[s_ & 3],
                                                     how == 2 ? cudaStreamCaptureModeGlobal
                                                              : (cudaStreamCaptureMode)9)
                            : cudaGraphInstantiate((cudaGraphExec_t *)&g, 0, 0);
                    x = out_state(g);
                } else {
                    cudaGraph_t g = 0;
                    cudaGraphExec_t e = 0;
                    cudaStream_t q = streams[s_ & 3];
                    int n = a->ptr && a->kind != 1 ? (int)(a->size / 4) : 0;
                    cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
                    launch_fill(dim3(40), dim3(256), 0, q, (int *)a->ptr, n, (int)v);
                    if (how & 1)
                        cudaMemsetAsync(a->ptr, 5, n, q);
                    cudaError_t e1 = cudaStreamEndCapture(q, &g);
                    cudaError_t e2 = cudaGraphInstantiate(&e, g, 0);
                    r = cudaGraphLaunch(e, q);
                    cudaStreamSynchronize(q);
                    cudaGraphExecDestroy(e);
                    cudaGraphDestroy(g);
                    x = FORMAT("%s %s %s", error_name(e1), error_name(e2), buffer_text(a));
                });
        }
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
