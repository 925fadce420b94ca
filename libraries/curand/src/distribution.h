/* SPDX-License-Identifier: MIT */
/* From random words to numbers of a distribution. A generator draws words for a run of threads at a
 * time and hands them over in arrays: the first word of each thread, the second of each, ... */
#ifndef CURAND_DISTRIBUTION_H
#define CURAND_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rand_form {
    RAND_WORDS,
    RAND_LONG_WORDS,
    RAND_UNIFORM,
    RAND_UNIFORM_DOUBLE,
    RAND_NORMAL,
    RAND_NORMAL_DOUBLE,
    RAND_LOG_NORMAL,
    RAND_LOG_NORMAL_DOUBLE,
    RAND_POISSON,         /* by a table of entries that have one value or two */
    RAND_POISSON_INVERSE, /* by the inverse of the distribution */
    RAND_POISSON_NORMAL,  /* of a large mean: a normal number, rounded */
};

struct rand_histogram;

struct rand_distribution {
    enum rand_form form;
    bool device;         /* computes as a device does, not as the C library does */
    bool coarse_normals; /* normal doubles are converted floats */
    bool wide_uniforms;  /* uniform numbers of one word are computed as doubles, and lie between 0
                            and 1 */
    bool coarse_poisson; /* the rounded normal numbers are scaled as floats */
    double mean, deviation;
    struct rand_histogram *histogram; /* of RAND_POISSON and RAND_POISSON_INVERSE */
};

/* Runs of threads are at most this long. */
enum { RAND_RUN = 512 };

static inline size_t rand_bytes(enum rand_form form)
{
    switch (form) {
    case RAND_LONG_WORDS:
    case RAND_UNIFORM_DOUBLE:
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        return 8;
    default:
        return 4;
    }
}

static inline void *rand_at(void *values, enum rand_form form, size_t index)
{
    return (char *)values + index * rand_bytes(form);
}

/* One word makes one number. Normal numbers are made by the inverse of their distribution. Number i
 * goes to out[i * stride]. */
void rand_from_words(const struct rand_distribution *distribution, const uint32_t *words,
                     size_t count, size_t stride, void *out);
void rand_from_long_words(const struct rand_distribution *distribution, const uint64_t *words,
                          size_t count, void *out);

/* Two words make a uniform double or two normal floats (Box and Muller), out[i * stride] and
 * out[i * stride + 1]. */
void rand_from_pairs(const struct rand_distribution *distribution, const uint32_t *a,
                     const uint32_t *b, size_t count, size_t stride, void *out);

/* Four words make two normal doubles. */
void rand_from_fours(const struct rand_distribution *distribution, const uint32_t *const words[4],
                     size_t count, size_t stride, void *out);

/* The same for MRG32k3a, whose words are from 1 to 4294967087. */
void rand_from_mrg(const struct rand_distribution *distribution, const uint32_t *words,
                   size_t count, void *out);
void rand_from_mrg_pairs(const struct rand_distribution *distribution, const uint32_t *a,
                         const uint32_t *b, size_t count, void *out);

/* Normal floats before they are scaled, and what makes Poisson's numbers of them. */
void rand_normals(bool device, const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                  float *cosine);
void rand_normals_mrg(bool device, const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                      float *cosine);
void rand_poisson_of_normals(const struct rand_distribution *distribution, const float *normals,
                             size_t count, size_t stride, uint32_t *out);

/* Poisson's distribution as a table with an entry for each value from `shift` on. */
struct rand_histogram {
    int references;
    double lambda;
    uint32_t shift, length;
    double *limits;    /* of u in entry floor(u * length): below it the value is the entry's own */
    uint32_t *aliases; /* what it is otherwise */
    double *sums;      /* of probabilities: of the entry and those before it */
};

/* Returns NULL without memory. The last tables are kept. */
struct rand_histogram *rand_histogram_get(double lambda);
void rand_histogram_unref(struct rand_histogram *histogram);

#endif
