/* SPDX-License-Identifier: MIT */
/* A second process for a test, started before CUDA is initialised. The two communicate over a pair
 * of sockets in values of a fixed size; waiting for a value that does not come fails the test. */
#ifndef TEST_PEER_H
#define TEST_PEER_H

#include "test.h"

#include <sys/prctl.h>
#include <sys/socket.h>

struct peer {
    int socket;
    pid_t pid;
};

static inline void peer_send(int socket, const void *value, size_t bytes)
{
    check(write(socket, value, bytes) == (ssize_t)bytes);
}

static inline void peer_receive(int socket, void *value, size_t bytes)
{
    check(recv(socket, value, bytes, MSG_WAITALL) == (ssize_t)bytes);
}

/* A value without a meaning: the other side has come this far. */
static inline void peer_signal(int socket)
{
    peer_send(socket, "x", 1);
}

static inline void peer_await(int socket)
{
    char byte;

    peer_receive(socket, &byte, 1);
}

/* Runs work(socket) in a process that dies with this one. */
static inline struct peer peer_start(void (*work)(int socket))
{
    struct peer peer;
    int sockets[2];

    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    peer.pid = fork();
    check(peer.pid >= 0);
    if (peer.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm((unsigned)test_number("TEST_SECONDS", TEST_SECONDS));
        close(sockets[0]);
        work(sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    peer.socket = sockets[0];
    return peer;
}

/* It has done all its work, and nothing failed. */
static inline void peer_finish(struct peer *peer)
{
    int status;

    check(waitpid(peer->pid, &status, 0) == peer->pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(peer->socket);
}

static inline void peer_kill(struct peer *peer)
{
    check(kill(peer->pid, SIGKILL) == 0);
    check(waitpid(peer->pid, NULL, 0) == peer->pid);
    close(peer->socket);
}

#endif
