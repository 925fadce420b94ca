/* SPDX-License-Identifier: MIT */
/* The root of a bootstrap: collects records of all ranks, round after round. Ranks of this process
 * call it directly; for others the progress thread does, from their connections. */
#ifndef NCCL_BOOTSTRAP_ROOT_H
#define NCCL_BOOTSTRAP_ROOT_H

#include "patience.h"
#include "team.h"

#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct nccl_root;

/* What a rank says first on its connection; then it sends its records, each behind its size. A size
 * of 0 is good-bye. The root answers each round with a status and the records of all. */
struct nccl_hello {
    uint64_t magic;
    struct nccl_key key;
    int32_t rank_count, rank;
};

#define NCCL_HELLO_MAGIC UINT64_C(0x314c43434e707563)

enum { NCCL_RECORD_BYTES_MOST = 4096 };

/* Makes a root and listens at the address; its port is filled in if it is 0. */
ncclResult_t nccl_root_create(struct nccl_key key, struct sockaddr_storage *address,
                              socklen_t length);

/* Takes part in a root of this process. NULL: there is none with the key. */
struct nccl_root *nccl_root_find(struct nccl_key key);
ncclResult_t nccl_root_join(struct nccl_root *root, int rank_count, int rank);
ncclResult_t nccl_root_give(struct nccl_root *root, int rank, const void *record, size_t bytes);
ncclResult_t nccl_root_get(struct nccl_root *root, uint64_t round, void *records,
                           const struct nccl_patience *patience);

/* A rank has all that it wants; or it is gone. */
void nccl_root_leave(struct nccl_root *root, int rank, bool is_gone);

#endif
