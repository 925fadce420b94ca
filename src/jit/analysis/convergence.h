/* SPDX-License-Identifier: MIT */
/* Where lanes of a warp may be diverged: per function (convergence.c) and over all functions of the
 * unit (convergence_unit.c). */
#ifndef CUP_JIT_ANALYSIS_CONVERGENCE_H
#define CUP_JIT_ANALYSIS_CONVERGENCE_H

#include <stdbool.h>
#include <stdint.h>

struct jit_unit;
struct jit_convergence;

/* The analysis of all functions; each array has one entry per function. */
struct jit_convergence_summary {
    bool *could_wait;                   /* lanes may wait in it */
    bool *splits;                       /* lanes may return from it one after the other */
    bool *converged;                    /* all lanes call it at once */
    bool any_taken;                     /* a function that is called by pointer may wait */
    bool **parking;                     /* the argument of jit_cfg_make */
    struct jit_convergence **functions; /* the state of convergence.c; NULL: none yet */
};

/* Fills `diverged`, one entry per node of the function: whether lanes may reach the node one after
 * the other. */
void jit_convergence_find_diverged(struct jit_unit *unit, uint32_t function,
                                   const struct jit_convergence_summary *summary, bool *diverged);
/* Rebuilds the graphs of functions in which lanes may wait for each other. */
void jit_unit_analyse_convergence(struct jit_unit *unit);

#endif
