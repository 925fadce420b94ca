/* SPDX-License-Identifier: MIT */
/* The objects of libnvperf_host, and the parts of it:
 *
 *     library.c      initialising, the objects that live
 *     requests.c     lists of metrics that are asked for
 *     config.c       the image of metrics that a profiler is to count
 *     builder.c      the same image as the prefix of what is counted
 *     evaluator.c, units.c     metrics, their properties and values
 *
 * The images and the table of metrics are CUPTI's (libraries/profiling). What libnvperf_target has,
 * too, is in libraries/nvperf_target/common. */
#ifndef NVPERF_HOST_OBJECTS_H
#define NVPERF_HOST_OBJECTS_H

#include "params.h"

#include <nvperf_cuda_host.h>
#include <nvperf_host.h>
#include <stdbool.h>

enum object_kind { OBJECT_CONFIG = 1, OBJECT_BUILDER, OBJECT_EVALUATOR };

/* The head of each object. */
struct object {
    struct object *next;
    enum object_kind kind;
};

bool library_is_initialized(void);

void object_add(struct object *object, enum object_kind kind);
/* False for a pointer that is no object of the kind, or not any more. */
bool object_is_live(const void *object, enum object_kind kind);
bool object_remove(const void *object, enum object_kind kind);

/* What a program names to say for which chip an object is: either of both. */
NVPA_Status check_chip(const char *chip, const uint8_t *availability);

/* Metrics that were asked for, by their places in the table. */
struct metric_list {
    uint32_t *places;
    size_t count;
    bool has_isolated, has_pipelined;
};

NVPA_Status metric_list_check(const NVPA_RawMetricRequest *requests, size_t count);
/* Adds all or none; those that are there already stay one. */
NVPA_Status metric_list_add(struct metric_list *list, const NVPA_RawMetricRequest *requests,
                            size_t count);
void metric_list_finish(struct metric_list *list);
/* Writes the image of a list, or, without a buffer, tells its size. */
NVPA_Status metric_list_write(const struct metric_list *list, uint8_t *buffer, size_t bytes,
                              size_t *written);

#endif
