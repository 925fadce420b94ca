/* SPDX-License-Identifier: MIT */
/* Calls in graphs. Where a call begins in the sequence is settled when it is captured; the states
 * of a generator's threads, where it has some, go on with each launch. */
#include "curand_test.h"

enum { COUNT = 1000, LAUNCHES = 3 };

/* Begins with a call that makes the state, and captures a second one. */
static CUgraphExec capture(curandGenerator_t generator, CUstream stream, uint32_t *memory)
{
    CUgraph graph;
    CUgraphExec exec;

    check_done(curandSetStream(generator, (cudaStream_t)stream));
    check_done(curandGenerate(generator, memory, COUNT));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_done(curandGenerate(generator, memory, COUNT));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_success(cuGraphDestroy(graph));
    return exec;
}

static void check_words(CUstream stream, const uint32_t *memory, const uint32_t *expected)
{
    uint32_t words[COUNT];

    check_success(cuStreamSynchronize(stream));
    fetch(words, memory, sizeof(words));
    check(memcmp(words, expected, sizeof(words)) == 0);
}

/* Each launch makes what comes `distance` words behind the launch before it. */
static void check_launches(curandRngType_t type, curandOrdering_t ordering, size_t distance)
{
    size_t length = 2 * COUNT + LAUNCHES * distance + COUNT;
    uint32_t *expected = malloc(length * 4), *memory = device_memory(length * 4);
    curandGenerator_t plain = create(true, type), generator = create(true, type);
    CUgraphExec exec;
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(curandSetGeneratorOrdering(plain, ordering));
    check_done(curandSetGeneratorOrdering(generator, ordering));
    check_done(curandGenerate(plain, memory, length));
    check_success(cuCtxSynchronize());
    fetch(expected, memory, length * 4);
    exec = capture(generator, stream, memory);
    for (size_t i = 0; i < LAUNCHES; i++) {
        check_success(cuGraphLaunch(exec, stream));
        check_words(stream, memory, expected + COUNT + i * distance);
    }
    check_done(curandGenerate(generator, memory, COUNT));
    check_words(stream, memory, expected + 2 * COUNT);
    check_success(cuGraphExecDestroy(exec));
    check_done(curandDestroyGenerator(generator));
    check_done(curandDestroyGenerator(plain));
    check_success(cuStreamDestroy(stream));
    check_success(cuMemFree((CUdeviceptr)(uintptr_t)memory));
    free(expected);
}

TEST(threads_go_on_at_each_launch)
{
    with_context();
    check_launches(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 4096);
    check_launches(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 4096);
    check_launches(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 81920);
    check_launches(CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT, 262144);
}

TEST(numbers_that_follow_from_their_place_repeat)
{
    with_context();
    check_launches(CURAND_RNG_PSEUDO_MTGP32, CURAND_ORDERING_PSEUDO_DEFAULT, 0);
    check_launches(CURAND_RNG_PSEUDO_MT19937, CURAND_ORDERING_PSEUDO_DEFAULT, 0);
    check_launches(CURAND_RNG_QUASI_SOBOL32, CURAND_ORDERING_QUASI_DEFAULT, 0);
    check_launches(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_ORDERING_QUASI_DEFAULT, 0);
    /* It reads one copy of the state and leaves another. */
    check_launches(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DYNAMIC, 0);
}

/* MTGP32's blocks go on together when a call comes to the end of their turn. */
TEST(a_call_over_the_end_of_a_turn_goes_on)
{
    enum { TURN = 192 * 256, BEFORE = TURN - COUNT, MANY = 2 * COUNT };
    static uint32_t expected[3 * TURN], words[MANY];
    uint32_t *memory;
    curandGenerator_t generator;
    CUgraphExec exec;
    CUgraph graph;
    CUstream stream;

    with_context();
    words_of(true, CURAND_RNG_PSEUDO_MTGP32, expected, 3 * TURN);
    generator = create(true, CURAND_RNG_PSEUDO_MTGP32);
    memory = device_memory(TURN * 4);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(curandSetStream(generator, (cudaStream_t)stream));
    check_done(curandGenerate(generator, memory, BEFORE));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_done(curandGenerate(generator, memory, MANY));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (size_t i = 0; i < 2; i++) {
        check_success(cuGraphLaunch(exec, stream));
        check_success(cuStreamSynchronize(stream));
        fetch(words, memory, sizeof(words));
        check(memcmp(words, expected + BEFORE + i * TURN, sizeof(words)) == 0);
    }
}

TEST(a_state_is_not_made_in_a_capture)
{
    static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                            CURAND_RNG_PSEUDO_MT19937,
                                            CURAND_RNG_PSEUDO_PHILOX4_32_10};
    uint32_t *memory;

    with_context();
    memory = device_memory(COUNT * 4);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        curandGenerator_t generator = create(true, types[i]);
        CUstream stream;
        CUgraph graph;

        check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        check_done(curandSetStream(generator, (cudaStream_t)stream));
        check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        check_status(curandGenerate(generator, memory, COUNT), CURAND_STATUS_LAUNCH_FAILURE);
        check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}

/* XORWOW's normal numbers in the dynamic ordering: after some turns of its 2816 threads these begin
 * anew, behind half of the words that they have used. */
TEST(dynamic_normal_numbers_begin_anew)
{
    enum { THREADS = 2816, ROW = 2 * THREADS, ROWS = 6 };
    static float numbers[ROWS * ROW], row[2 * 4096];
    curandGenerator_t generator, plain;
    void *memory;

    with_context();
    memory = device_memory(sizeof(numbers));
    generator = create(true, CURAND_RNG_PSEUDO_XORWOW);
    plain = create(true, CURAND_RNG_PSEUDO_XORWOW);
    check_done(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC));
    check_done(curandGenerateNormal(generator, memory, ROWS * ROW, 0, 1));
    check_success(cuCtxSynchronize());
    fetch(numbers, memory, sizeof(numbers));
    for (size_t i = 0; i < ROWS; i++) { /* the same words in the default ordering of 4096 threads */
        check_done(curandSetGeneratorOffset(plain, 4096 * i));
        check_done(curandGenerateNormal(plain, memory, 2 * 4096, 0, 1));
        check_success(cuCtxSynchronize());
        fetch(row, memory, sizeof(row));
        check(memcmp(numbers + i * ROW, row, ROW * sizeof(float)) == 0);
    }
}
