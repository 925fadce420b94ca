/* SPDX-License-Identifier: MIT */
/* A second process that has memory, an event and a pool, and shares them. It lives as long as this
 * one. */
#ifndef PEER_H
#define PEER_H

#include <cuda.h>
#include <stdbool.h>

struct peer {
    CUipcMemHandle small, large;
    CUipcEventHandle event;
    CUmemPoolPtrExportData pointer;
    int memory_fd, pool_fd; /* of cuMemCreate, of a pool */
};

/* To be called before the library is used here. Then the library is started in this process, too,
 * with a context current. Ends the process when it cannot be done. */
void peer_start(struct peer *peer);

#endif
