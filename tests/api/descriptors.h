/* SPDX-License-Identifier: MIT */
/* Messages between processes, with descriptors in them: whatever else a program does with a socket,
 * this part of it is the same everywhere. */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

enum { DESCRIPTORS_MAX = 2 };

union descriptors_control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

/* False: not all of it went. */
static inline bool descriptors_send(int socket, const void *data, size_t bytes, const int *fds,
                                    unsigned count)
{
    struct iovec part = {(void *)data, bytes};
    union descriptors_control control = {.header = {.cmsg_level = SOL_SOCKET,
                                                    .cmsg_type = SCM_RIGHTS,
                                                    .cmsg_len = CMSG_LEN(count * sizeof(int))}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (count) {
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* A descriptor that did not come is -1; others are closed on exec. False: something else came. */
static inline bool descriptors_receive(int socket, void *data, size_t bytes, int *fds,
                                       unsigned count)
{
    struct iovec part = {data, bytes};
    union descriptors_control control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header;

    for (unsigned i = 0; i < count; i++)
        fds[i] = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != (ssize_t)bytes)
        return false;
    header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len <= CMSG_LEN(count * sizeof(int)))
        memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return true;
}

#endif
