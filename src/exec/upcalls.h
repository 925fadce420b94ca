/* SPDX-License-Identifier: MIT */
/* Functions that src/exec calls in the parts above it. api/upcalls.c has the table. */
#ifndef CUP_EXEC_UPCALLS_H
#define CUP_EXEC_UPCALLS_H

#include <cuda.h>
#include <stdint.h>

struct cup_exec_upcalls {
    /* Implements cudaGraphSetConditional() in kernels. */
    void (*set_condition)(uint64_t handle, uint32_t value);
    /* Implements cudaGraphLaunch() in kernels; graph_launch: what cup_exec_job_in_graph() was
     * given. */
    CUresult (*launch_graph)(void *graph_launch, uint64_t handle, uint64_t stream);
};

extern const struct cup_exec_upcalls cup_exec_upcalls;

#endif
