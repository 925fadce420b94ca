/* SPDX-License-Identifier: MIT */
/* Counts of pixels by their values: histograms with even or given levels, and ranges. Chunks of
 * rows are counted by themselves; small integers find their interval in a table. */
#include "bands.h"
#include "gather.h"
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = 1024, TABLE_MOST = 65536, PIECE = 256 };

struct intervals {
    double levels[LEVELS_MOST];
    int count; /* of levels */
    bool tabled;
    int lowest;              /* number of the table */
    short table[TABLE_MOST]; /* intervals of small integers */
};

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view source;
    const struct intervals *intervals;
    unsigned channel;
    int *bins;
};

/* Which of the intervals between ascending levels a value is in; -1: none. */
static int interval_of(const struct intervals *intervals, double value)
{
    const double *levels = intervals->levels;
    int low = 0, high = intervals->count - 1;

    if (!(value >= levels[0] && value < levels[high]))
        return -1;
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (value >= levels[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fill_table(struct intervals *intervals, enum npp_type type)
{
    bool wide = type == NPP_T_16U || type == NPP_T_16S;
    int count = wide ? 65536 : 256;

    intervals->tabled = wide || type == NPP_T_8U || type == NPP_T_8S;
    intervals->lowest = type == NPP_T_16S ? -32768 : type == NPP_T_8S ? -128 : 0;
    for (int i = 0; intervals->tabled && i < count; i++)
        intervals->table[i] = (short)interval_of(intervals, intervals->lowest + i);
}

/* Counts rows into bins of its own and adds those at the end. */
static void count_rows(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    const struct intervals *intervals = pass->intervals;
    unsigned channels = pass->function->channels;
    int width = pass->call->size_roi.width, bins[LEVELS_MOST] = {0};
    double values[PIECE * 4];

    for (int y = first; y < last; y++) {
        for (int x = 0; x < width; x += PIECE) {
            int pixels = width - x < PIECE ? width - x : PIECE;

            npp_load(pass->function->type, npp_view_at(&pass->source, x, y, 0), values,
                     (size_t)pixels * channels);
            for (int i = 0; i < pixels; i++) {
                double value = values[(unsigned)i * channels + pass->channel];
                int bin = intervals->tabled ? intervals->table[(int)value - intervals->lowest]
                                            : interval_of(intervals, value);

                if (bin >= 0)
                    bins[bin]++;
            }
        }
    }
    for (int i = 0; i + 1 < intervals->count; i++) {
        if (bins[i])
            atomic_fetch_add((_Atomic int *)&pass->bins[i], bins[i]);
    }
}

/* Levels have whole distances, which leaves a rest below the upper one. */
static void even_levels(double *levels, int count, double lower, double upper)
{
    double distance = floor((upper - lower) / (count - 1));

    for (int i = 0; i < count; i++)
        levels[i] = lower + distance * i;
}

static void find_levels(const struct npp_function *function, const struct npp_call *call,
                        unsigned c, bool even, struct intervals *intervals)
{
    if (even)
        even_levels(intervals->levels, intervals->count, call->lower_level_v[c],
                    call->upper_level_v[c]);
    else
        npp_load(npp_is_float(function->type) ? NPP_T_32F : NPP_T_32S,
                 function->channels > 1 ? call->levels_planes[c] : call->levels, intervals->levels,
                 (size_t)intervals->count);
    fill_table(intervals, function->type);
}

static NppStatus histogram(const struct npp_function *function, const struct npp_call *call,
                           bool checks, bool even)
{
    bool several = function->channels > 1;
    unsigned channels = function->channels - (unsigned)function->alpha;
    NppStatus status =
        npp_gather_check(function, call, several ? call->hist_planes[0] : call->hist);
    struct pass pass = {.function = function, .call = call};
    struct intervals *intervals;

    for (unsigned c = 0; c < channels && status == NPP_SUCCESS; c++) {
        int count = several ? call->level_count_i[c] : (int)call->level_count;

        if (count < 2 || count > LEVELS_MOST)
            status = NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
    }
    if (status != NPP_SUCCESS || checks)
        return status;
    intervals = malloc(sizeof(*intervals));
    if (!intervals)
        return NPP_NO_MEMORY_ERROR;
    npp_view_source(function, call, &pass.source);
    pass.intervals = intervals;
    for (unsigned c = 0; c < channels; c++) {
        intervals->count = several ? call->level_count_i[c] : (int)call->level_count;
        find_levels(function, call, c, even, intervals);
        pass.channel = c;
        pass.bins = (int *)(several ? call->hist_planes[c] : call->hist);
        memset(pass.bins, 0, (size_t)(intervals->count - 1) * sizeof(int));
        npp_bands(call->size_roi.height, (size_t)call->size_roi.width * function->channels,
                  count_rows, &pass);
    }
    free(intervals);
    return NPP_SUCCESS;
}

NppStatus npp_histogram_even(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    return histogram(function, call, checks, true);
}

NppStatus npp_histogram_range(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    return histogram(function, call, checks, false);
}

/* Writes levels to the host, at once. */
NppStatus npp_even_levels(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    double levels[LEVELS_MOST];
    int count = (int)call->level_count;

    (void)function;
    if (!call->levels)
        return NPP_NULL_POINTER_ERROR;
    if (count < 2 || count > LEVELS_MOST)
        return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
    if (!checks)
        return NPP_SUCCESS;
    even_levels(levels, count, call->lower_level_v[0], call->upper_level_v[0]);
    npp_store(NPP_T_32S, levels, (void *)call->levels, (size_t)count);
    return NPP_SUCCESS;
}

/* Counts the values between two bounds, which count themselves. */
NppStatus npp_count_in_range(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    NppStatus status = npp_gather_check(function, call, call->counts);
    bool signal = npp_is_signal(function);
    long long width = signal ? call->length : call->size_roi.width;
    int height = signal ? 1 : call->size_roi.height;
    struct npp_view source;

    if (status != NPP_SUCCESS || checks)
        return status;
    npp_view_source(function, call, &source);
    for (unsigned c = 0; c < function->channels - (unsigned)function->alpha; c++) {
        int count = 0;

        for (int y = 0; y < height; y++) {
            for (long long x = 0; x < width; x++) {
                double value;

                npp_load(function->type, npp_view_at(&source, x, y, c), &value, 1);
                count += value >= call->lower_bound_v[c] && value <= call->upper_bound_v[c];
            }
        }
        ((int *)call->counts)[c] = count;
    }
    return NPP_SUCCESS;
}
