/* SPDX-License-Identifier: MIT */
#include "bootstrap_root.h"

#include "comm.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

struct connection {
    struct nccl_watch *watch;
    int fd, rank;
    struct nccl_root *root; /* NULL: it has not said hello */
    size_t have, want;
    uint32_t record_bytes; /* 0: the size comes next */
    char buffer[NCCL_RECORD_BYTES_MOST];
};

/* All fields are guarded by lock. */
struct nccl_root {
    struct nccl_root *next;
    struct nccl_key key;
    int listener;
    struct nccl_watch *watch;
    int rank_count; /* 0: nobody has come */
    int joined, left, given;
    int refused;        /* that came after `error` */
    uint64_t failed_ns; /* when `error` was set */
    uint64_t rounds;    /* that are complete */
    size_t record_bytes, table_bytes;
    char *records, *table;           /* of this round; of the last one */
    bool *is_present, *has_given;    /* by rank */
    struct connection **connections; /* by rank; NULL: in this process, or gone */
    ncclResult_t error;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct nccl_root *roots; /* guarded by lock */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void root_free_locked(struct nccl_root *root)
{
    struct nccl_root **place = &roots;

    if (root->watch) {
        nccl_progress_remove_later(root->watch);
        close(root->listener);
    }
    while (*place != root)
        place = &(*place)->next;
    *place = root->next;
    free(root->records);
    free(root->table);
    free(root->is_present);
    free(root->has_given);
    free(root->connections);
    free(root);
}

/* Sends all of it; a peer that does not read for ten seconds is given up. */
static bool send_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes) {
        ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static void answer_all_locked(struct nccl_root *root)
{
    uint32_t status = root->error;

    for (int rank = 0; rank < root->rank_count; rank++) {
        struct connection *connection = root->connections[rank];

        if (connection && send_all(connection->fd, &status, sizeof(status)) && !status)
            send_all(connection->fd, root->table, root->table_bytes);
    }
    pthread_cond_broadcast(&changed);
}

static void fail_locked(struct nccl_root *root, ncclResult_t error)
{
    if (root->error != ncclSuccess)
        return;
    root->error = error;
    root->failed_ns = now_ns();
    if (root->rank_count)
        answer_all_locked(root);
}

static ncclResult_t join_locked(struct nccl_root *root, int rank_count, int rank)
{
    size_t count = (size_t)rank_count;

    if (root->error != ncclSuccess) {
        root->refused++;
        return root->error;
    }
    if (root->rank_count == 0) {
        root->records = calloc(count, NCCL_RECORD_BYTES_MOST);
        root->table = calloc(count, NCCL_RECORD_BYTES_MOST);
        root->is_present = calloc(count, sizeof(bool));
        root->has_given = calloc(count, sizeof(bool));
        root->connections = calloc(count, sizeof(struct connection *));
        if (!root->records || !root->table || !root->is_present || !root->has_given ||
            !root->connections)
            return ncclSystemError;
        root->rank_count = rank_count;
    }
    if (rank_count != root->rank_count || rank < 0 || rank >= rank_count)
        return nccl_report(ncclInvalidArgument, "rank %d of %d comes to a communicator of %d", rank,
                           rank_count, root->rank_count);
    if (root->is_present[rank])
        return nccl_report(ncclInvalidArgument, "rank %d of %d comes twice", rank, rank_count);
    root->is_present[rank] = true;
    root->joined++;
    return ncclSuccess;
}

static ncclResult_t give_locked(struct nccl_root *root, int rank, const void *record, size_t bytes)
{
    if (root->error != ncclSuccess)
        return root->error;
    if (bytes > NCCL_RECORD_BYTES_MOST || root->has_given[rank] ||
        (root->given && bytes != root->record_bytes))
        return ncclInternalError;
    root->record_bytes = bytes;
    memcpy(root->records + (size_t)rank * bytes, record, bytes);
    root->has_given[rank] = true;
    if (++root->given < root->rank_count)
        return ncclSuccess;
    root->table_bytes = bytes * (size_t)root->rank_count;
    memcpy(root->table, root->records, root->table_bytes);
    memset(root->has_given, 0, (size_t)root->rank_count * sizeof(bool));
    root->given = 0;
    root->rounds++;
    answer_all_locked(root);
    return ncclSuccess;
}

/* A root that has failed stays for ranks that come late, to tell them, but not for ever: some may
 * not come because they have ended. */
static void free_unless_needed_locked(struct nccl_root *root)
{
    enum { LATE_SECONDS = 60 };
    bool all_came = root->joined + root->refused >= root->rank_count;
    bool is_old = root->error != ncclSuccess &&
                  now_ns() - root->failed_ns > LATE_SECONDS * UINT64_C(1000000000);

    if (root->rank_count && root->left == root->joined && (all_came || is_old))
        root_free_locked(root);
}

static void free_old_roots_locked(void)
{
    for (struct nccl_root *root = roots, *next; root; root = next) {
        next = root->next;
        free_unless_needed_locked(root);
    }
}

static void leave_locked(struct nccl_root *root, int rank, bool is_gone)
{
    if (is_gone)
        fail_locked(root, ncclRemoteError);
    root->connections[rank] = NULL;
    root->left++;
    free_unless_needed_locked(root);
}

ncclResult_t nccl_root_join(struct nccl_root *root, int rank_count, int rank)
{
    ncclResult_t result;

    pthread_mutex_lock(&lock);
    result = join_locked(root, rank_count, rank);
    free_unless_needed_locked(root);
    pthread_mutex_unlock(&lock);
    return result;
}

ncclResult_t nccl_root_give(struct nccl_root *root, int rank, const void *record, size_t bytes)
{
    ncclResult_t result;

    pthread_mutex_lock(&lock);
    result = give_locked(root, rank, record, bytes);
    pthread_mutex_unlock(&lock);
    return result;
}

/* Names the first rank that has not come. */
static void time_out_locked(struct nccl_root *root)
{
    int missing = 0;

    while (missing < root->rank_count - 1 && root->has_given[missing])
        missing++;
    nccl_report(ncclRemoteError,
                "rank %d and %d others of a communicator of %d have not come within %u s "
                "(CUPIPE_NCCL_TIMEOUT)",
                missing, root->rank_count - root->given - 1, root->rank_count,
                nccl_patience_seconds());
    fail_locked(root, ncclRemoteError);
}

ncclResult_t nccl_root_get(struct nccl_root *root, uint64_t round, void *records,
                           const struct nccl_patience *patience)
{
    enum { LOOK_NS = 100000000 };
    ncclResult_t result = ncclSuccess;
    struct timespec until;

    pthread_mutex_lock(&lock);
    while (root->rounds < round && root->error == ncclSuccess && result == ncclSuccess) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
        result = nccl_patience_check(patience);
    }
    if (root->rounds >= round)
        result = ncclSuccess;
    else if (root->error)
        result = root->error;
    else if (result == ncclRemoteError)
        time_out_locked(root);
    if (result == ncclSuccess)
        memcpy(records, root->table, root->table_bytes);
    pthread_mutex_unlock(&lock);
    return result;
}

void nccl_root_leave(struct nccl_root *root, int rank, bool is_gone)
{
    pthread_mutex_lock(&lock);
    leave_locked(root, rank, is_gone);
    pthread_mutex_unlock(&lock);
}

struct nccl_root *nccl_root_find(struct nccl_key key)
{
    struct nccl_root *root;

    pthread_mutex_lock(&lock);
    for (root = roots; root && memcmp(&root->key, &key, sizeof(key)) != 0;)
        root = root->next;
    pthread_mutex_unlock(&lock);
    return root;
}

static void connection_end_locked(struct connection *connection, bool is_gone)
{
    if (connection->root)
        leave_locked(connection->root, connection->rank, is_gone);
    nccl_progress_remove_later(connection->watch);
    close(connection->fd);
    free(connection);
}

static bool say_hello_locked(struct connection *connection)
{
    struct nccl_hello hello;
    struct nccl_root *root = roots;

    memcpy(&hello, connection->buffer, sizeof(hello));
    while (root && memcmp(&root->key, &hello.key, sizeof(hello.key)) != 0)
        root = root->next;
    if (hello.magic != NCCL_HELLO_MAGIC || !root || hello.rank_count < 1)
        return false;
    if (join_locked(root, hello.rank_count, hello.rank) != ncclSuccess) {
        free_unless_needed_locked(root);
        return false;
    }
    connection->root = root;
    connection->rank = hello.rank;
    root->connections[hello.rank] = connection;
    connection->want = sizeof(uint32_t);
    return true;
}

/* Works on a message that is complete. False: the connection ends, with *is_gone false if the rank
 * has said good-bye. */
static bool take_message_locked(struct connection *connection, bool *is_gone)
{
    connection->have = 0;
    if (!connection->root)
        return say_hello_locked(connection);
    if (connection->record_bytes == 0) {
        memcpy(&connection->record_bytes, connection->buffer, sizeof(uint32_t));
        connection->want = connection->record_bytes;
        *is_gone = connection->record_bytes != 0;
        return connection->record_bytes && connection->record_bytes <= NCCL_RECORD_BYTES_MOST;
    }
    connection->want = sizeof(uint32_t);
    size_t bytes = connection->record_bytes;
    connection->record_bytes = 0;
    return give_locked(connection->root, connection->rank, connection->buffer, bytes) ==
           ncclSuccess;
}

static void connection_ready(void *context, uint32_t events)
{
    struct connection *connection = context;
    bool is_gone = true, goes_on = true;

    (void)events;
    ssize_t length = recv(connection->fd, connection->buffer + connection->have,
                          connection->want - connection->have, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    pthread_mutex_lock(&lock);
    if (length > 0)
        connection->have += (size_t)length;
    else
        goes_on = false;
    if (goes_on && connection->have == connection->want)
        goes_on = take_message_locked(connection, &is_gone);
    if (!goes_on)
        connection_end_locked(connection, is_gone);
    pthread_mutex_unlock(&lock);
}

/* The root may have ended: the context is the descriptor alone. */
static void listener_ready(void *context, uint32_t events)
{
    struct timeval patience = {.tv_sec = 10};
    int fd = accept4((int)(intptr_t)context, NULL, NULL, SOCK_CLOEXEC);
    struct connection *connection = fd < 0 ? NULL : calloc(1, sizeof(*connection));

    (void)events;
    if (fd < 0)
        return;
    if (connection) {
        connection->fd = fd;
        connection->want = sizeof(struct nccl_hello);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    }
    if (!connection || nccl_progress_add(fd, EPOLLIN, connection_ready, NULL, connection,
                                         &connection->watch) != ncclSuccess) {
        free(connection);
        close(fd);
    }
}

static int listen_at(struct sockaddr_storage *address, socklen_t length)
{
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd, (struct sockaddr *)address, length) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)address, &length) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

ncclResult_t nccl_root_create(struct nccl_key key, struct sockaddr_storage *address,
                              socklen_t length)
{
    struct nccl_root *root = calloc(1, sizeof(*root));
    ncclResult_t result = ncclSystemError;

    if (!root)
        return ncclSystemError;
    root->key = key;
    root->listener = listen_at(address, length);
    if (root->listener < 0)
        nccl_error(result, "no port to listen for the ranks of a communicator: %s",
                   strerror(errno));
    pthread_mutex_lock(&lock);
    free_old_roots_locked();
    if (root->listener >= 0)
        result = nccl_progress_add(root->listener, EPOLLIN, listener_ready, NULL,
                                   (void *)(intptr_t)root->listener, &root->watch);
    if (result == ncclSuccess) {
        root->next = roots;
        roots = root;
    } else {
        if (root->listener >= 0)
            close(root->listener);
        free(root);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
