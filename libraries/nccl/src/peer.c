/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include "progress.h"
#include "registry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mapping {
    struct mapping *next;
    uint64_t inode;
    size_t bytes;
    char *base;
};

struct nccl_peer {
    struct nccl_peer *next;
    int references; /* guarded by lock */
    uint64_t process;
    int pid, pidfd, bell;
    struct nccl_watch *watch;
    struct mapping *mappings; /* guarded by lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nccl_peer *peers;     /* guarded by lock */
static int bell[2] = {-1, -1};      /* guarded by lock */
static struct nccl_watch *own_bell; /* guarded by lock */

uint64_t nccl_process_identity(int pid)
{
    char path[64], text[1024];
    unsigned long long start = 0;
    FILE *file;
    char *end;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = 0;
    end = strrchr(text, ')'); /* the name of the program may have spaces; field 22 is the start */
    for (int field = 2; end && field < 22; field++)
        end = strchr(end + 1, ' ');
    if (!end || sscanf(end, "%llu", &start) != 1)
        return 0;
    return (uint64_t)start << 24 ^ (uint64_t)pid;
}

static void bell_rang(void *context, uint32_t events)
{
    char drained[256];

    (void)context;
    (void)events;
    while (read(bell[0], drained, sizeof(drained)) == (ssize_t)sizeof(drained))
        ;
    nccl_teams_progress();
}

int nccl_bell_descriptor(void)
{
    int descriptor;

    pthread_mutex_lock(&lock);
    if (bell[0] < 0 && pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0)
        bell[0] = bell[1] = -1;
    if (bell[0] >= 0 && !own_bell &&
        nccl_progress_add(bell[0], EPOLLIN, bell_rang, NULL, NULL, &own_bell) != ncclSuccess)
        own_bell = NULL;
    descriptor = own_bell ? bell[1] : -1;
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static int open_file(const struct nccl_peer *peer, int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", peer->pid, fd);
    return open(path, flags | O_CLOEXEC);
}

static void peer_ended(void *context, uint32_t events)
{
    struct nccl_peer *peer = context;

    (void)events;
    nccl_teams_peer_ended(peer);
}

static void peer_free(struct nccl_peer *peer)
{
    struct mapping *next;

    for (struct mapping *mapping = peer->mappings; mapping; mapping = next) {
        next = mapping->next;
        munmap(mapping->base, mapping->bytes);
        free(mapping);
    }
    if (peer->bell >= 0)
        close(peer->bell);
    if (peer->pidfd >= 0)
        close(peer->pidfd);
    free(peer);
}

static struct nccl_peer *peer_create(const struct nccl_member *member)
{
    struct nccl_peer *peer = calloc(1, sizeof(*peer));

    if (!peer)
        return NULL;
    peer->pid = member->pid;
    peer->process = member->process;
    peer->references = 1;
    peer->pidfd = (int)syscall(SYS_pidfd_open, member->pid, 0);
    peer->bell = open_file(peer, member->bell_fd, O_RDWR | O_NONBLOCK);
    /* The number may be that of a younger process by now. */
    if (peer->bell < 0 || peer->pidfd < 0 || nccl_process_identity(peer->pid) != peer->process ||
        nccl_progress_add(peer->pidfd, EPOLLIN | EPOLLONESHOT, peer_ended, NULL, peer,
                          &peer->watch) != ncclSuccess) {
        peer_free(peer);
        return NULL;
    }
    return peer;
}

ncclResult_t nccl_peer_open(const struct nccl_member *member, struct nccl_peer **peer)
{
    struct nccl_peer *found;

    pthread_mutex_lock(&lock);
    for (found = peers; found && found->process != member->process; found = found->next)
        ;
    if (found) {
        found->references++;
    } else {
        found = peer_create(member);
        if (found) {
            found->next = peers;
            peers = found;
        }
    }
    pthread_mutex_unlock(&lock);
    *peer = found;
    return found ? ncclSuccess : ncclSystemError;
}

void nccl_peer_close(struct nccl_peer *peer)
{
    struct nccl_peer **place = &peers;
    bool is_last;

    pthread_mutex_lock(&lock);
    is_last = --peer->references == 0;
    if (is_last) {
        while (*place != peer)
            place = &(*place)->next;
        *place = peer->next;
    }
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    nccl_progress_remove(peer->watch);
    peer_free(peer);
}

/* The descriptor of a process becomes readable when it ends. */
bool nccl_peer_is_alive(const struct nccl_peer *peer)
{
    struct pollfd look = {.fd = peer->pidfd, .events = POLLIN};

    return poll(&look, 1, 0) == 0;
}

/* A full pipe has woken the peer already. The pipe is open for reading, too, so that the end of the
 * peer is no SIGPIPE here. */
void nccl_peer_ring(struct nccl_peer *peer)
{
    (void)!write(peer->bell, "", 1);
}

/* Maps a file; *bytes is at least that much of it, and becomes its size. */
static void *map_file(const struct nccl_peer *peer, const struct nccl_place *place, size_t *bytes,
                      bool whole)
{
    int fd = open_file(peer, place->fd, O_RDWR);
    void *base = MAP_FAILED;
    struct stat file;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &file) == 0 && file.st_ino == place->inode && S_ISREG(file.st_mode) &&
        file.st_size > 0 && (size_t)file.st_size >= *bytes) {
        if (whole)
            *bytes = (size_t)file.st_size;
        base = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    }
    close(fd);
    return base == MAP_FAILED ? NULL : base;
}

void *nccl_peer_open_file(struct nccl_peer *peer, const struct nccl_place *place, size_t bytes)
{
    return map_file(peer, place, &bytes, false);
}

static struct mapping *map_locked(struct nccl_peer *peer, const struct nccl_place *place)
{
    struct mapping *mapping = calloc(1, sizeof(*mapping));

    if (!mapping)
        return NULL;
    mapping->base = map_file(peer, place, &mapping->bytes, true);
    if (!mapping->base) {
        free(mapping);
        return NULL;
    }
    mapping->inode = place->inode;
    mapping->next = peer->mappings;
    peer->mappings = mapping;
    return mapping;
}

void *nccl_peer_map(struct nccl_peer *peer, const struct nccl_place *place, size_t bytes)
{
    struct mapping *mapping;
    char *found = NULL;

    pthread_mutex_lock(&lock);
    for (mapping = peer->mappings; mapping && mapping->inode != place->inode;)
        mapping = mapping->next;
    if (!mapping)
        mapping = map_locked(peer, place);
    if (mapping && place->offset <= mapping->bytes && bytes <= mapping->bytes - place->offset)
        found = mapping->base + place->offset;
    pthread_mutex_unlock(&lock);
    return found;
}
