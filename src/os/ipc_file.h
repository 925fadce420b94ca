/* SPDX-License-Identifier: MIT */
/* A file of this process, named so that another process can open it: by process and descriptor,
 * through /proc. A name is 64 bytes that may be copied anywhere, and may come back stale, damaged
 * or invented. So it says which process (number and start time) and which file (device and inode)
 * it means, and ends with a checksum keyed with a secret that stands in the file itself. Nothing is
 * opened for good before all of it fits, and the system lets only those open it who may look into
 * the process. */
#ifndef CUP_OS_IPC_FILE_H
#define CUP_OS_IPC_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* What is in the file, and the version of this form. */
enum cup_ipcfile_kind {
    CUP_IPCFILE_MEMORY = 0x31637569, /* "iuc1" */
    CUP_IPCFILE_EVENT = 0x31657569,  /* "iue1" */
};

struct cup_ipcfile_handle {
    uint32_t kind;
    int32_t fd;
    uint64_t process; /* cup_ipcfile_process of the one that has the file */
    uint64_t inode;
    uint32_t device;        /* of the file system */
    uint32_t sum;           /* of the other fields before the checksum, without a secret */
    uint64_t offset, extra; /* the maker's own */
    uint64_t checksum;
    uint64_t end_zero;
};

struct cup_ipcfile_key {
    uint64_t words[2];
};

/* A process, unlike any other of this boot: its number and when it started. 0 for one that is not
 * there or not to be seen. */
uint64_t cup_ipcfile_process(int pid);
uint64_t cup_ipcfile_self(void);
bool cup_ipcfile_is_alive(uint64_t process); /* true, too, when that cannot be found out now */

/* False when the system has no randomness to give. */
bool cup_ipcfile_key_make(struct cup_ipcfile_key *key);

/* Completes a handle whose kind, fd, offset and extra are set. False when the file cannot be asked.
 */
bool cup_ipcfile_seal(struct cup_ipcfile_handle *handle, const struct cup_ipcfile_key *key);

/* Is it whole? */
bool cup_ipcfile_verify(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind,
                        const struct cup_ipcfile_key *key);

/* Was it made like this once, by a process that is gone? For a better answer, not for trust. */
bool cup_ipcfile_is_stale(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind);

/* The file a handle names, to read and write, with a descriptor of its own; -1 when there is no
 * such process, no such file, or it is not ours to open. The checksum is the caller's to verify. */
int cup_ipcfile_open(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind);

/* A descriptor to the same file that shares nothing with the first; -1, with errno set, when the
 * system refuses. */
int cup_ipcfile_reopen(int fd);

/* Has nobody else the file open or mapped? `fd` must come from cup_ipcfile_reopen, and be the only
 * one left of the maker's. False also when the system cannot tell. */
bool cup_ipcfile_is_alone(int fd);

#endif
