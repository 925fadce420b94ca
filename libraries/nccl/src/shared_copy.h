/* SPDX-License-Identifier: MIT */
/* Buffers of an operation, as other processes reach them. Device memory is in a file that they can
 * map. Private memory (pinned, managed, of the host) and memory in several pieces gets a copy in a
 * file of this library for the time of the operation. */
#ifndef NCCL_SHARED_COPY_H
#define NCCL_SHARED_COPY_H

#include "fault.h"

#include <stdbool.h>

/* Finds the places of the operation's buffers, and makes the copies that it needs. False: that is
 * not possible, and the team has failed. */
bool nccl_shared_copies_make(struct nccl_operation *operation);

/* Copies what the operation sends, before it is posted; what it has received, when it has ended.
 * False: its memory is not there. */
bool nccl_shared_copies_fill(struct nccl_operation *operation, struct nccl_fault *fault);
bool nccl_shared_copies_return(struct nccl_operation *operation, struct nccl_fault *fault);

void nccl_shared_copies_free(struct nccl_operation *operation);

#endif
