/* SPDX-License-Identifier: MIT */
/* How requests of the evaluator name a metric of the table. */
#ifndef NVPERF_HOST_EVALUATOR_H
#define NVPERF_HOST_EVALUATOR_H

#include "objects.h"
#include "profiling/metrics.h"

bool evaluator_is_live(const NVPW_MetricsEvaluator *evaluator);
/* The metric with this number among those of a type; NULL: there is none. */
const struct metric *evaluator_metric(uint8_t type, size_t index);
/* False: there is no such metric, or it cannot be told in this way. */
bool evaluator_read(const NVPW_MetricEvalRequest *request, const struct metric **metric,
                    enum metric_form *form);

#endif
