/* SPDX-License-Identifier: MIT */
/* Metrics: numbers with NVIDIA's names that follow from what a kernel has counted. Instructions are
 * those of PTX. */
#ifndef PROFILING_METRICS_H
#define PROFILING_METRICS_H

#include <cupti_profiler_host.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accesses to memory of one kind by warps. */
struct access_quantities {
    double accesses, bytes;
    double transfers; /* sectors, or passes over the banks of shared memory */
    double conflicts; /* transfers beyond the first of an access */
};

/* All that is counted, of one kernel or of several: additive, and nothing but doubles. Arithmetic
 * is counted for f32 and f64. */
struct quantities {
    double kernels, uncounted_kernels; /* those that could not be counted, such as work of cuBLAS */
    double blocks, warps, threads;
    double instructions, thread_instructions;
    double adds[2], multiplications[2], fmas[2], arithmetic[2];
    struct access_quantities global_load, global_store;
    struct access_quantities shared_load, shared_store;
    double time_ns, cycles, active_cycles;
};

enum metric_unit { UNIT_SMSP, UNIT_SM, UNIT_L1TEX, UNIT_GPU };

struct metric {
    const char *name, *dimension, *description;
    CUpti_MetricType type;
    enum metric_unit unit;
    bool is_clock;
    uint16_t quantity, divisor; /* places in struct quantities */
    double scale;               /* of a ratio: what 100 percent is */
};

/* How a metric's number is told: smsp__inst_executed.sum. */
enum metric_form { FORM_SUM, FORM_AVG, FORM_MAX, FORM_MIN, FORM_RATIO, FORM_PCT, FORM_MAX_RATE };

size_t metric_count(void);
const struct metric *metric_at(size_t index);
/* The metric of the first `length` characters; NULL: there is none. */
const struct metric *metric_find(const char *name, size_t length);
/* A name with its form. CUPTI_ERROR_INVALID_PARAMETER: there is none. */
CUptiResult metric_parse(const char *name, const struct metric **metric, enum metric_form *form);
bool metric_has_form(const struct metric *metric, enum metric_form form);
const char *metric_unit_name(const struct metric *metric);
/* The names of its forms, with their dots. */
const char *const *metric_forms(const struct metric *metric, size_t *count);
/* NaN: it is not known, because work that was not counted took part. */
double metric_value(const struct metric *metric, enum metric_form form,
                    const struct quantities *counted, unsigned multiprocessors);

void metric_add(struct quantities *sum, const struct quantities *one);

#endif
