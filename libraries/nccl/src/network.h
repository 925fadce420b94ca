/* SPDX-License-Identifier: MIT */
/* Messages between hosts, carried by UCX (libucp.so.0), which is loaded when a communicator first
 * has ranks on two hosts. There is one engine of each kind for each process.
 *
 * A message has a tag and goes to the receive operation with the same tag at the peer; messages
 * with the same tag arrive in order. The memory is directly addressable by the processor.
 * Completion functions are called in the progress thread (progress.h), without locks of the engine,
 * also before send or receive returns, and may send and receive. All functions are thread-safe. */
#ifndef NCCL_NETWORK_H
#define NCCL_NETWORK_H

#include <nccl.h>
#include <stddef.h>
#include <stdint.h>

struct nccl_network;
struct nccl_network_peer;

typedef void nccl_network_done(void *context, ncclResult_t result);

enum nccl_network_kind {
    NCCL_NETWORK_UCX,    /* whatever UCX has */
    NCCL_NETWORK_SOCKET, /* TCP alone, as NCCL's network of that name */
    NCCL_NETWORK_KINDS,
};

/* Its name in NCCL's configuration and messages. */
const char *nccl_network_name(enum nccl_network_kind kind);

/* Opens the engine of the process, or takes one more reference on it, and registers it with the
 * progress thread. ncclSystemError, after one message that says what to install, if there is no
 * UCX. */
ncclResult_t nccl_network_open(enum nccl_network_kind kind, struct nccl_network **network);

/* Drops a reference. The last one closes the engine; operations that are under way are cancelled.
 */
void nccl_network_close(struct nccl_network *network);

/* The address by which peers reach this process: at most NCCL_NETWORK_ADDRESS_BYTES. */
enum { NCCL_NETWORK_ADDRESS_BYTES = 1024 };
ncclResult_t nccl_network_address(struct nccl_network *network,
                                  unsigned char address[NCCL_NETWORK_ADDRESS_BYTES], size_t *bytes);

/* Connects to a process; does not wait for it. `failed` is called, at most once, when the peer is
 * gone. */
ncclResult_t nccl_network_connect(struct nccl_network *network, const void *address,
                                  void (*failed)(void *context), void *context,
                                  struct nccl_network_peer **peer);

/* Ends the connection at once: operations with the peer end with ncclRemoteError, and later ones
 * too. `failed` is not called any more. */
void nccl_network_break(struct nccl_network_peer *peer);

/* Ends the connection, if it was not broken, and frees the peer. What was sent before still
 * arrives; receive operations are cancelled. `failed` is not called any more when this returns. */
void nccl_network_disconnect(struct nccl_network_peer *peer);

/* Gives messages to peers that were disconnected some time to go. */
void nccl_network_see_off(struct nccl_network *network);

/* Sends and receives; `done` is called once for each that returned ncclSuccess. ncclRemoteError,
 * here or there: the peer is gone; what it sent before can still be received. ncclInvalidUsage: the
 * message was longer than the memory of the receive operation. */
ncclResult_t nccl_network_send(struct nccl_network_peer *peer, uint64_t tag, const void *data,
                               size_t bytes, nccl_network_done *done, void *context);
ncclResult_t nccl_network_receive(struct nccl_network_peer *peer, uint64_t tag, void *data,
                                  size_t bytes, nccl_network_done *done, void *context);

/* Calls `done` in the progress thread. */
ncclResult_t nccl_network_call(struct nccl_network *network, nccl_network_done *done, void *context,
                               ncclResult_t result);

#endif
