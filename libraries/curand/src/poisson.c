/* SPDX-License-Identifier: MIT */
/* Poisson's distribution as a squared histogram (Marsaglia, Tsang and Wang, "Fast generation of
 * discrete random variables", 2004, method II): columns of equal height, each of one value or of
 * two. The values are all whose probability is not 0 as a double.
 *
 * Values of less than a column's height are filled up in growing order, over and over, by the
 * highest value that has more than that. Quasi-random generators use the sums of the probabilities
 * instead, as entries of two values would undo their order. */
#include "distribution.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rand_histogram *kept[KEPT]; /* guarded by lock */
static unsigned next_kept;                /* guarded by lock */

static double probability(double lambda, uint32_t value)
{
    int sign;

    return exp(value * log(lambda) - lambda - lgamma_r(value + 1.0, &sign));
}

static void find_range(struct rand_histogram *histogram, double lambda)
{
    uint32_t low = (uint32_t)lambda, high = low;

    while (low > 0 && probability(lambda, low - 1) > 0)
        low--;
    while (probability(lambda, high + 1) > 0)
        high++;
    histogram->shift = low;
    histogram->length = high - low + 1;
}

/* Fills up what is below `height` once, in growing order. False if there was nothing to do. */
static bool fill_up(struct rand_histogram *histogram, double *rest, double height, uint32_t *donor,
                    bool *filled)
{
    bool changed = false;

    for (uint32_t i = 0; i < histogram->length; i++) {
        if (filled[i] || rest[i] >= height)
            continue;
        while (*donor > 0 && (filled[*donor - 1] || rest[*donor - 1] <= height))
            --*donor;
        if (*donor == 0)
            return false;
        histogram->limits[i] = i * height + rest[i];
        histogram->aliases[i] = *donor - 1;
        rest[*donor - 1] -= height - rest[i];
        filled[i] = changed = true;
    }
    return changed;
}

static bool make(struct rand_histogram *histogram, double lambda)
{
    double height, *rest;
    bool *filled;
    uint32_t donor;

    histogram->lambda = lambda;
    find_range(histogram, lambda);
    histogram->limits = malloc(histogram->length * sizeof(*histogram->limits));
    histogram->aliases = malloc(histogram->length * sizeof(*histogram->aliases));
    histogram->sums = malloc(histogram->length * sizeof(*histogram->sums));
    rest = malloc(histogram->length * sizeof(*rest));
    filled = calloc(histogram->length, sizeof(*filled));
    if (!histogram->limits || !histogram->aliases || !histogram->sums || !rest || !filled) {
        free(rest);
        free(filled);
        return false;
    }
    height = 1.0 / histogram->length;
    for (uint32_t i = 0; i < histogram->length; i++) {
        rest[i] = probability(lambda, histogram->shift + i);
        histogram->sums[i] = rest[i] + (i ? histogram->sums[i - 1] : 0);
        histogram->limits[i] = (i + 1) * height;
        histogram->aliases[i] = i;
    }
    donor = histogram->length;
    while (fill_up(histogram, rest, height, &donor, filled))
        ;
    free(rest);
    free(filled);
    return true;
}

static void destroy(struct rand_histogram *histogram)
{
    free(histogram->limits);
    free(histogram->aliases);
    free(histogram->sums);
    free(histogram);
}

static struct rand_histogram *find_locked(double lambda)
{
    for (unsigned i = 0; i < KEPT; i++) {
        if (kept[i] && kept[i]->lambda == lambda) {
            kept[i]->references++;
            return kept[i];
        }
    }
    return NULL;
}

static void keep_locked(struct rand_histogram *histogram)
{
    struct rand_histogram **place = &kept[next_kept++ % KEPT];

    if (*place && --(*place)->references == 0)
        destroy(*place);
    *place = histogram;
}

struct rand_histogram *rand_histogram_get(double lambda)
{
    struct rand_histogram *histogram;

    pthread_mutex_lock(&lock);
    histogram = find_locked(lambda);
    if (!histogram) {
        histogram = calloc(1, sizeof(*histogram));
        if (histogram && make(histogram, lambda)) {
            histogram->references = 2; /* the caller's, and that of what is kept */
            keep_locked(histogram);
        } else if (histogram) {
            destroy(histogram);
            histogram = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return histogram;
}

void rand_histogram_unref(struct rand_histogram *histogram)
{
    if (!histogram)
        return;
    pthread_mutex_lock(&lock);
    if (--histogram->references == 0)
        destroy(histogram);
    pthread_mutex_unlock(&lock);
}
