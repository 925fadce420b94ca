/* SPDX-License-Identifier: MIT */
/* Requests to a process about its checkpoint: this one, or another of the same user that runs
 * cupipe. */
#ifndef CUP_API_CHECKPOINT_TARGET_H
#define CUP_API_CHECKPOINT_TARGET_H

#include "device/monitor.h"

/* A process that can be asked. */
struct cup_checkpoint_target {
    int fd; /* -1: this process */
    uint64_t process;
    struct cup_monitor_file *file;
};

/* CUDA_ERROR_NOT_INITIALIZED if the process has not initialised CUDA. */
CUresult cup_checkpoint_open(int pid, struct cup_checkpoint_target *target);
void cup_checkpoint_close(struct cup_checkpoint_target *target);

/* Asks the process and waits for its answer. A thread that asks is in no call: locking this process
 * need not wait for it. Nothing in the reply of another process is to be trusted. */
CUresult cup_checkpoint_ask(int pid, const struct cup_monitor_request *request,
                            struct cup_monitor_reply *reply);

/* The thread that serves requests, which may have been started a moment ago; 0: there is none. */
uint32_t cup_checkpoint_thread(struct cup_monitor_control *control);

#endif
