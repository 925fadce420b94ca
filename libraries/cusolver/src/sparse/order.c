/* SPDX-License-Identifier: MIT */
/* Reverse Cuthill-McKee, minimum degree, and nested dissection by the levels of a search in
 * breadth. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

bool order_symmetric_pattern(const struct sparse_matrix *matrix, struct sparse_matrix *result)
{
    const int n = matrix->rows;
    struct sparse_matrix pattern = *matrix, transposed;
    int *mark = malloc(((size_t)n + 1) * sizeof(*mark)), place = 0;
    bool done = false;

    memset(result, 0, sizeof(*result));
    pattern.value = NULL;
    if (!sparse_transpose(&pattern, &transposed) || !mark ||
        !sparse_allocate(result, n, n, 2 * (int64_t)matrix->start[n], false))
        goto release;
    for (int i = 0; i < n; i++)
        mark[i] = -1;
    for (int i = 0; i < n; i++) {
        const struct sparse_matrix *both[] = {matrix, &transposed};

        mark[i] = i;
        for (int side = 0; side < 2; side++)
            for (int k = both[side]->start[i]; k < both[side]->start[i + 1]; k++)
                if (mark[both[side]->index[k]] != i) {
                    mark[both[side]->index[k]] = i;
                    result->index[place++] = both[side]->index[k];
                }
        result->start[i + 1] = place;
    }
    done = true;
release:
    sparse_free(&transposed);
    free(mark);
    return done;
}

static int degree(const struct sparse_matrix *graph, int node)
{
    return graph->start[node + 1] - graph->start[node];
}

/* Visits nodes in breadth from `start` whose mark is `before`, and marks them `after`. Neighbours
 * follow in order of their degrees. Returns how many there are, and the distance of each. */
static int search(const struct sparse_matrix *graph, int start, int *mark, int before, int after,
                  int *queue, int *distance)
{
    int count = 1;

    queue[0] = start;
    mark[start] = after;
    distance[start] = 0;
    for (int head = 0; head < count; head++) {
        const int first = count;

        for (int k = graph->start[queue[head]]; k < graph->start[queue[head] + 1]; k++) {
            int node = graph->index[k], place = count;

            if (mark[node] != before)
                continue;
            mark[node] = after;
            distance[node] = distance[queue[head]] + 1;
            while (place > first && degree(graph, queue[place - 1]) > degree(graph, node)) {
                queue[place] = queue[place - 1];
                place--;
            }
            queue[place] = node;
            count++;
        }
    }
    return count;
}

/* A node at the end of a long path through the component. */
static int peripheral(const struct sparse_matrix *graph, int node, int *mark, int *stamp,
                      int *queue, int *distance)
{
    int height = -1;

    for (int round = 0; round < 8; round++) {
        const int before = (*stamp)++;
        const int count = search(graph, node, mark, before, before + 1, queue, distance);
        const int farthest = distance[queue[count - 1]];
        int best = queue[count - 1];

        if (farthest <= height)
            break;
        height = farthest;
        for (int i = count - 1; i >= 0 && distance[queue[i]] == farthest; i--)
            if (degree(graph, queue[i]) < degree(graph, best))
                best = queue[i];
        node = best;
    }
    return node;
}

bool order_reverse_cuthill_mckee(const struct sparse_matrix *graph, int *order)
{
    const int n = graph->rows;
    int *mark = calloc((size_t)n + 1, sizeof(int)), *queue = malloc(((size_t)n + 1) * sizeof(int));
    int *distance = malloc(((size_t)n + 1) * sizeof(int)), done = 0;

    for (int i = 0; mark && queue && distance && i < n; i++) {
        int stamp = 0, node;

        if (mark[i] != 0)
            continue;
        node = peripheral(graph, i, mark, &stamp, queue, distance);
        done += search(graph, node, mark, stamp, -1, order + done, distance);
    }
    for (int i = 0; done == n && i < n / 2; i++) {
        int held = order[i];

        order[i] = order[n - 1 - i];
        order[n - 1 - i] = held;
    }
    free(mark);
    free(queue);
    free(distance);
    return done == n;
}

/* The graph of what is left to eliminate: a list of neighbours for each node. */
struct elimination {
    int n;
    int **neighbours;
    int *count; /* -1: eliminated */
    int *mark;
};

/* Joins the neighbours of `gone` to a clique, without it. */
static bool eliminate(struct elimination *e, int gone)
{
    for (int i = 0; i < e->count[gone]; i++) {
        const int node = e->neighbours[gone][i];
        int *joined = malloc(((size_t)e->count[node] + (size_t)e->count[gone] + 1) * sizeof(int));
        int count = 0;

        if (!joined)
            return false;
        e->mark[node] = node + 1;
        e->mark[gone] = node + 1;
        for (int side = 0; side < 2; side++) {
            const int from = side ? gone : node;

            for (int k = 0; k < e->count[from]; k++)
                if (e->mark[e->neighbours[from][k]] != node + 1) {
                    e->mark[e->neighbours[from][k]] = node + 1;
                    joined[count++] = e->neighbours[from][k];
                }
        }
        free(e->neighbours[node]);
        e->neighbours[node] = joined;
        e->count[node] = count;
        /* Marks of the next node differ: a node is marked with its own number. */
        for (int k = 0; k < count; k++)
            e->mark[joined[k]] = 0;
        e->mark[node] = e->mark[gone] = 0;
    }
    e->count[gone] = -1;
    return true;
}

static bool begin_elimination(const struct sparse_matrix *graph, struct elimination *e)
{
    const size_t n = (size_t)graph->rows;

    e->n = graph->rows;
    e->neighbours = calloc(n + 1, sizeof(*e->neighbours));
    e->count = calloc(n + 1, sizeof(*e->count));
    e->mark = calloc(n + 1, sizeof(*e->mark));
    if (!e->neighbours || !e->count || !e->mark)
        return false;
    for (int i = 0; i < e->n; i++) {
        e->count[i] = degree(graph, i);
        e->neighbours[i] = malloc(((size_t)e->count[i] + 1) * sizeof(int));
        if (!e->neighbours[i])
            return false;
        memcpy(e->neighbours[i], graph->index + graph->start[i], (size_t)e->count[i] * sizeof(int));
    }
    return true;
}

static void end_elimination(struct elimination *e)
{
    for (int i = 0; e->neighbours && i < e->n; i++)
        free(e->neighbours[i]);
    free(e->neighbours);
    free(e->count);
    free(e->mark);
}

bool order_minimum_degree(const struct sparse_matrix *graph, int *order)
{
    struct elimination e = {.n = 0};
    bool has_memory = begin_elimination(graph, &e);

    for (int place = 0; has_memory && place < e.n; place++) {
        int best = -1;

        for (int i = 0; i < e.n; i++)
            if (e.count[i] >= 0 && (best < 0 || e.count[i] < e.count[best]))
                best = i;
        order[place] = best;
        /* All that is left is a clique: its order does not matter. */
        if (e.count[best] >= e.n - place - 1) {
            e.count[best] = -1;
            for (int i = 0; i < e.n; i++)
                if (e.count[i] >= 0)
                    order[++place] = i;
            break;
        }
        has_memory = eliminate(&e, best);
    }
    end_elimination(&e);
    return has_memory;
}

enum { DISSECTION_LEAST = 32 };

/* Nodes that have no place yet, in components; places are given from the end. */
struct dissection {
    const struct sparse_matrix *graph;
    int *mark; /* -1: the node has a place */
    int *queue, *distance, *order;
    int end; /* places from here on are given */
};

static void give_place(struct dissection *d, int node)
{
    d->order[--d->end] = node;
    d->mark[node] = -1;
}

/* Gives places to the nodes of a component that stand as far from its end as the middle one, which
 * separate the others; to all, if there are few. */
static void dissect(struct dissection *d, int start)
{
    int stamp = d->mark[start], count, node, middle;

    node = peripheral(d->graph, start, d->mark, &stamp, d->queue, d->distance);
    count = search(d->graph, node, d->mark, stamp, stamp + 1, d->queue, d->distance);
    middle = d->distance[d->queue[count / 2]];
    for (int i = 0; i < count; i++)
        if (count <= DISSECTION_LEAST || d->distance[d->queue[i]] == middle)
            give_place(d, d->queue[i]);
}

bool order_nested_dissection(const struct sparse_matrix *graph, int *order)
{
    const int n = graph->rows;
    struct dissection d = {.graph = graph, .order = order, .end = n};

    d.mark = calloc((size_t)n + 1, sizeof(int));
    d.queue = malloc(((size_t)n + 1) * sizeof(int));
    d.distance = malloc(((size_t)n + 1) * sizeof(int));
    while (d.mark && d.queue && d.distance && d.end > 0)
        for (int i = 0; i < n && d.end > 0; i++)
            if (d.mark[i] >= 0)
                dissect(&d, i);
    free(d.mark);
    free(d.queue);
    free(d.distance);
    return d.end == 0;
}
