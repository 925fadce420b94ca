/* SPDX-License-Identifier: MIT */
/*
 * Runs variants on the driver that the program is linked with: in several processes, each taking
 * one module after the other, so that a kernel that faults, crashes or hangs costs itself alone.
 */
#ifndef RUN_H
#define RUN_H

#include "variants.h"
#include <stdbool.h>

/* What became of a variant; OUTCOME_REFUSED and OUTCOME_FAILED come with a CUresult. */
enum outcome {
    OUTCOME_NONE,
    OUTCOME_DONE,
    OUTCOME_REFUSED, /* the module was not loaded */
    OUTCOME_FAILED,  /* launch or synchronisation */
    OUTCOME_DIED,    /* the process did */
};

struct outcomes {
    unsigned char *outcome; /* an enum outcome for each variant */
    int *result;            /* a CUresult for each */
    unsigned char **bytes;  /* the results of each */
};

/* Runs the wanted variants. The arrays are shared between the processes and live on. */
struct outcomes run_variants(const bool *wanted, int jobs);

#endif
