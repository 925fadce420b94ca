/* SPDX-License-Identifier: MIT */
/* The configuration that a program gives a communicator. A program that was built for an older NCCL
 * gives fewer fields. */
#ifndef NCCL_CONFIG_H
#define NCCL_CONFIG_H

#include "network.h"

#include <nccl.h>
#include <stdbool.h>

/* NULL is right, and has no field that is set. */
ncclResult_t nccl_config_check(const ncclConfig_t *config);

/* False: calls of the communicator do not wait. */
bool nccl_config_blocks(const ncclConfig_t *config, bool otherwise);

enum nccl_network_kind nccl_config_network(const ncclConfig_t *config);

/* Lines of NCCL_DEBUG=INFO: what is set. */
void nccl_config_show(const ncclConfig_t *config);

#endif
