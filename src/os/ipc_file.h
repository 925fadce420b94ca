/* SPDX-License-Identifier: MIT */
/* Handles by which another process can open a file of this process: process and descriptor, through
 * /proc. A handle has 64 bytes that may be copied anywhere, and may come back stale, damaged or
 * forged. It therefore identifies the process (pid and start time) and the file (device and inode),
 * and ends with a checksum keyed with a secret that is stored in the file. A file is used only if
 * everything matches, and the kernel lets only processes open it that may ptrace its owner. */
#ifndef CUP_OS_IPC_FILE_H
#define CUP_OS_IPC_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The contents of the file, and the version of the format. */
enum cup_ipcfile_kind {
    CUP_IPCFILE_MEMORY = 0x31637569, /* "iuc1" */
    CUP_IPCFILE_EVENT = 0x31657569,  /* "iue1" */
};

struct cup_ipcfile_handle {
    uint32_t kind;
    int32_t fd;
    uint64_t process; /* cup_ipcfile_process() of the process that owns the file */
    uint64_t inode;
    uint32_t device;        /* of the file system */
    uint32_t sum;           /* unkeyed checksum of the fields before `checksum` */
    uint64_t offset, extra; /* for the creator's use */
    uint64_t checksum;
    uint64_t end_zero;
};

struct cup_ipcfile_key {
    uint64_t words[2];
};

/* Identifies a process uniquely within a boot: its pid and start time. 0 if it does not exist or is
 * not visible. */
uint64_t cup_ipcfile_process(int pid);
uint64_t cup_ipcfile_self(void);
bool cup_ipcfile_is_alive(uint64_t process); /* also true if that is unknown */

/* Returns false if the system has no randomness. */
bool cup_ipcfile_key_make(struct cup_ipcfile_key *key);

/* Completes a handle whose kind, fd, offset and extra are set. Returns false if fstat() fails. */
bool cup_ipcfile_seal(struct cup_ipcfile_handle *handle, const struct cup_ipcfile_key *key);

/* True if the handle is intact. */
bool cup_ipcfile_verify(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind,
                        const struct cup_ipcfile_key *key);

/* True if the handle looks like one of a process that has exited. Selects a better error; it is not
 * a proof of authenticity. */
bool cup_ipcfile_is_stale(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind);

/* Opens the file of a handle for reading and writing, with a descriptor of its own, and sets
 * *file_bytes to its size. Returns -1 if there is no such process or file, or no permission. The
 * caller must verify the checksum. */
int cup_ipcfile_open(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind,
                     uint64_t *file_bytes);

/* Opens the same file again, with a file description of its own. Returns -1 and sets errno on
 * failure. */
int cup_ipcfile_reopen(int fd);

/* True if nobody else has the file open or mapped. `fd` must come from cup_ipcfile_reopen() and be
 * the creator's only descriptor. Also returns false if the system cannot tell. */
bool cup_ipcfile_is_alone(int fd);

#endif
