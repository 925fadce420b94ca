/* SPDX-License-Identifier: MIT */
/* Functions of the host in a stream: those of cuLaunchHostFunc, and the work of cupipe.h. Another
 * driver has only the first. */
#include "bench.h"

#include <cupipe.h>
#include <cupipe_table.h>

#include <stdio.h>

enum { CHAIN = 10000 };

static CUstream stream;
static const struct cupipe_driver_table *table;
static CUgraphExec exec;

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static CUresult work_run(void *data)
{
    (void)data;
    return CUDA_SUCCESS;
}

static const struct cupipe_work work = {.name = "nothing", .run = work_run};

static void launch_functions(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < row->calls; j++)
            must(cuLaunchHostFunc(stream, do_nothing, NULL));
        must(cuStreamSynchronize(stream));
    }
}

static void launch_works(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < row->calls; j++)
            must(table->launch_work(stream, &work));
        must(cuStreamSynchronize(stream));
    }
}

static void run_works(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        while (table->run_work(stream, &work) == CUDA_ERROR_NOT_READY)
            ; /* work of the row before is just ending */
    }
}

static void launch_graph(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        must(cuGraphLaunch(exec, stream));
        must(cuStreamSynchronize(stream));
    }
}

static void instantiate(const struct bench_row *row)
{
    CUgraph graph;

    must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (size_t i = 0; i < row->calls; i++)
        must(table->launch_work(stream, &work));
    must(cuStreamEndCapture(stream, &graph));
    must(cuGraphInstantiate(&exec, graph, 0));
    must(cuGraphDestroy(graph));
}

static struct bench_result measure(const struct bench_row *row)
{
    static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
    struct cupipe_refusal why;
    struct bench_result result = {0};

    table = cupipe_find_table(cuGetExportTable, &id, sizeof(*table), &why);
    if (!table && row->run != launch_functions) {
        snprintf(result.note, sizeof(result.note), "the driver is not cupipe's");
        return result;
    }
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    if (row->run == launch_graph)
        instantiate(row);
    result = bench_against_malloc(row);
    if (row->run == launch_graph)
        must(cuGraphExecDestroy(exec));
    must(cuStreamDestroy(stream));
    return result;
}

#define ROW .reference = "M", .unit = BENCH_NS, .measure = measure

const struct bench_row bench_host_work_rows[] = {
    {"10,000 host functions, each", ROW, .run = launch_functions, .calls = CHAIN},
    {"10,000 works of the host, each", ROW, .run = launch_works, .goal = BENCH_VALUE_AT_MOST,
     .limit = 1000, .calls = CHAIN},
    {"10,000 works in a graph, each", ROW, .run = launch_graph, .calls = CHAIN},
    {"host function and cuStreamSynchronize", ROW, .run = launch_functions, .calls = 1},
    {"work of the host and cuStreamSynchronize", ROW, .run = launch_works, .calls = 1},
    {"work of the host run at once", ROW, .run = run_works, .goal = BENCH_VALUE_AT_MOST,
     .limit = 200},
    {.name = NULL},
};
