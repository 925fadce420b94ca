/* SPDX-License-Identifier: MIT */
/* What each type of descriptor makes of its attributes when it is finalised. */
#ifndef DNN_GRAPH_KINDS_H
#define DNN_GRAPH_KINDS_H

#include "descriptor.h"

/* Fills in the functions of a kind. */
void graph_kind_behaviour(struct graph_kind *kind);

/* finalize() and finish() of the kinds, in the files of their names. */
cudnnStatus_t graph_tensor_finalize(struct graph_content *content);
void graph_tensor_finish(struct graph_content *content);
cudnnStatus_t graph_operation_finalize(struct graph_content *content);
cudnnStatus_t graph_program_finalize(struct graph_content *content);
void graph_program_finish(struct graph_content *content);
cudnnStatus_t graph_engine_finalize(struct graph_content *content);
cudnnStatus_t graph_config_finalize(struct graph_content *content);
cudnnStatus_t graph_heuristics_finalize(struct graph_content *content);
cudnnStatus_t graph_plan_finalize(struct graph_content *content);
cudnnStatus_t graph_pack_finalize(struct graph_content *content);
cudnnStatus_t graph_device_finalize(struct graph_content *content);
cudnnStatus_t graph_cache_finalize(struct graph_content *content);

#endif
