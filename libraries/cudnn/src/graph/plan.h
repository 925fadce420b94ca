/* SPDX-License-Identifier: MIT */
/* Execution plans, and their text. */
#ifndef DNN_GRAPH_PLAN_H
#define DNN_GRAPH_PLAN_H

#include "program.h"

/* The operation graph of a finalised plan. */
struct graph_content *graph_plan_graph(const struct graph_content *plan);

/* The text of an operation graph, allocated, and a graph from it. NULL: no memory, or no such
 * text. */
char *graph_text_write(const struct graph_content *graph);
struct graph_content *graph_text_read(const char *text, size_t bytes);

#endif
