/* SPDX-License-Identifier: MIT */
/* cuRAND: every generator, kind of number and ordering; what comes after what; settings. Numbers
 * are compared to the bit, by checksums. */
#include "recorder.h"

#include <curand.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    curandRngType_t type;
    const char *name;
} types[] = {
    {CURAND_RNG_TEST, "test"},
    {CURAND_RNG_PSEUDO_XORWOW, "xorwow"},
    {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a"},
    {CURAND_RNG_PSEUDO_MTGP32, "mtgp32"},
    {CURAND_RNG_PSEUDO_MT19937, "mt19937"},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox"},
    {CURAND_RNG_QUASI_SOBOL32, "sobol32"},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, "scrambled32"},
    {CURAND_RNG_QUASI_SOBOL64, "sobol64"},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, "scrambled64"},
};
enum { TYPES = sizeof(types) / sizeof(*types), TEST_TYPE = 0 };

enum { WORDS, LONGS, UNIFORM, UNIFORM_D, NORMAL, NORMAL_D, LOG_NORMAL_D, POISSON, KINDS };
static const char *const kinds[KINDS] = {"words",  "longs",   "uniform",    "uniformD",
                                         "normal", "normalD", "lognormalD", "poisson"};

static curandStatus_t generate(curandGenerator_t generator, int kind, void *out, size_t count)
{
    switch (kind) {
    case WORDS:
        return curandGenerate(generator, out, count);
    case LONGS:
        return curandGenerateLongLong(generator, out, count);
    case UNIFORM:
        return curandGenerateUniform(generator, out, count);
    case UNIFORM_D:
        return curandGenerateUniformDouble(generator, out, count);
    case NORMAL:
        return curandGenerateNormal(generator, out, count, -0.5f, 1.5f);
    case NORMAL_D:
        return curandGenerateNormalDouble(generator, out, count, 2, 0.75);
    case LOG_NORMAL_D:
        return curandGenerateLogNormalDouble(generator, out, count, 0.5, 0.25);
    default:
        return curandGeneratePoisson(generator, out, count, 20.25);
    }
}

/* Numbers of the next call: status and checksum. */
static void answer_numbers(curandGenerator_t generator, bool host, int kind, size_t count)
{
    size_t bytes =
        count *
        (kind == LONGS || kind == UNIFORM_D || kind == NORMAL_D || kind == LOG_NORMAL_D ? 8 : 4);
    void *numbers = calloc(1, bytes + 1), *device = host ? NULL : device_zeros(bytes + 1);
    curandStatus_t status = generate(generator, kind, host ? numbers : device, count);

    answer_status(status);
    answer_device();
    if (status == CURAND_STATUS_SUCCESS) {
        if (!host)
            device_read(numbers, device, bytes);
        answer_checksum(numbers, bytes);
    }
    free(numbers);
}

static curandGenerator_t create(bool host, int type)
{
    curandGenerator_t generator = NULL;
    curandStatus_t status =
        (host ? curandCreateGeneratorHost : curandCreateGenerator)(&generator, types[type].type);

    answer_status(status);
    return generator;
}

static const char *place(bool host)
{
    return host ? "host" : "device";
}

static bool is_slow(bool host, int type)
{
    return host && (types[type].type == CURAND_RNG_PSEUDO_MRG32K3A ||
                    types[type].type == CURAND_RNG_PSEUDO_MT19937);
}

static void ask_kinds(void)
{
    for (int host = 0; host < 2; host++)
        for (int type = 1; type < TYPES; type++)
            for (int kind = 0; kind < KINDS; kind++) {
                curandGenerator_t generator;

                if (is_slow(host, type) && kind != WORDS)
                    continue;
                if (!question("rand/kinds/%s/%s/%s", place(host), types[type].name, kinds[kind]))
                    continue;
                generator = create(host, type);
                answer_numbers(generator, host, kind, 2 * (size_t)(1 + random_below(2000)));
                answer_numbers(generator, host, kind, 2 * (size_t)(1 + random_below(9000)));
                answer_numbers(generator, host, kind, 1);
                curandDestroyGenerator(generator);
            }
}

static void ask_orderings(void)
{
    for (int type = 1; type < TYPES; type++)
        for (int ordering = 99; ordering < 203; ordering = ordering == 105 ? 200 : ordering + 1) {
            static const size_t counts[] = {1000, 70000, 20002};
            static const int asked[] = {WORDS, UNIFORM, NORMAL_D, POISSON};
            curandGenerator_t generator;

            if (!question("rand/orderings/%s/%d", types[type].name, ordering))
                continue;
            generator = create(false, type);
            answer_status(curandSetGeneratorOrdering(generator, (curandOrdering_t)ordering));
            for (int i = 0; i < 12; i++)
                answer_numbers(generator, false, asked[i % 4], counts[i % 3]);
            curandDestroyGenerator(generator);
        }
}

static void ask_offsets(void)
{
    for (int type = 1; type < TYPES; type++)
        for (int i = 0; i < 6; i++) {
            static const unsigned long long offsets[] = {1,       3,          4095,
                                                         1000003, 1ull << 32, 1ull << 40};
            curandGenerator_t generator;

            if (!question("rand/offsets/%s/%d", types[type].name, i))
                continue;
            generator = create(false, type);
            answer_status(curandSetPseudoRandomGeneratorSeed(generator, 1000003ull << 3 * i));
            answer_status(curandSetGeneratorOffset(generator, offsets[i]));
            answer_status(curandSetQuasiRandomGeneratorDimensions(generator, 3));
            answer_numbers(generator, false, WORDS, 3000);
            answer_numbers(generator, false, LONGS, 3000);
            answer_status(curandGenerateSeeds(generator));
            answer_numbers(generator, false, UNIFORM, 300);
            curandDestroyGenerator(generator);
        }
}

/* The type that no manual describes, on its own: its calls may end the process. */
static void ask_test_type(void)
{
    for (int host = 0; host < 2; host++) {
        curandGenerator_t generator;

        if (!question("rand/test/%s", place(host)))
            continue;
        generator = create(host, TEST_TYPE);
        if (!generator)
            continue;
        answer_status(curandSetPseudoRandomGeneratorSeed(generator, 5));
        answer_status(curandSetGeneratorOffset(generator, 5));
        answer_status(curandSetQuasiRandomGeneratorDimensions(generator, 2));
        answer_status(curandGenerateSeeds(generator));
        for (int ordering = 99; ordering < 203; ordering = ordering == 105 ? 200 : ordering + 1)
            answer_status(curandSetGeneratorOrdering(generator, (curandOrdering_t)ordering));
        answer_status(curandDestroyGenerator(generator));
    }
}

static void ask_wrong(void)
{
    static const double means[] = {0, -1, 1e-6, 399999, 1e9};
    curandGenerator_t generator = NULL;

    for (int type = 99; type < 210; type += 3) {
        if (!question("rand/wrong/type/%d", type))
            continue;
        answer_status(curandCreateGenerator(&generator, (curandRngType_t)type));
        answer_status(curandCreateGeneratorHost(&generator, (curandRngType_t)type));
    }
    if (question("rand/wrong/null")) {
        answer_status(curandCreateGenerator(NULL, CURAND_RNG_PSEUDO_XORWOW));
        answer_status(curandGenerate(NULL, NULL, 1));
        answer_status(curandDestroyGenerator(NULL));
    }
    for (int i = 0; i < 5; i++) {
        if (!question("rand/wrong/mean/%d", i))
            continue;
        generator = create(false, 1);
        answer_status(curandGeneratePoisson(generator, device_zeros(400), 100, means[i]));
        answer_status(curandGenerateNormal(generator, device_zeros(400), 3, 0, 1));
        answer_status(curandGenerateNormal(generator, device_zeros(400), 4, 0, -1));
        answer_status(curandSetQuasiRandomGeneratorDimensions(generator, 1));
        curandDestroyGenerator(generator);
    }
}

const struct group rand_groups[] = {
    {"rand/kinds", ask_kinds},    {"rand/orderings", ask_orderings}, {"rand/offsets", ask_offsets},
    {"rand/test", ask_test_type}, {"rand/wrong", ask_wrong},         {NULL, NULL},
};
