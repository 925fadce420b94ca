/* SPDX-License-Identifier: MIT */
/* The engine between hosts, between two processes: messages of all sizes in both directions, a
 * message that is too long, operations with a peer that dies, and closing. Skipped without UCX. */
#include "network.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIP = 77, DEADLINE_S = 60, LARGEST = 8 << 20, MANY = 500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended, failed_peers;
static ncclResult_t last_result;

static void done(void *context, ncclResult_t result)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    ended++;
    last_result = result;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void ignored(void *context, ncclResult_t result)
{
    (void)context;
    (void)result;
}

static void failed(void *context)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    failed_peers++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void fail(const char *what)
{
    printf("not ok: %s\n", what);
    exit(1);
}

static void wait_for(const int *value, int most)
{
    struct timespec end;
    int timed_out = 0;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += DEADLINE_S;
    pthread_mutex_lock(&mutex);
    while (*value < most && !timed_out)
        timed_out = pthread_cond_timedwait(&changed, &mutex, &end) != 0;
    pthread_mutex_unlock(&mutex);
    if (timed_out)
        fail("nothing happens");
}

struct side {
    struct nccl_network *network;
    struct nccl_network_peer *peer;
    int socket;
};

static int connect_sides(struct side *side)
{
    unsigned char own[NCCL_NETWORK_ADDRESS_BYTES] = {0}, other[NCCL_NETWORK_ADDRESS_BYTES];
    size_t bytes;

    if (nccl_network_open(NCCL_NETWORK_UCX, &side->network) != ncclSuccess)
        return 0;
    if (nccl_network_address(side->network, own, &bytes) != ncclSuccess)
        fail("no address");
    if (write(side->socket, own, sizeof(own)) != sizeof(own) ||
        recv(side->socket, other, sizeof(other), MSG_WAITALL) != sizeof(other))
        return 0;
    if (nccl_network_connect(side->network, other, failed, NULL, &side->peer) != ncclSuccess)
        fail("cannot connect");
    return 1;
}

static unsigned char pattern(size_t bytes, size_t i, int from)
{
    return (unsigned char)(bytes * 31 + i * 7 + (size_t)from);
}

static void exchange(struct side *side, int number, size_t bytes)
{
    unsigned char *out = malloc(bytes + 1), *in = malloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        out[i] = pattern(bytes, i, number);
    memset(in, 0, bytes + 1);
    ended = 0;
    if (nccl_network_receive(side->peer, bytes, in, bytes, done, NULL) != ncclSuccess ||
        nccl_network_send(side->peer, bytes, out, bytes, done, NULL) != ncclSuccess)
        fail("cannot send and receive");
    wait_for(&ended, 2);
    for (size_t i = 0; i < bytes; i++)
        if (in[i] != pattern(bytes, i, !number))
            fail("a byte is wrong");
    free(out);
    free(in);
}

/* Messages with one tag arrive in order; those of other tags wait for their receive operation. */
static void order(struct side *side)
{
    static int out[MANY], in[MANY];

    ended = 0;
    for (int i = 0; i < MANY; i++) {
        out[i] = i;
        nccl_network_send(side->peer, (uint64_t)(i % 2) << 40, &out[i], sizeof(int), done, NULL);
    }
    for (int i = 1; i >= 0; i--)
        for (int k = i; k < MANY; k += 2)
            nccl_network_receive(side->peer, (uint64_t)i << 40, &in[k], sizeof(int), done, NULL);
    wait_for(&ended, 2 * MANY);
    if (memcmp(out, in, sizeof(out)) != 0)
        fail("messages in the wrong order");
}

static void too_long(struct side *side)
{
    static char data[64];
    ncclResult_t result;

    ended = 0;
    result = nccl_network_receive(side->peer, 99, data, 8, done, NULL);
    if (result == ncclSuccess) { /* the message was not there yet */
        nccl_network_send(side->peer, 99, "0123456789", 10, ignored, NULL);
        wait_for(&ended, 1);
        result = last_result;
    } else {
        nccl_network_send(side->peer, 99, "0123456789", 10, ignored, NULL);
    }
    if (result != ncclInvalidUsage)
        fail("a message that is too long is received");
    if (data[8])
        fail("written beyond the end");
}

static int play(struct side *side, int number)
{
    static const size_t sizes[] = {0, 1, 100, 5000, 70000, 1 << 20, LARGEST};

    if (!connect_sides(side))
        return SKIP;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        exchange(side, number, sizes[i]);
    order(side);
    too_long(side);
    return 0;
}

/* The peer dies. Nothing is sent to it: operations that wait for it end with an error. */
static int survive(struct side *side, pid_t peer)
{
    static char data[LARGEST];
    char data_in[8];
    int status;

    ended = 0;
    nccl_network_receive(side->peer, 777, data_in, 8, done, NULL);
    kill(peer, SIGKILL);
    waitpid(peer, &status, 0);
    wait_for(&failed_peers, 1);
    wait_for(&ended, 1);
    if (last_result != ncclRemoteError)
        fail("a message of a dead peer was received");
    if (nccl_network_send(side->peer, 776, data, LARGEST, done, NULL) != ncclRemoteError)
        fail("a message to a peer that is gone is sent");
    last_result = ncclSuccess;
    if (nccl_network_receive(side->peer, 776, data, LARGEST, done, NULL) != ncclSuccess)
        fail("a receive operation does not look for what a peer sent before its end");
    wait_for(&ended, 2);
    if (last_result != ncclRemoteError)
        fail("a message is received that was never sent");
    nccl_network_break(side->peer);
    nccl_network_disconnect(side->peer);
    nccl_network_close(side->network);
    if (failed_peers != 1)
        fail("the peer failed more than once");
    return 0;
}

/* What ends a connection on this side ends the operations with the peer, and the peer notices. */
static int break_connection(struct side *side, pid_t peer)
{
    static char data[LARGEST];
    char data_in[8];
    int status = 1;

    ended = 0;
    nccl_network_receive(side->peer, 555, data_in, 8, done, NULL);
    if (nccl_network_send(side->peer, 556, data, LARGEST, done, NULL) != ncclSuccess)
        fail("cannot send");
    nccl_network_break(side->peer);
    wait_for(&ended, 2);
    nccl_network_disconnect(side->peer);
    nccl_network_close(side->network);
    waitpid(peer, &status, 0);
    return status;
}

/* The other process: it does the same, and then waits for the end of the connection. */
static void follow(struct side *side)
{
    char result = (char)play(side, 1);

    (void)!write(side->socket, &result, 1);
    if (result == 0)
        wait_for(&failed_peers, 1);
    exit(result);
}

static int run(int (*end)(struct side *side, pid_t peer))
{
    int sockets[2], result;
    char other = 1;
    pid_t child;

    failed_peers = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 1;
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(sockets[0]);
        follow(&(struct side){.socket = sockets[1]});
    }
    close(sockets[1]);
    struct side side = {.socket = sockets[0]};
    result = play(&side, 0);
    if (result == 0)
        result = read(side.socket, &other, 1) == 1 && other == 0 ? end(&side, child) : 1;
    close(side.socket);
    return result;
}

/* Each in a process of its own: the thread of the engine does not survive fork(). */
static int run_apart(int (*end)(struct side *side, pid_t peer))
{
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        exit(run(end));
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
    int result;

    setvbuf(stdout, NULL, _IONBF, 0);
    result = run_apart(survive);
    if (result == 0)
        result = run_apart(break_connection);
    puts(result == SKIP ? "skipped: no UCX" : result ? "not ok" : "ok");
    return result;
}
