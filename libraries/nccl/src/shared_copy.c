/* SPDX-License-Identifier: MIT */
/* The copies lie in one sparse file of the process, so that a peer maps one file for all of them.
 * Ranges are taken first-fit, and their pages go back to the system. */
#include "shared_copy.h"

#include "driver.h"
#include "team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct copy_range {
    struct copy_range *next; /* by offset */
    uint64_t offset, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct copy_range *used; /* guarded by lock */
static char *arena;             /* guarded by lock, as the next three */
static int arena_fd = -1;
static uint64_t arena_inode, arena_bytes;

/* No more than the machine has memory can be in use. Peers map all of it, each of them. */
static uint64_t memory_bytes(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* NULL, or what of it failed, with errno set. */
static const char *open_arena_locked(void)
{
    struct stat file;
    void *base;

    if (arena)
        return NULL;
    arena_bytes = memory_bytes();
    if (arena_fd < 0)
        arena_fd = memfd_create("nccl copies", MFD_CLOEXEC);
    if (arena_fd < 0)
        return "no file in memory";
    if (ftruncate(arena_fd, (off_t)arena_bytes) != 0 || fstat(arena_fd, &file) != 0)
        return "no size for a file in memory";
    base = mmap(NULL, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena_fd, 0);
    if (base == MAP_FAILED)
        return "no addresses for a file in memory";
    arena = base;
    arena_inode = file.st_ino;
    return NULL;
}

/* On failure *problem says why. */
static void *copy_create(size_t bytes, struct nccl_place *place, const char **problem)
{
    struct copy_range *range = malloc(sizeof(*range)), **at = &used;
    uint64_t offset = 0;
    void *copy = NULL;

    pthread_mutex_lock(&lock);
    *problem = range ? open_arena_locked() : "no memory";
    if (!*problem) {
        bytes = (bytes + 4095) / 4096 * 4096;
        while (*at && (*at)->offset - offset < bytes) {
            offset = (*at)->offset + (*at)->bytes;
            at = &(*at)->next;
        }
        if (offset + bytes <= arena_bytes) {
            *range = (struct copy_range){*at, offset, bytes};
            *at = range;
            *place = (struct nccl_place){.inode = arena_inode, .offset = offset, .fd = arena_fd};
            copy = arena + offset;
        } else {
            errno = ENOMEM;
            *problem = "copies take as much as the machine has memory";
        }
    }
    pthread_mutex_unlock(&lock);
    if (!copy)
        free(range);
    return copy;
}

static void copy_free(void *copy)
{
    struct copy_range **at = &used, *range;

    if (!copy)
        return;
    pthread_mutex_lock(&lock);
    while ((*at)->offset != (uint64_t)((char *)copy - arena))
        at = &(*at)->next;
    range = *at;
    *at = range->next;
    fallocate(arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range->offset,
              (off_t)range->bytes);
    pthread_mutex_unlock(&lock);
    free(range);
}

static void fail(struct nccl_operation *operation, uint64_t address, size_t bytes,
                 const char *problem)
{
    char reason[256];

    snprintf(reason, sizeof(reason),
             "%zu bytes at 0x%llx cannot be copied for other processes: %s: %s", bytes,
             (unsigned long long)address, problem, strerror(errno));
    nccl_team_fail(operation->rank->team, ncclSystemError, reason);
}

/* False: the team has failed. */
static bool find_place(struct nccl_operation *operation, uint64_t address, size_t bytes,
                       struct nccl_place *place, void **copy)
{
    const char *problem;
    struct cupipe_memory_file file;
    struct stat status;

    place->fd = -1;
    if (bytes == 0)
        return true;
    if (lib_driver()->cupipe->locate_memory(address, &file) == CUDA_SUCCESS &&
        file.bytes >= bytes && fstat(file.fd, &status) == 0) {
        *place = (struct nccl_place){.inode = status.st_ino, .offset = file.offset, .fd = file.fd};
        return true;
    }
    *copy = copy_create(bytes, place, &problem);
    if (!*copy)
        fail(operation, address, bytes, problem);
    return *copy != NULL;
}

bool nccl_shared_copies_make(struct nccl_operation *operation)
{
    const struct nccl_team *team = operation->rank->team;
    struct nccl_request *request = &operation->request;
    bool is_message = request->kind == NCCL_SEND || request->kind == NCCL_RECV;

    if (is_message && (request->kind == NCCL_RECV || team->local_index[request->root] >= 0))
        return true; /* the receiver copies */
    return find_place(operation, request->send, operation->send_bytes, &request->send_place,
                      &operation->send_copy) &&
           find_place(operation, request->recv, operation->recv_bytes, &request->recv_place,
                      &operation->recv_copy);
}

bool nccl_shared_copies_fill(struct nccl_operation *operation, struct nccl_fault *fault)
{
    return !operation->send_copy ||
           nccl_fault_copy(operation->send_copy, (const void *)operation->request.send,
                           operation->send_bytes, fault);
}

bool nccl_shared_copies_return(struct nccl_operation *operation, struct nccl_fault *fault)
{
    return !operation->recv_copy || operation->rank->team->error != ncclSuccess ||
           nccl_fault_copy((void *)operation->request.recv, operation->recv_copy,
                           operation->recv_bytes, fault);
}

void nccl_shared_copies_free(struct nccl_operation *operation)
{
    copy_free(operation->send_copy);
    copy_free(operation->recv_copy);
}
