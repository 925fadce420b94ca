/* SPDX-License-Identifier: MIT */
#include "eager.h"

#include <string.h>

/* Each process reads what all ranks send. Above this it is cheaper to share the work. */
enum { MOST_BYTES_OF_ALL = 64 * 1024 };

bool nccl_eager_applies(const struct nccl_team *team, const struct nccl_request *request)
{
    size_t bytes;

    if (team->process_count == 1 || team->hosts || request->kind >= NCCL_SEND)
        return false;
    bytes = nccl_request_send_bytes(request, request->root, team->rank_count);
    return bytes <= NCCL_EAGER_BYTES && bytes * (size_t)team->rank_count <= MOST_BYTES_OF_ALL;
}

void nccl_eager_write(struct nccl_team *team, uint64_t round,
                      const struct nccl_operation *operation)
{
    memcpy(nccl_segment_eager(team->segment, team->rank_count, round, operation->rank->rank),
           (const void *)operation->request.send, operation->send_bytes);
}
