/* SPDX-License-Identifier: MIT */
/* Measures what this machine can do at most: float and double operations a second, and bytes a
 * second from and to memory, with a thread on each processor. Prints them as JSON for `cupipe
 * profile
 * --roofline`. Time is that of the processors in these threads, and the best of several rounds
 * counts: other programs can only make it slower. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    THREADS_MAX = 1024,
    ROUNDS = 16,
    REPEATS = 1 << 18,
    CHAINS = 10, /* independent sums, so that the latency of one does not count */
    ARRAY_BYTES = 96 << 20,
    ARRAYS = 3,
};

/* One thread's share of a round. */
struct share {
    pthread_t thread;
    pthread_barrier_t *barrier;
    double (*work)(struct share *share); /* returns what it did, in operations or bytes */
    double *arrays[ARRAYS];
    size_t count; /* of elements in each */
    double rate;  /* what it did in a second of its processor's time */
    double sink;  /* keeps the compiler from leaving the work out */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A function of multiplications and additions of vectors of so many bytes. */
#define DEFINE_FMA(name, type, vector_bytes, attributes)                                           \
    attributes static double name(struct share *share)                                             \
    {                                                                                              \
        typedef type vector __attribute__((vector_size(vector_bytes)));                            \
        const int lanes = (int)(vector_bytes / sizeof(type));                                      \
        volatile type start = (type)0.5;                                                           \
        vector sums[CHAINS], factor, term;                                                         \
                                                                                                   \
        for (int i = 0; i < lanes; i++) {                                                          \
            factor[i] = start;                                                                     \
            term[i] = start;                                                                       \
        }                                                                                          \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sums[i] = factor * (type)i;                                                            \
        for (int repeat = 0; repeat < REPEATS; repeat++)                                           \
            _Pragma("GCC unroll 10") for (int i = 0; i < CHAINS; i++) sums[i] =                    \
                sums[i] * factor + term;                                                           \
        for (int i = 1; i < CHAINS; i++)                                                           \
            sums[0] += sums[i];                                                                    \
        share->sink += (double)sums[0][0];                                                         \
        return 2.0 * CHAINS * lanes * REPEATS;                                                     \
    }

#if defined(__x86_64__)
DEFINE_FMA(floats_512, float, 64, __attribute__((target("avx512f"))))
DEFINE_FMA(doubles_512, double, 64, __attribute__((target("avx512f"))))
DEFINE_FMA(floats_256, float, 32, __attribute__((target("avx2,fma"))))
DEFINE_FMA(doubles_256, double, 32, __attribute__((target("avx2,fma"))))
#endif
DEFINE_FMA(floats_128, float, 16, )
DEFINE_FMA(doubles_128, double, 16, )

/* a = b + s * c: two arrays are read, one is written. */
static double triad(struct share *share)
{
    double *restrict a = share->arrays[0];
    const double *restrict b = share->arrays[1], *restrict c = share->arrays[2];

    for (size_t i = 0; i < share->count; i++)
        a[i] = b[i] + 3.0 * c[i];
    share->sink += a[share->count / 2];
    return (double)share->count * sizeof(double) * ARRAYS;
}

static void *run_share(void *argument)
{
    struct share *share = argument;
    double start, done, seconds;

    pthread_barrier_wait(share->barrier);
    start = now();
    done = share->work(share);
    seconds = now() - start;
    share->rate = seconds > 0 ? done / seconds : 0;
    return NULL;
}

/* What all threads did in a second, in one round; 0 if there is no barrier. */
static double run_round(struct share *shares, unsigned count, double (*work)(struct share *share))
{
    pthread_barrier_t barrier;
    unsigned started = 0;
    double rate = 0;

    if (pthread_barrier_init(&barrier, NULL, count))
        return 0;
    for (; started < count; started++) {
        shares[started].barrier = &barrier;
        shares[started].work = work;
        if (pthread_create(&shares[started].thread, NULL, run_share, &shares[started]))
            exit(1); /* those that wait at the barrier end with the process */
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(shares[i].thread, NULL);
        rate += shares[i].rate;
    }
    pthread_barrier_destroy(&barrier);
    return rate;
}

static double best_of(struct share *shares, unsigned count, double (*work)(struct share *share))
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double found = run_round(shares, count, work);

        best = found > best ? found : best;
    }
    return best;
}

/* Each share has its part of each array, and touches it first, for machines with several memories.
 */
static bool give_arrays(struct share *shares, unsigned count)
{
    size_t each = ARRAY_BYTES / sizeof(double) / count;

    for (unsigned i = 0; i < count; i++) {
        shares[i].count = each;
        for (int array = 0; array < ARRAYS; array++) {
            shares[i].arrays[array] = aligned_alloc(64, (each * sizeof(double) + 63) / 64 * 64);
            if (!shares[i].arrays[array])
                return false;
            memset(shares[i].arrays[array], 0, each * sizeof(double));
        }
    }
    return true;
}

int main(void)
{
    static struct share shares[THREADS_MAX];
    double (*floats)(struct share *) = floats_128, (*doubles)(struct share *) = doubles_128;
    cpu_set_t processors;
    unsigned count = 1;

    if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
        count = (unsigned)CPU_COUNT(&processors);
    count = count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        floats = floats_512;
        doubles = doubles_512;
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        floats = floats_256;
        doubles = doubles_256;
    }
#endif
    if (!give_arrays(shares, count)) {
        fprintf(stderr, "cupipe-roofs: no memory\n");
        return 1;
    }
    double float32 = best_of(shares, count, floats);
    double float64 = best_of(shares, count, doubles);
    double bytes = best_of(shares, count, triad);
    printf(
        "{\"float32_per_second\": %.4g, \"float64_per_second\": %.4g, \"bytes_per_second\": %.4g, "
        "\"threads\": %u}\n",
        float32, float64, bytes, count);
    for (unsigned i = 0; i < count; i++)
        for (int array = 0; array < ARRAYS; array++)
            free(shares[i].arrays[array]);
    return 0;
}
