/* SPDX-License-Identifier: MIT */
/* Random graphs of copies, fills and kernels against a model that does the same one after the
 * other. Work on the same piece of memory is ordered by edges; everything else may run in any order
 * and at once. Consecutive pieces of work are sometimes put into a child graph. CUPIPE_TEST_SEED
 * repeats a run, CUPIPE_TEST_LONG makes it long. */
#include "graphs.h"

enum { PIECES = 24, WORDS = 96, WORK_MAX = 60 };

struct work {
    enum { FILL32, FILL16, FILL8, COPY, SCALE, MIX, WORK_KINDS } kind;
    unsigned to, from, value, words;
};

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static struct work draw_work(void)
{
    struct work work = {.kind = draw(WORK_KINDS), .to = draw(PIECES), .value = draw(1000)};

    work.from = (work.to + 1 + draw(PIECES - 1)) % PIECES;
    work.words = draw(3) ? WORDS : 1 + draw(WORDS);
    return work;
}

static bool reads(const struct work *work)
{
    return work->kind == COPY || work->kind == MIX;
}

static bool conflict(const struct work *a, const struct work *b)
{
    return a->to == b->to || (reads(a) && a->from == b->to) || (reads(b) && b->from == a->to);
}

static void model(uint32_t memory[PIECES][WORDS], const struct work *work)
{
    uint32_t *to = memory[work->to];
    const uint32_t *from = memory[work->from];

    for (unsigned i = 0; i < work->words; i++) {
        if (work->kind == FILL32)
            to[i] = work->value;
        else if (work->kind == COPY)
            to[i] = from[i];
        else if (work->kind == SCALE)
            to[i] = to[i] * work->value + 1;
        else if (work->kind == MIX)
            to[i] += from[i] * work->value;
        else if (work->kind == FILL16)
            ((uint16_t *)to)[i] = (uint16_t)work->value;
        else
            ((uint8_t *)to)[i] = (uint8_t)work->value;
    }
}

static CUgraphNode add_work(CUgraph graph, const CUgraphNode *before, size_t count,
                            const struct graph_functions *functions, CUdeviceptr memory,
                            const struct work *work)
{
    CUdeviceptr to = memory + work->to * WORDS * 4, from = memory + work->from * WORDS * 4;
    unsigned words = work->words, value = work->value;
    void *arguments[] = {&to, &from, &words, &value};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(functions->mix, arguments, words);
    CUgraphNode node;

    switch (work->kind) {
    case FILL32:
        return add_fill(graph, before, count, to, value, 4, words);
    case FILL16:
        return add_fill(graph, before, count, to, value, 2, words);
    case FILL8:
        return add_fill(graph, before, count, to, value & 0xff, 1, words);
    case COPY:
        return add_copy(graph, before, count, to, from, words * 4);
    case SCALE:
        return add_scale(graph, before, count, functions->scale, to, words, value);
    default:
        check_success(cuGraphAddKernelNode(&node, graph, before, count, &params));
        return node;
    }
}

/* Adds work [first, last) to a graph: each piece behind those of the same graph it is in conflict
 * with, and behind some others. Answers the nodes. */
static void build(CUgraph graph, const struct graph_functions *functions, CUdeviceptr memory,
                  const struct work *works, unsigned count, CUgraphNode *nodes)
{
    for (unsigned i = 0; i < count; i++) {
        CUgraphNode given[WORK_MAX], later[WORK_MAX];
        size_t given_count = 0, later_count = 0;
        for (unsigned j = 0; j < i; j++) {
            if (!conflict(&works[i], &works[j]) && draw(12))
                continue;
            if (draw(2))
                given[given_count++] = nodes[j];
            else
                later[later_count++] = nodes[j];
        }
        nodes[i] = add_work(graph, given, given_count, functions, memory, &works[i]);
        for (size_t j = 0; j < later_count; j++)
            check_success(cuGraphAddDependencies(graph, &later[j], &nodes[i], NULL, 1));
    }
}

/* Parts of the work, each in the graph itself or in a child of it; a part comes behind the ends of
 * the one before it. */
static CUgraph build_parts(const struct graph_functions *functions, CUdeviceptr memory,
                           const struct work *works, unsigned count)
{
    CUgraph graph = new_graph();
    CUgraphNode last = NULL, nodes[WORK_MAX];

    for (unsigned first = 0, next; first < count; first = next) {
        CUgraph part = new_graph();
        next = first + 1 + draw(count - first);
        build(part, functions, memory, works + first, next - first, nodes);
        if (draw(4) == 0) {
            CUgraph outer = new_graph();
            CUgraphNode inner;
            check_success(cuGraphAddChildGraphNode(&inner, outer, NULL, 0, part));
            check_success(cuGraphDestroy(part));
            part = outer;
        }
        if (first == 0 && next == count && draw(2)) {
            check_success(cuGraphDestroy(graph));
            return part;
        }
        check_success(
            cuGraphAddChildGraphNode(&last, graph, last ? &last : NULL, last != NULL, part));
        check_success(cuGraphDestroy(part));
    }
    return graph;
}

static void check_once(const struct graph_functions *functions, CUdeviceptr memory,
                       CUstream streams[2])
{
    static uint32_t expected[PIECES][WORDS], found[PIECES][WORDS];
    struct work works[WORK_MAX];
    unsigned count = 1 + draw(WORK_MAX), launches = 1 + draw(3);

    for (unsigned i = 0; i < count; i++)
        works[i] = draw_work();
    for (unsigned i = 0; i < PIECES * WORDS; i++)
        expected[i / WORDS][i % WORDS] = draw(1u << 31);
    check_success(cuMemcpyHtoD(memory, expected, sizeof(expected)));
    check_success(cuCtxSynchronize());
    CUgraph graph = build_parts(functions, memory, works, count);
    CUgraphExec exec = executable(graph);
    if (draw(2))
        check_success(cuGraphDestroy(graph));
    for (unsigned launch = 0; launch < launches; launch++) {
        check_success(cuGraphLaunch(exec, streams[draw(2)]));
        for (unsigned i = 0; i < count; i++)
            model(expected, &works[i]);
    }
    if (draw(2))
        check_success(cuGraphExecDestroy(exec));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(found, memory, sizeof(found)));
    for (unsigned i = 0; i < PIECES * WORDS; i++) {
        if (expected[i / WORDS][i % WORDS] != found[i / WORDS][i % WORDS])
            test_fail(__FILE__, __LINE__, "piece %u word %u: %u, not %u", i / WORDS, i % WORDS,
                      found[i / WORDS][i % WORDS], expected[i / WORDS][i % WORDS]);
    }
}

TEST(random_graphs_do_what_their_edges_say)
{
    const char *seed = getenv("CUPIPE_TEST_SEED");
    unsigned rounds = getenv("CUPIPE_TEST_LONG") ? 20000 : 100;

    with_context();
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr memory = device_words(PIECES * WORDS);
    CUstream streams[2] = {new_stream(CU_STREAM_NON_BLOCKING), new_stream(CU_STREAM_DEFAULT)};
    for (unsigned round = 0; round < rounds; round++) {
        random_state = seed ? strtoull(seed, NULL, 0) : round + 1;
        check_once(&functions, memory, streams);
    }
}
