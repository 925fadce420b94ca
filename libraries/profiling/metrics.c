/* SPDX-License-Identifier: MIT */
/* The table of metrics and how a value follows from what was counted. */
#include "profiling/metrics.h"

#include <math.h>
#include <string.h>

enum { SMSPS_PER_SM = 4 };

#define PLACE(member) (offsetof(struct quantities, member) / sizeof(double))
#define COUNTER(name, unit, dimension, quantity, scale, description)                               \
    {#name,           dimension, description, CUPTI_METRIC_TYPE_COUNTER, UNIT_##unit, false,       \
     PLACE(quantity), 0,         scale},
#define CLOCK(name, unit, dimension, quantity, scale, description)                                 \
    {#name,           dimension, description, CUPTI_METRIC_TYPE_COUNTER, UNIT_##unit, true,        \
     PLACE(quantity), 0,         scale},
#define RATIO(name, unit, dimension, quantity, divisor, most, description)                         \
    {#name,           dimension,      description, CUPTI_METRIC_TYPE_RATIO, UNIT_##unit, false,    \
     PLACE(quantity), PLACE(divisor), most},
static const struct metric metrics[] = {
#include "metrics.def"
};
#undef COUNTER
#undef CLOCK
#undef RATIO

static const char *const form_names[] = {
    [FORM_SUM] = ".sum",     [FORM_AVG] = ".avg", [FORM_MAX] = ".max",          [FORM_MIN] = ".min",
    [FORM_RATIO] = ".ratio", [FORM_PCT] = ".pct", [FORM_MAX_RATE] = ".max_rate"};

/* The order of form_names. Which of a device's units counted how much is not known, so only times
 * have a greatest and a least number. */
static void forms_of(const struct metric *metric, enum metric_form *first, size_t *count)
{
    if (metric->type == CUPTI_METRIC_TYPE_RATIO) {
        *first = FORM_RATIO;
        *count = metric->scale != 0 ? 3 : 1;
    } else {
        *first = FORM_SUM;
        *count = metric->is_clock ? 4 : 2;
    }
}

size_t metric_count(void)
{
    return sizeof(metrics) / sizeof(*metrics);
}

const struct metric *metric_at(size_t index)
{
    return &metrics[index];
}

const struct metric *metric_find(const char *name, size_t length)
{
    for (size_t i = 0; i < metric_count(); i++)
        if (strlen(metrics[i].name) == length && memcmp(metrics[i].name, name, length) == 0)
            return &metrics[i];
    return NULL;
}

CUptiResult metric_parse(const char *name, const struct metric **metric, enum metric_form *form)
{
    const char *dot = name ? strchr(name, '.') : NULL;
    const struct metric *found = dot ? metric_find(name, (size_t)(dot - name)) : NULL;
    enum metric_form first;
    size_t count;

    if (!found)
        return CUPTI_ERROR_INVALID_PARAMETER;
    forms_of(found, &first, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(form_names[first + i], dot) != 0)
            continue;
        *metric = found;
        *form = (enum metric_form)(first + i);
        return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

bool metric_has_form(const struct metric *metric, enum metric_form form)
{
    enum metric_form first;
    size_t count;

    forms_of(metric, &first, &count);
    return form >= first && form < first + count;
}

const char *metric_unit_name(const struct metric *metric)
{
    static const char *const names[] = {"smsp", "sm", "l1tex", "gpu"};

    return names[metric->unit];
}

const char *const *metric_forms(const struct metric *metric, size_t *count)
{
    enum metric_form first;

    forms_of(metric, &first, count);
    return &form_names[first];
}

static unsigned units_of(const struct metric *metric, unsigned multiprocessors)
{
    switch (metric->unit) {
    case UNIT_SMSP:
        return SMSPS_PER_SM * multiprocessors;
    case UNIT_GPU:
        return 1;
    default:
        return multiprocessors;
    }
}

/* Blocks, warps, threads and times of a kernel are known without counting. */
static bool is_counted(uint16_t quantity)
{
    return quantity >= PLACE(instructions) && quantity < PLACE(time_ns);
}

double metric_value(const struct metric *metric, enum metric_form form,
                    const struct quantities *counted, unsigned multiprocessors)
{
    const double *values = (const double *)counted;
    double value = values[metric->quantity], units = units_of(metric, multiprocessors);

    if (form == FORM_MAX_RATE)
        return metric->scale;
    if (counted->uncounted_kernels > 0 && is_counted(metric->quantity))
        return NAN;
    if (metric->type == CUPTI_METRIC_TYPE_RATIO) {
        if (values[metric->divisor] == 0)
            return 0;
        value /= values[metric->divisor];
        return form == FORM_PCT ? 100 * value / metric->scale : value;
    }
    value *= metric->scale;
    if (metric->is_clock && form != FORM_SUM)
        return value; /* each unit has the same time */
    return metric->is_clock ? value * units : form == FORM_AVG ? value / units : value;
}

void metric_add(struct quantities *sum, const struct quantities *one)
{
    double *to = (double *)sum;
    const double *from = (const double *)one;

    for (size_t i = 0; i < sizeof(*sum) / sizeof(double); i++)
        to[i] += from[i];
}
