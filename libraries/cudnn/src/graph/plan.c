/* SPDX-License-Identifier: MIT */
/* From an operation graph to an execution plan. There is one engine for every graph, the
 * interpreter of the program. Its one knob has one value; heuristics answer with it in all modes.
 */
#include "plan.h"

#include "kinds.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { ENGINE_COUNT = 1 };

static const char *const device_text = "{\"cupipe_device\": 0}";

static cudnnStatus_t no_memory(void)
{
    return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

/* The one kernel configuration, for programs that go over all values of an engine's knobs. */
static bool give_knob(struct graph_content *engine)
{
    static const int64_t only = 0, stride = 1;
    static const int32_t type = CUDNN_KNOB_TYPE_KERNEL_CFG;
    struct graph_content *knob =
        graph_content_create(graph_kind_of(CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR));
    bool given =
        knob && graph_value_set(knob, CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type) &&
        graph_value_set(knob, CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, CUDNN_TYPE_INT64, 1, &only) &&
        graph_value_set(knob, CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, CUDNN_TYPE_INT64, 1, &only) &&
        graph_value_set(knob, CUDNN_ATTR_KNOB_INFO_STRIDE, CUDNN_TYPE_INT64, 1, &stride) &&
        graph_content_finalize(knob) == CUDNN_STATUS_SUCCESS &&
        graph_value_set(engine, CUDNN_ATTR_ENGINE_KNOB_INFO, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                        &knob);

    graph_content_unref(knob);
    return given;
}

/* Engines of NVIDIA's that fuse operations say that they are compiled at run time. */
cudnnStatus_t graph_engine_finalize(struct graph_content *content)
{
    static const int32_t notes[] = {CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API,
                                    CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION};
    const struct graph_content *graph = graph_child(content, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, 0);
    int64_t index = graph_integer(content, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0, -1);
    bool fuses = graph_program_of(graph)->operation_count > 1;

    if (index < 0 || index >= ENGINE_COUNT)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "there is no engine %lld", (long long)index);
    return give_knob(content) && graph_value_set(content, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                                 CUDNN_TYPE_BEHAVIOR_NOTE, fuses ? 2 : 1, notes)
               ? CUDNN_STATUS_SUCCESS
               : no_memory();
}

cudnnStatus_t graph_config_finalize(struct graph_content *content)
{
    static const int64_t workspace = 0;
    static const int32_t shared = 0;

    return graph_value_set(content, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                           &workspace) &&
                   graph_value_set(content, CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED,
                                   CUDNN_TYPE_INT32, 1, &shared)
               ? CUDNN_STATUS_SUCCESS
               : no_memory();
}

/* A finalised configuration of the engine for a graph, or NULL. */
static struct graph_content *make_config(struct graph_content *graph)
{
    static const int64_t index = 0;
    struct graph_content *engine =
        graph_content_create(graph_kind_of(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
    struct graph_content *config =
        graph_content_create(graph_kind_of(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    bool made =
        engine && config &&
        graph_value_set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                        &graph) &&
        graph_value_set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index) &&
        graph_content_finalize(engine) == CUDNN_STATUS_SUCCESS &&
        graph_value_set(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                        &engine) &&
        graph_content_finalize(config) == CUDNN_STATUS_SUCCESS;

    graph_content_unref(engine);
    if (made)
        return config;
    graph_content_unref(config);
    return NULL;
}

cudnnStatus_t graph_heuristics_finalize(struct graph_content *content)
{
    struct graph_content *graph = graph_child(content, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 0);
    int64_t mode = graph_integer(content, CUDNN_ATTR_ENGINEHEUR_MODE, 0, 0);
    struct graph_content *config;
    bool set;

    if (mode < 0 || mode >= CUDNN_HEUR_MODES_COUNT)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "there is no mode %lld", (long long)mode);
    config = make_config(graph);
    if (!config)
        return no_memory();
    set = graph_value_set(content, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                          &config);
    graph_content_unref(config);
    return set ? CUDNN_STATUS_SUCCESS : no_memory();
}

/* A plan that is made from text gets the configuration that the text had. */
static cudnnStatus_t read_plan(struct graph_content *content)
{
    struct graph_value *text =
        graph_value_of(content, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
    struct graph_content *graph, *config;
    bool set;

    if (!text->count)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a plan has no configuration");
    graph = graph_text_read(text->elements, (size_t)text->count);
    if (!graph)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "the text is not that of a plan");
    config = make_config(graph);
    graph_content_unref(graph);
    if (!config)
        return no_memory();
    set = graph_value_set(content, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
    graph_content_unref(config);
    return set ? CUDNN_STATUS_SUCCESS : no_memory();
}

struct graph_content *graph_plan_graph(const struct graph_content *plan)
{
    const struct graph_content *config =
        graph_child(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0);

    return graph_child(graph_child(config, CUDNN_ATTR_ENGINECFG_ENGINE, 0),
                       CUDNN_ATTR_ENGINE_OPERATION_GRAPH, 0);
}

cudnnStatus_t graph_plan_finalize(struct graph_content *content)
{
    static const int64_t workspace = 0;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    char *text;
    bool set;

    if (!graph_child(content, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0))
        status = read_plan(content);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    text = graph_text_write(graph_plan_graph(content));
    set = text &&
          graph_value_set(content, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                          (int64_t)strlen(text), text) &&
          graph_value_set(content, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                          &workspace);
    free(text);
    return set ? CUDNN_STATUS_SUCCESS : no_memory();
}

cudnnStatus_t graph_pack_finalize(struct graph_content *content)
{
    if (graph_count(content, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS) !=
        graph_count(content, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "there are not as many pointers as unique ids");
    if (graph_count(content, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "shapes cannot be overridden");
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t give_text(struct graph_content *content, int name, const char *text)
{
    if (graph_count(content, name))
        return CUDNN_STATUS_SUCCESS;
    return graph_value_set(content, name, CUDNN_TYPE_CHAR, (int64_t)strlen(text), text)
               ? CUDNN_STATUS_SUCCESS
               : no_memory();
}

cudnnStatus_t graph_device_finalize(struct graph_content *content)
{
    return give_text(content, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, device_text);
}

/* There are no kernels to keep. */
cudnnStatus_t graph_cache_finalize(struct graph_content *content)
{
    static const char cached = 1;

    if (!graph_value_set(content, CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED,
                         CUDNN_TYPE_BOOLEAN, 1, &cached))
        return no_memory();
    return give_text(content, CUDNN_ATTR_KERNEL_CACHE_JSON_REPRESENTATION,
                     "{\"cupipe_kernels\": []}");
}
