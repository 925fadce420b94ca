/* SPDX-License-Identifier: MIT */
/* cuRAND's generators beside plain loops of generators that programs would use instead: the
 * Mersenne Twister of 64 bits and Philox4x32-10, one number after the other. Prints nanoseconds of
 * processor time per word of 32 bits, and how many times faster than the faster of the two a
 * generator is. */
#include "bench.h"

#include <cuda_runtime_api.h>
#include <curand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 23, ROUNDS = 5 };

/* MT19937-64 (Nishimura and Matsumoto, 2000). */
static void twister(uint64_t *out, size_t count)
{
    static uint64_t state[312];
    static unsigned place;

    if (!state[0]) {
        state[0] = 5489;
        for (unsigned i = 1; i < 312; i++)
            state[i] = 6364136223846793005 * (state[i - 1] ^ state[i - 1] >> 62) + i;
        place = 312;
    }
    for (size_t n = 0; n < count; n++) {
        uint64_t x;

        for (unsigned i = 0; place == 312 && i < 312; i++) {
            x = (state[i] & ~(uint64_t)0x7fffffff) | (state[(i + 1) % 312] & 0x7fffffff);
            state[i] = state[(i + 156) % 312] ^ x >> 1 ^ (x & 1 ? 0xb5026f5aa96619e9 : 0);
        }
        place %= 312;
        x = state[place++];
        x ^= x >> 29 & 0x5555555555555555;
        x ^= x << 17 & 0x71d67fffeda60000;
        x ^= x << 37 & 0xfff7eee000000000;
        out[n] = x ^ x >> 43;
    }
}

static void philox(uint32_t *out, size_t count)
{
    for (size_t n = 0; n < count / 4; n++) {
        uint32_t a = (uint32_t)n, b = 0, c = 0, d = 0, key0 = 1, key1 = 2;

        for (int round = 0; round < 10; round++) {
            uint64_t p = (uint64_t)a * 0xd2511f53, q = (uint64_t)c * 0xcd9e8d57;

            a = (uint32_t)(q >> 32) ^ b ^ key0;
            c = (uint32_t)(p >> 32) ^ d ^ key1;
            b = (uint32_t)q;
            d = (uint32_t)p;
            key0 += 0x9e3779b9;
            key1 += 0xbb67ae85;
            __asm__ volatile("" : "+r"(a)); /* one block after the other, as a program calls it */
        }
        out[4 * n] = a;
        out[4 * n + 1] = b;
        out[4 * n + 2] = c;
        out[4 * n + 3] = d;
    }
}

static double best_plain(uint32_t *host)
{
    double twisted = 1e9, counted = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_processor_time(), middle;

        twister((uint64_t *)(void *)host, WORDS / 2);
        middle = bench_processor_time();
        philox(host, WORDS);
        if (middle - start < twisted)
            twisted = middle - start;
        if (bench_processor_time() - middle < counted)
            counted = bench_processor_time() - middle;
    }
    printf("mt19937_64, plain loop    %6.3f ns a word\n", twisted / WORDS * 1e9);
    printf("philox4x32-10, plain loop %6.3f ns a word\n", counted / WORDS * 1e9);
    return twisted < counted ? twisted : counted;
}

static double generate(curandRngType_t type, int normal, void *out)
{
    curandGenerator_t generator;
    double best = 1e9;

    if (curandCreateGenerator(&generator, type) != CURAND_STATUS_SUCCESS)
        return -1;
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_processor_time();

        if (type >= CURAND_RNG_QUASI_SOBOL64 && !normal)
            curandGenerateLongLong(generator, out, WORDS / 2);
        else if (normal)
            curandGenerateNormal(generator, out, WORDS, 0, 1);
        else
            curandGenerate(generator, out, WORDS);
        cudaDeviceSynchronize();
        if (i && bench_processor_time() - start < best)
            best = bench_processor_time() - start;
    }
    curandDestroyGenerator(generator);
    return best;
}

int main(void)
{
    static const struct {
        curandRngType_t type;
        const char *name;
    } rows[] = {{CURAND_RNG_PSEUDO_XORWOW, "xorwow"},
                {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a"},
                {CURAND_RNG_PSEUDO_MTGP32, "mtgp32"},
                {CURAND_RNG_PSEUDO_MT19937, "mt19937"},
                {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox4_32_10"},
                {CURAND_RNG_QUASI_SOBOL32, "sobol32"},
                {CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, "scrambled_sobol64"}};
    uint32_t *host = malloc(WORDS * sizeof(*host));
    double plain;
    void *memory;

    if (!host || cudaMalloc(&memory, WORDS * sizeof(*host)) != cudaSuccess)
        return 1;
    plain = best_plain(host);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        double words = generate(rows[i].type, 0, memory);
        double normals = generate(rows[i].type, 1, memory);

        printf("%-25s %6.3f ns a word, %5.1f x; normal %6.3f ns\n", rows[i].name,
               words / WORDS * 1e9, plain / words, normals / WORDS * 1e9);
    }
    free(host);
    return 0;
}
