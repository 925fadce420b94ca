/* SPDX-License-Identifier: MIT */
/* The side of a rank. */
#include "bootstrap.h"

#include "bootstrap_root.h"
#include "comm.h"
#include "host.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Attempts, 100 ms apart, to reach the process that has made an id: it listens already. */
enum { TRIES_OF_ID = 20 };

#define ID_MAGIC UINT64_C(0x31646963636e7563)

/* What stands in a unique id. */
struct id {
    uint64_t magic;
    struct nccl_key key;
    uint32_t is_fixed; /* the address is that of NCCL_COMM_ID, where rank 0 listens */
    uint32_t length;
    unsigned char address[64];
};

_Static_assert(sizeof(struct id) <= sizeof(ncclUniqueId), "an id has 128 bytes");

struct nccl_bootstrap {
    struct nccl_root *root; /* in this process; NULL: behind the socket */
    int fd, rank, rank_count;
    uint64_t rounds;
    size_t record_bytes;
    bool has_failed;
    const struct nccl_patience *patience;
};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

/* All processes derive the same key from the address. */
static void fix_key(struct id *id, const char *text)
{
    id->is_fixed = 1;
    id->key.words[0] = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        id->key.words[0] = (id->key.words[0] ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
}

ncclResult_t nccl_bootstrap_create_id(ncclUniqueId *out)
{
    const char *fixed = secure_getenv("NCCL_COMM_ID");
    struct sockaddr_storage address;
    struct id id = {.magic = ID_MAGIC};
    ncclResult_t result = ncclSuccess;

    if (fixed && *fixed) {
        fix_key(&id, fixed);
        id.length = nccl_host_parse(fixed, &address);
        if (id.length == 0)
            return nccl_error(ncclInvalidArgument, "NCCL_COMM_ID=%s is not host:port", fixed);
    } else {
        if (getrandom(&id.key, sizeof(id.key), 0) != (ssize_t)sizeof(id.key))
            return ncclSystemError;
        id.length = nccl_host_address(&address);
        if (id.length == 0)
            return nccl_error(ncclSystemError,
                              "no interface has an address that NCCL_SOCKET_IFNAME and "
                              "NCCL_SOCKET_FAMILY allow");
        result = nccl_root_create(id.key, &address, id.length);
    }
    if (result != ncclSuccess)
        return result;
    memcpy(id.address, &address, id.length);
    memset(out, 0, sizeof(*out));
    memcpy(out, &id, sizeof(id));
    return ncclSuccess;
}

static bool read_id(const ncclUniqueId *in, struct id *id)
{
    memcpy(id, in, sizeof(*id));
    return id->magic == ID_MAGIC && id->length <= sizeof(id->address);
}

bool nccl_bootstrap_key(const ncclUniqueId *in, struct nccl_key *key)
{
    struct id id;

    if (!read_id(in, &id))
        return false;
    *key = id.key;
    return true;
}

/* Waits until the socket is ready. */
static bool await(const struct nccl_bootstrap *bootstrap, short events)
{
    struct pollfd wait = {.fd = bootstrap->fd, .events = events};

    while (nccl_patience_check(bootstrap->patience) == ncclSuccess) {
        int ready = poll(&wait, 1, 100);

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static bool send_all(const struct nccl_bootstrap *bootstrap, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes) {
        if (!await(bootstrap, POLLOUT))
            return false;
        ssize_t sent = send(bootstrap->fd, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0 && errno != EAGAIN && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool receive_all(const struct nccl_bootstrap *bootstrap, void *data, size_t bytes)
{
    char *at = data;

    while (bytes) {
        if (!await(bootstrap, POLLIN))
            return false;
        ssize_t got = recv(bootstrap->fd, at, bytes, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Connects once. A host that does not answer takes as long as the system tries. */
static bool try_to_connect(struct nccl_bootstrap *bootstrap, const struct sockaddr_storage *address,
                           socklen_t length)
{
    int error = 0;
    socklen_t error_bytes = sizeof(error);

    if (connect(bootstrap->fd, (const struct sockaddr *)address, length) == 0)
        return true;
    return errno == EINPROGRESS && await(bootstrap, POLLOUT) &&
           getsockopt(bootstrap->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes) == 0 && error == 0;
}

/* Rank 0 may come late to an address of NCCL_COMM_ID. */
static ncclResult_t connect_to(struct nccl_bootstrap *bootstrap, const struct id *id)
{
    struct sockaddr_storage address = {0};

    memcpy(&address, id->address, id->length);
    for (int i = 0; nccl_patience_check(bootstrap->patience) == ncclSuccess &&
                    (id->is_fixed || i < TRIES_OF_ID);
         i++) {
        bootstrap->fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (bootstrap->fd < 0)
            return ncclSystemError;
        if (try_to_connect(bootstrap, &address, id->length))
            return ncclSuccess;
        close(bootstrap->fd);
        bootstrap->fd = -1;
        nap();
    }
    return nccl_report(ncclSystemError,
                       "the process that has made the unique id of a communicator cannot be "
                       "reached: it has ended, or NCCL_SOCKET_IFNAME chooses an address that "
                       "this host cannot reach");
}

static ncclResult_t join(struct nccl_bootstrap *bootstrap, const struct id *id)
{
    struct nccl_hello hello = {.magic = NCCL_HELLO_MAGIC,
                               .key = id->key,
                               .rank_count = bootstrap->rank_count,
                               .rank = bootstrap->rank};
    struct sockaddr_storage address = {0};
    ncclResult_t result;

    memcpy(&address, id->address, id->length);
    bootstrap->root = nccl_root_find(id->key);
    if (!bootstrap->root && id->is_fixed && bootstrap->rank == 0) {
        result = nccl_root_create(id->key, &address, id->length);
        if (result != ncclSuccess)
            return result;
        bootstrap->root = nccl_root_find(id->key);
    }
    if (bootstrap->root)
        return nccl_root_join(bootstrap->root, bootstrap->rank_count, bootstrap->rank);
    result = connect_to(bootstrap, id);
    if (result == ncclSuccess && !send_all(bootstrap, &hello, sizeof(hello)))
        result = ncclRemoteError;
    return result;
}

ncclResult_t nccl_bootstrap_join(const ncclUniqueId *in, int rank_count, int rank,
                                 const struct nccl_patience *patience,
                                 struct nccl_bootstrap **bootstrap)
{
    struct nccl_bootstrap *made;
    ncclResult_t result;
    struct id id;

    if (!read_id(in, &id))
        return ncclInvalidArgument;
    made = calloc(1, sizeof(*made));
    if (!made)
        return ncclSystemError;
    *made = (struct nccl_bootstrap){
        .fd = -1, .rank = rank, .rank_count = rank_count, .patience = patience};
    result = join(made, &id);
    if (result == ncclSuccess) {
        *bootstrap = made;
        return result;
    }
    if (made->fd >= 0)
        close(made->fd);
    free(made);
    return result;
}

ncclResult_t nccl_bootstrap_give(struct nccl_bootstrap *bootstrap, const void *record, size_t bytes)
{
    uint32_t size = (uint32_t)bytes;
    ncclResult_t result = ncclSuccess;

    bootstrap->rounds++;
    bootstrap->record_bytes = bytes;
    if (bootstrap->root)
        result = nccl_root_give(bootstrap->root, bootstrap->rank, record, bytes);
    else if (!send_all(bootstrap, &size, sizeof(size)) || !send_all(bootstrap, record, bytes))
        result = ncclRemoteError;
    bootstrap->has_failed |= result != ncclSuccess;
    return result;
}

ncclResult_t nccl_bootstrap_get(struct nccl_bootstrap *bootstrap, void *records)
{
    uint32_t status = ncclRemoteError;
    ncclResult_t result;

    if (bootstrap->root) {
        result = nccl_root_get(bootstrap->root, bootstrap->rounds, records, bootstrap->patience);
    } else {
        result = receive_all(bootstrap, &status, sizeof(status)) ? (ncclResult_t)status
                                                                 : ncclRemoteError;
        if (result == ncclSuccess &&
            !receive_all(bootstrap, records,
                         bootstrap->record_bytes * (size_t)bootstrap->rank_count))
            result = ncclRemoteError;
        if (status >= ncclNumResults)
            result = ncclRemoteError;
        if (nccl_patience_check(bootstrap->patience) == ncclRemoteError)
            result = nccl_report(ncclRemoteError,
                                 "rank %d of %d has waited for the others for %u s "
                                 "(CUPIPE_NCCL_TIMEOUT)",
                                 bootstrap->rank, bootstrap->rank_count, nccl_patience_seconds());
    }
    bootstrap->has_failed |= result != ncclSuccess;
    return result;
}

void nccl_bootstrap_leave(struct nccl_bootstrap *bootstrap)
{
    uint32_t bye = 0;

    if (bootstrap->root) {
        nccl_root_leave(bootstrap->root, bootstrap->rank, bootstrap->has_failed);
    } else {
        if (!bootstrap->has_failed)
            send_all(bootstrap, &bye, sizeof(bye));
        close(bootstrap->fd);
    }
    free(bootstrap);
}
