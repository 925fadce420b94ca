/* SPDX-License-Identifier: MIT */
/* Work of the host (cupipe.h) under CUPIPE_CHECK: what it says to touch is compared with what other
 * work touches, and what it writes is initialised. */
#include "test.h"

#include "checked_streams.h"
#include "host_work.h"

static CUresult do_nothing(void *data)
{
    (void)data;
    return CUDA_SUCCESS;
}

static CUresult launch_named(CUstream stream, const char *name, CUdeviceptr memory, int written)
{
    struct cupipe_range range = {.address = memory, .bytes = BYTES, .written = written};
    struct cupipe_work work = {.name = name, .run = do_nothing, .ranges = &range, .range_count = 1};

    check(cupipe()->wants_ranges());
    CUresult result = cupipe()->launch_work(stream, &work);
    range = (struct cupipe_range){0}; /* it was copied */
    return result;
}

A_FUNCTION launch_writer(const struct world *world)
{
    check_success(launch_named(world->a, "aten::fill_", world->memory, 1));
}

A_FUNCTION launch_reader(const struct world *world)
{
    check_success(launch_named(world->b, "aten::sum", world->memory, 0));
}

static CUgraphExec end_capture(CUstream stream)
{
    CUgraph graph;

    check_success(cuStreamEndCapture(stream, &graph));
    return instantiate(graph);
}

static void run_two_streams(void)
{
    struct world world = begin();

    launch_writer(&world);
    if (is_right)
        follow(world.a, world.b);
    launch_reader(&world);
    finish();
}

/* Pending work of two streams that ends when both have begun. */
static _Atomic(struct cupipe_pending *) first_to_come;

static void begin_meeting(void *data, struct cupipe_pending *pending)
{
    struct cupipe_pending *other = atomic_exchange(&first_to_come, pending);

    (void)data;
    if (!other)
        return;
    cupipe()->finish_work(other, CUDA_SUCCESS);
    cupipe()->finish_work(pending, CUDA_SUCCESS);
}

static void run_meeting(void)
{
    struct world world = begin();
    struct cupipe_pending_work work = {
        .work.name = "meeting", .begin = begin_meeting, .meeting = is_right ? 77 : 0};

    first_to_come = NULL;
    launch_writer(&world);
    check_success(cupipe()->launch_pending_work(world.a, &work));
    check_success(cupipe()->launch_pending_work(world.b, &work));
    launch_reader(&world);
    finish();
}

TEST(streams_that_meet_are_ordered)
{
    check_both(run_meeting, "touch the same 4096 bytes at 0x");
}

TEST(work_of_two_streams_is_compared)
{
    check_both(run_two_streams, "touch the same 4096 bytes at 0x");
    is_right = false;
    struct told *told = told_well_by(run_two_streams);
    check_says(told, "  written by host work aten::fill_, in stream 0x");
    check_says(told, "  read by host work aten::sum, in stream 0x");
    check_says_next(told, "without an order", "  launched by cupipe launch_work, called from",
                    "launch_writer");
    free(told);
}

/* Reads do not conflict. */
static void run_readers(void)
{
    struct world world = begin();

    check_success(launch_named(world.a, "aten::sum", world.memory, 0));
    launch_reader(&world);
    finish();
}

TEST(reads_need_no_order)
{
    struct told *told = told_well_by(run_readers);

    check_does_not_say(told, "CUPIPE_CHECK");
    free(told);
}

/* Unlike a host function, work does not make the host wait for what comes before it. */
static void run_write_from_the_host(void)
{
    struct world world = begin();
    struct cupipe_work work = {.name = "nothing", .run = do_nothing};

    launch_writer(&world);
    check_success(cupipe()->launch_work(world.a, &work));
    if (is_right)
        check_success(cuStreamSynchronize(world.a));
    read_then(&world);
    finish();
}

TEST(work_is_no_wait_of_the_host)
{
    check_both(run_write_from_the_host, "  written by host work aten::fill_");
}

static void run_at_once(void)
{
    struct world world = begin();
    struct cupipe_range range = {.address = world.memory, .bytes = BYTES, .written = 1};
    struct cupipe_work work = {
        .name = "aten::zero_", .run = do_nothing, .ranges = &range, .range_count = 1};

    write_first(&world);
    if (is_right)
        follow(world.a, world.b);
    while (cupipe()->run_work(world.b, &work) == CUDA_ERROR_NOT_READY && is_right)
        nap();
    finish();
}

TEST(work_in_the_caller_is_compared)
{
    is_right = true;
    struct told *told = told_well_by(run_at_once);
    check_does_not_say(told, "CUPIPE_CHECK");
    free(told);
    is_right = false;
    told = told_well_by(run_at_once);
    check_says(told, "  written by host work aten::zero_, in stream 0x");
    check_says_next(told, "without an order", "  launched by cupipe run_work, called from",
                    "run_at_once");
    free(told);
}

/* Nodes of a graph: in branches of one graph, and against other work. */
static void run_branches(void)
{
    volatile int launches = 3; /* unrolled, the call would be one of three places */
    struct world world = begin();

    check_success(cuStreamBeginCapture(world.a, CU_STREAM_CAPTURE_MODE_RELAXED));
    follow(world.a, world.b);
    launch_writer(&world);
    if (is_right)
        follow(world.a, world.b);
    launch_reader(&world);
    follow(world.b, world.a);
    CUgraphExec exec = end_capture(world.a);
    for (int i = 0; i < launches; i++)
        check_success(cuGraphLaunch(exec, world.a));
    finish();
}

TEST(branches_of_a_graph_are_compared)
{
    check_both(run_branches, "  read by host work aten::sum");
}

static void run_graph_and_stream(void)
{
    struct world world = begin();

    check_success(cuStreamBeginCapture(world.a, CU_STREAM_CAPTURE_MODE_RELAXED));
    launch_writer(&world);
    check_success(cuGraphLaunch(end_capture(world.a), world.a));
    if (is_right)
        follow(world.a, world.b);
    launch_reader(&world);
    finish();
}

TEST(a_graph_is_compared_with_a_stream)
{
    check_both(run_graph_and_stream, "  written by host work aten::fill_");
}

/* Suppressions. */
static void run_suppressed(void)
{
    setenv("CUPIPE_CHECK_SUPPRESS", getenv("TEST_RULES"), 1);
    run_two_streams();
}

TEST(a_suppression_names_the_work)
{
    char path[] = "/tmp/cupipe-rules-XXXXXX";
    int file = mkstemp(path);

    check(file >= 0 && dprintf(file, "streams kernel=aten::*\n") > 0);
    close(file);
    setenv("TEST_RULES", path, 1);
    is_right = false;
    struct told *told = told_well_by(run_suppressed);
    check_does_not_say(told, "without an order");
    unlink(path);
    free(told);
}

/* CUPIPE_CHECK=init. */

static const char ptx_read[] = PTX_HEAD ".visible .entry total(.param .u64 in, .param .u64 out)\n"
                                        "{\n"
                                        "    .reg .b32 %r<3>;\n"
                                        "    .reg .b64 %rd<6>;\n"
                                        "    ld.param.u64 %rd1, [in];\n"
                                        "    ld.param.u64 %rd2, [out];\n"
                                        "    mov.u32 %r1, %tid.x;\n"
                                        "    mul.wide.u32 %rd3, %r1, 4;\n"
                                        "    add.u64 %rd4, %rd1, %rd3;\n"
                                        "    add.u64 %rd5, %rd2, %rd3;\n"
                                        "    ld.global.u32 %r2, [%rd4];\n"
                                        "    st.global.u32 [%rd5], %r2;\n"
                                        "    ret;\n"
                                        "}\n";

enum { AT_ONCE, QUEUED, IN_GRAPH, UNTOLD };

static int how;

static void write_by_work(CUstream stream, CUdeviceptr memory)
{
    struct cupipe_range range = {.address = memory, .bytes = BYTES, .written = 1};
    struct cupipe_work work = {
        .name = "aten::ones", .run = do_nothing, .ranges = &range, .range_count = 1};

    check(cupipe()->wants_ranges());
    if (how == UNTOLD)
        work.range_count = 0;
    if (how == AT_ONCE) {
        check_success(cupipe()->run_work(stream, &work));
        return;
    }
    if (how == IN_GRAPH)
        check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(cupipe()->launch_work(stream, &work));
    if (how != IN_GRAPH)
        return;
    check_success(cuGraphLaunch(end_capture(stream), stream));
}

static void run_kernel_that_reads(void)
{
    CUdeviceptr in, out;
    CUfunction total;
    CUmodule module;

    with_check("init");
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&in, BYTES));
    check_success(cuMemAlloc(&out, BYTES));
    check_success(cuModuleLoadData(&module, ptx_read));
    check_success(cuModuleGetFunction(&total, module, "total"));
    write_by_work(stream, in);
    void *parameters[] = {&in, &out};
    check_success(cuLaunchKernel(total, 1, 1, 1, WORDS, 1, 1, 0, stream, parameters, NULL));
    finish();
}

TEST(what_work_writes_is_initialised)
{
    for (how = AT_ONCE; how <= UNTOLD; how++) {
        struct told *told = told_well_by(run_kernel_that_reads);
        if (how == UNTOLD)
            check_says(told, "nothing had written");
        else
            check_does_not_say(told, "CUPIPE_CHECK");
        free(told);
    }
}

/* The trace has the names. */
static void run_traced(void)
{
    struct cupipe_work work = {.name = "aten::matmul", .run = do_nothing};

    with_context();
    only_cupipe();
    check_success(cupipe()->launch_work(NULL, &work));
    finish();
}

TEST(the_trace_names_work)
{
    char path[] = "/tmp/cupipe-trace-XXXXXX", text[1 << 16] = "";
    int file = mkstemp(path);

    check(file >= 0);
    setenv("CUPIPE_TRACE", path, 1);
    free(told_well_by(run_traced));
    check(read(file, text, sizeof(text) - 1) > 0);
    check(strstr(text, "aten::matmul") && strstr(text, "cupipe launch_work"));
    close(file);
    unlink(path);
}
