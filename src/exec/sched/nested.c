/* SPDX-License-Identifier: MIT */
/* Runs what kernels have launched. A tail launch runs after everything that its grid has launched
 * and takes the grid's place, so that a kernel may launch itself again without end. */
#include "exec/sched/nested.h"

#include "core/checks.h"
#include "core/error.h"
#include "exec/sched/grid.h"
#include "os/guard.h"

#include <stdlib.h>
#include <string.h>

static void move_bytes(void *argument)
{
    const struct cup_nested *child = argument;

    if (child->kind == CUP_NESTED_COPY)
        memmove((void *)(uintptr_t)child->target, (const void *)(uintptr_t)child->source,
                child->size_bytes);
    else
        memset((void *)(uintptr_t)child->target, child->value, child->size_bytes);
    if (child->kind == CUP_NESTED_COPY)
        cup_check_copied(child->target, child->source, child->size_bytes);
    else
        cup_check_written(child->target, child->size_bytes);
}

static CUresult run(struct cup_grid *grid, struct cup_nested *child, struct cup_nested_list *after)
{
    if (child->kind == CUP_NESTED_KERNEL)
        return grid->run_nested(grid, child, after);
    if (cup_guard_run(move_bytes, child)) {
        if (child->kind == CUP_NESTED_COPY)
            cup_check_job_touched(&grid->base, child->source, child->size_bytes, CUP_TOUCH_READ);
        cup_check_job_touched(&grid->base, child->target, child->size_bytes, CUP_TOUCH_WRITE);
        return CUDA_SUCCESS;
    }
    cup_log(CUP_LOG_INFO, "kernel %s copies or fills memory that is not there", grid->kernel_name);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* Takes the children of the grid. Tail launches of a grid that was itself launched by a kernel
 * stay: whoever runs it takes them. */
static struct cup_nested *take(struct cup_grid *grid)
{
    struct cup_nested_list *list = &grid->children;
    struct cup_nested *first = list->first;

    list->first = NULL;
    if (grid->depth > 0)
        return first;
    if (first)
        list->last->next = list->tail_first;
    else
        first = list->tail_first;
    list->tail_first = list->tail_last = NULL;
    return first;
}

void cup_nested_run_all(struct cup_grid *grid)
{
    struct cup_nested *child = take(grid);

    while (child) {
        struct cup_nested_list after = {0};
        CUresult result = cup_grid_failed(grid) ? CUDA_SUCCESS : run(grid, child, &after);
        struct cup_nested *done = child, *last = after.tail_last;

        if (result != CUDA_SUCCESS)
            cup_grid_fail(grid, result);
        child = child->next;
        if (last) {
            last->next = child;
            child = after.tail_first;
        }
        free(done);
    }
}
