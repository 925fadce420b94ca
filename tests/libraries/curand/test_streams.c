/* SPDX-License-Identifier: MIT */
/* Device generators are work of streams: in order, captured, used by several threads; and what is
 * wrong is said. */
#include "curand_test.h"

#include <math.h>

enum { COUNT = 6000 };

TEST(calls_run_in_the_order_of_the_stream)
{
    static uint32_t words[COUNT], expected[COUNT];
    curandGenerator_t generator;
    uint32_t *memory;
    CUstream stream;

    with_context();
    generator = create(true, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    memory = device_memory(sizeof(words));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(curandSetStream(generator, (cudaStream_t)stream));
    check_success(cuMemsetD32Async((CUdeviceptr)(uintptr_t)memory, 7, COUNT, stream));
    check_done(curandGenerate(generator, memory, COUNT / 2));
    check_done(curandGenerate(generator, memory + COUNT / 2, COUNT / 2));
    check_done(curandDestroyGenerator(generator));
    check_success(cuStreamSynchronize(stream));
    fetch(words, memory, sizeof(words));
    words_of(false, CURAND_RNG_PSEUDO_PHILOX4_32_10, expected, COUNT);
    check(memcmp(words, expected, sizeof(words)) == 0);
}

TEST(captured_calls_go_on_at_each_launch)
{
    static uint32_t words[4 * 4096], expected[4 * 4096];
    curandGenerator_t generator;
    uint32_t *memory;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;

    with_context();
    generator = create(true, CURAND_RNG_PSEUDO_XORWOW);
    memory = device_memory(4096 * 4);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(curandSetStream(generator, (cudaStream_t)stream));
    check_done(curandGenerate(generator, memory, 4096)); /* the first makes the state */
    check_success(cuStreamSynchronize(stream));
    fetch(words, memory, 4096 * 4);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_done(curandGenerate(generator, memory, 4096));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 1; i < 4; i++) {
        check_success(cuGraphLaunch(exec, stream));
        check_success(cuStreamSynchronize(stream));
        fetch(words + 4096 * i, memory, 4096 * 4);
    }
    words_of(false, CURAND_RNG_PSEUDO_XORWOW, expected, 4 * 4096);
    check(memcmp(words, expected, sizeof(words)) == 0);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    check_done(curandDestroyGenerator(generator));
}

static void *draw_in_thread(void *context)
{
    static _Thread_local uint32_t words[1000];

    check_success(cuCtxSetCurrent(context));
    for (int i = 0; i < 20; i++) {
        words_of(true, CURAND_RNG_PSEUDO_XORWOW, words, 1000);
        check(checksum(words, sizeof(words)) == 0x2f96b6dc39ad96ad);
    }
    return NULL;
}

TEST(threads_have_generators_of_their_own)
{
    CUcontext context = with_context();
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        check(pthread_create(&threads[i], NULL, draw_in_thread, context) == 0);
    for (int i = 0; i < 3; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

TEST(device_normals_are_a_devices)
{
    static float normals[1000];
    curandGenerator_t generator;
    float *memory;

    with_context();
    generator = create(true, CURAND_RNG_PSEUDO_MRG32K3A);
    memory = device_memory(sizeof(normals));
    check_done(curandGenerateNormal(generator, memory, 1000, 0.5f, 2.0f));
    fetch(normals, memory, sizeof(normals));
    check(checksum(normals, sizeof(normals)) == 0xc8063ca8eb17e2d7);
    check_status(curandGenerateNormal(generator, memory, 3, 0, 1),
                 CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    check_done(curandDestroyGenerator(generator));
}

/* The mean of Poisson's numbers, and where the methods change. */
TEST(poisson_has_its_mean)
{
    static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MTGP32,
                                            CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SOBOL64};
    static const double means[] = {0.3, 9, 31, 64, 1999, 2001, 7999, 100000};
    static uint32_t numbers[65536];

    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < sizeof(means) / sizeof(*means); k++) {
            curandGenerator_t generator = create(false, types[i]);
            double sum = 0;

            check_done(curandGeneratePoisson(generator, numbers, 65536, means[k]));
            for (size_t n = 0; n < 65536; n++)
                sum += numbers[n];
            check(fabs(sum / 65536 - means[k]) < 5 * sqrt(means[k] / 65536) + 1e-3);
            check_done(curandDestroyGenerator(generator));
        }
    }
}

TEST(wrong_arguments_are_refused)
{
    curandGenerator_t generator;
    curandDiscreteDistribution_t distribution;
    unsigned long long numbers[4] = {7, 7, 7, 7};
    unsigned words[4];
    char junk[512] = {0};

    with_context();
    generator = create(false, CURAND_RNG_PSEUDO_XORWOW);
    check_status(curandCreateGeneratorHost(NULL, CURAND_RNG_PSEUDO_XORWOW),
                 CURAND_STATUS_NOT_INITIALIZED);
    check_status(curandCreateGeneratorHost(&generator, (curandRngType_t)102),
                 CURAND_STATUS_TYPE_ERROR);
    check_status(curandGenerateLongLong(generator, numbers, 4), CURAND_STATUS_TYPE_ERROR);
    check(numbers[0] == 7);
    check_done(curandGenerateLongLong(generator, NULL, 0));
    check_status(curandGeneratePoisson(generator, words, 4, 0), CURAND_STATUS_OUT_OF_RANGE);
    check_status(curandGeneratePoisson(generator, words, 4, 1e9), CURAND_STATUS_OUT_OF_RANGE);
    check_status(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC),
                 CURAND_STATUS_OUT_OF_RANGE);
    check_status(curandSetQuasiRandomGeneratorDimensions(generator, 1), CURAND_STATUS_TYPE_ERROR);
    check_status(curandGenerate(NULL, words, 4), CURAND_STATUS_NOT_INITIALIZED);
    check_status(curandCreatePoissonDistribution(0, &distribution), CURAND_STATUS_OUT_OF_RANGE);
    check_done(curandDestroyGenerator(generator));
    only_cupipe();
    check_status(curandGenerate(generator, words, 4), CURAND_STATUS_NOT_INITIALIZED);
    check_status(curandDestroyGenerator((curandGenerator_t)(void *)junk),
                 CURAND_STATUS_NOT_INITIALIZED);
}

TEST(the_type_for_tests_makes_nothing)
{
    unsigned long long numbers[4] = {7, 7, 7, 7};
    curandGenerator_t generator;

    with_context();
    generator = create(false, CURAND_RNG_TEST);
    check_done(curandSetGeneratorOrdering(generator, (curandOrdering_t)99));
    check_done(curandGenerate(generator, (unsigned *)numbers, 4));
    check_done(curandGenerateUniformDouble(generator, (double *)numbers, 4));
    check_status(curandGenerateLongLong(generator, numbers, 4), CURAND_STATUS_TYPE_ERROR);
    check_status(curandGenerateNormal(generator, (float *)numbers, 4, 0, 1),
                 CURAND_STATUS_INTERNAL_ERROR);
    for (int i = 0; i < 4; i++)
        check(numbers[i] == 7);
    check_done(curandDestroyGenerator(generator));
}

TEST(wrong_address_is_the_contexts_error)
{
    curandGenerator_t generator;
    unsigned *memory;

    with_context();
    generator = create(true, CURAND_RNG_PSEUDO_XORWOW);
    memory = device_memory(400);
    check_done(curandGenerate(generator, NULL, 100));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_status(curandGenerate(generator, memory, 100), CURAND_STATUS_LAUNCH_FAILURE);
}

TEST(poisson_distribution_is_made_and_freed)
{
    curandDiscreteDistribution_t distributions[2];
    size_t before, after, total;

    with_context();
    check_success(cuMemGetInfo(&before, &total));
    for (int i = 0; i < 50; i++) {
        check_done(curandCreatePoissonDistribution(400.5, &distributions[0]));
        check_done(curandCreatePoissonDistribution(5000, &distributions[1]));
        check_done(curandDestroyDistribution(distributions[0]));
        check_done(curandDestroyDistribution(distributions[1]));
    }
    only_cupipe(); /* NVIDIA's keeps memory for the next */
    check_success(cuMemGetInfo(&after, &total));
    check(before == after);
}
