/* SPDX-License-Identifier: MIT */
/* Which host this is, and its address for others. */
#ifndef NCCL_HOST_H
#define NCCL_HOST_H

#include <stdint.h>
#include <sys/socket.h>

/* The same for processes that can open each other's files through /proc: NCCL_HOSTID, or the boot
 * of the system, the name of the host, and the namespaces of processes and network. */
uint64_t nccl_host_identity(void);

/* The address of the interface that NCCL_SOCKET_IFNAME and NCCL_SOCKET_FAMILY choose, with port 0.
 * Returns its length; 0: there is none. */
socklen_t nccl_host_address(struct sockaddr_storage *address);

/* Reads "host:port" or "[host]:port". Returns the length of the address; 0: it is no such thing. */
socklen_t nccl_host_parse(const char *text, struct sockaddr_storage *address);

#endif
