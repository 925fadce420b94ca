/* SPDX-License-Identifier: MIT */
/* Lists of metrics. The raw metrics of NVIDIA's library are counters of the hardware; here each
 * metric is its own, under its name without a rollup. */
#include "objects.h"
#include "profiling/counter_data.h"

#include <stdlib.h>
#include <string.h>

static const struct metric *find(const NVPA_RawMetricRequest *request)
{
    if (request->structSize < NVPA_RAW_METRIC_REQUEST_STRUCT_SIZE || !request->pMetricName)
        return NULL;
    return metric_find(request->pMetricName, strlen(request->pMetricName));
}

NVPA_Status metric_list_check(const NVPA_RawMetricRequest *requests, size_t count)
{
    if (!requests && count > 0)
        return NVPA_STATUS_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!find(&requests[i]))
            return NVPA_STATUS_INVALID_ARGUMENT;
    return NVPA_STATUS_SUCCESS;
}

static void add(struct metric_list *list, const NVPA_RawMetricRequest *request)
{
    uint32_t place = (uint32_t)(find(request) - metric_at(0));
    size_t i = 0;

    list->has_isolated = list->has_isolated || request->isolated;
    list->has_pipelined = list->has_pipelined || !request->isolated;
    while (i < list->count && list->places[i] != place)
        i++;
    if (i == list->count)
        list->places[list->count++] = place;
}

NVPA_Status metric_list_add(struct metric_list *list, const NVPA_RawMetricRequest *requests,
                            size_t count)
{
    NVPA_Status status = metric_list_check(requests, count);

    if (status != NVPA_STATUS_SUCCESS)
        return status;
    if (!list->places)
        list->places = calloc(metric_count(), sizeof(*list->places));
    if (!list->places)
        return NVPA_STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        add(list, &requests[i]);
    return NVPA_STATUS_SUCCESS;
}

void metric_list_finish(struct metric_list *list)
{
    free(list->places);
    *list = (struct metric_list){0};
}

NVPA_Status metric_list_write(const struct metric_list *list, uint8_t *buffer, size_t bytes,
                              size_t *written)
{
    size_t needed = config_image_bytes(list->count);

    if (buffer && bytes < needed)
        return NVPA_STATUS_INSUFFICIENT_SPACE;
    if (buffer)
        config_image_make(buffer, list->places, list->count);
    *written = needed;
    return NVPA_STATUS_SUCCESS;
}
