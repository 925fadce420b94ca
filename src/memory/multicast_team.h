/* SPDX-License-Identifier: MIT */
/* The team of a multicast object: its devices and what they have bound. Processes that share an
 * object share this in a memory file; its writers hold a lock on the file (flock), which ends with
 * a process that is killed. Readers take no lock and treat it as untrusted: a binding is complete
 * when its number is written, and a binding whose process has ended is none. */
#ifndef CUP_MEMORY_MULTICAST_TEAM_H
#define CUP_MEMORY_MULTICAST_TEAM_H

#include "core/config.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_TEAM_BINDINGS = 1024 };

/* A part of a device's memory, by the file that it is in. */
struct cup_team_binding {
    _Atomic(uint64_t) number; /* 0: none; numbers are not used again */
    uint64_t offset, size_bytes;
    uint64_t member;                 /* index of the device in the team */
    struct cup_ipcfile_handle place; /* `offset` there is that of the first byte in the file */
};

struct cup_team {
    _Atomic(uint32_t) added; /* futex: the devices that the team has so far */
    uint32_t unused;
    _Atomic(uint64_t) changes; /* grows after each change of the bindings */
    CUuuid devices[CUP_MAX_DEVICES];
    struct cup_team_binding bindings[CUP_TEAM_BINDINGS];
};

/* One process's access to a team. */
struct cup_team_file {
    struct cup_team *team;
    struct cup_ipcfile_key key;
    unsigned size;       /* devices of a complete team */
    uint64_t size_bytes; /* of the object */
    int fd;              /* with a file description of this process's own; -1: not shared */
    bool is_locked;      /* by this process: cup_team_lock */
};

/* Each returns CUDA_ERROR_OUT_OF_MEMORY or CUDA_ERROR_OPERATING_SYSTEM on failure. */
CUresult cup_team_create(unsigned size, uint64_t size_bytes, bool shared,
                         struct cup_team_file *file);

/* Opens a team by a descriptor that another process exported. CUDA_ERROR_UNKNOWN: it is none. */
CUresult cup_team_open(int fd, struct cup_team_file *file);

/* Safe to call on a zeroed file. The team's own descriptor is closed, too. */
void cup_team_close(struct cup_team_file *file);

/* Writers of the team exclude each other, those of one process too by a lock of their own. Returns
 * false if the system fails. */
bool cup_team_lock(struct cup_team_file *file);
void cup_team_unlock(struct cup_team_file *file);

/* The index of a device; -1: not in the team. */
int cup_team_member(const struct cup_team_file *file, const CUuuid *device);

/* Adds a device. False: it is in the team already, or the team is complete. */
bool cup_team_add_locked(struct cup_team_file *file, const CUuuid *device);

/* Waits until the team is complete. */
void cup_team_await(struct cup_team_file *file);

/* Copies a binding. False: there is none, or what is there makes no sense. */
bool cup_team_read(const struct cup_team_file *file, unsigned index,
                   struct cup_team_binding *binding);

/* Enters a binding whose `place` has kind, fd and offset set. Returns its index; -1: no room, or
 * the system says nothing of the file. */
int cup_team_bind_locked(struct cup_team_file *file, struct cup_team_binding *binding);
void cup_team_unbind_locked(struct cup_team_file *file, unsigned index);

/* Ends bindings of processes that have ended. */
void cup_team_sweep_locked(struct cup_team_file *file);

#endif
