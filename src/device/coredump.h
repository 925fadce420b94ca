/* SPDX-License-Identifier: MIT */
/* Core dumps of kernels: the settings of the process and of each context, which inherits those of
 * the process when it is created, and the file that a failed launch writes. The file is text for
 * people: which kernel failed where, and why.
 *
 * As with NVIDIA's driver, only contexts that were created with dumps enabled write them, and a
 * dump ends the process with abort() unless CU_COREDUMP_SKIP_ABORT is set. CU_COREDUMP_TRIGGER_HOST
 * is the opposite of that flag. */
#ifndef CUP_DEVICE_COREDUMP_H
#define CUP_DEVICE_COREDUMP_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_COREDUMP_NAME_BYTES = 1024 };

struct cup_coredump {
    uint8_t on_exception; /* as it was set: not 0 means yes */
    bool is_armed;        /* the context was created with dumps enabled */
    uint32_t flags;       /* CUCoredumpGenerationFlags */
    char file[CUP_COREDUMP_NAME_BYTES];
};

/* Reads or writes an attribute; NULL stands for the process. With a null value *size becomes the
 * size of the attribute. `size` is not NULL. */
CUresult cup_coredump_get(const struct cup_coredump *settings, CUcoredumpSettings attribute,
                          void *value, size_t *size);
CUresult cup_coredump_set(struct cup_coredump *settings, CUcoredumpSettings attribute,
                          const void *value, size_t *size);

/* INVALID_VALUE if there is no such attribute of a context, or of the process. */
CUresult cup_coredump_check(CUcoredumpSettings attribute, int of_context);

/* Copies the settings of the process, for a context that is created; `enable`: with dumps. */
void cup_coredump_inherit(struct cup_coredump *settings, bool enable);

/* True if a failed launch of the context writes a dump. With CU_COREDUMP_SKIP_LOCAL_MEMORY, which
 * lightweight dumps have, registers are left out. */
bool cup_coredump_wanted(const struct cup_coredump *settings, bool *with_registers);

/* True if a dump on request leaves out contexts of devices that have not failed. */
bool cup_coredump_of_faulted_only(void);

/* Calls the application's functions for the start of a dump, before cup_coredump_write(). NULL
 * stands for the process. With CU_COREDUMP_LOG_ONLY there is no dump to begin or to complete. */
void cup_coredump_begin(const struct cup_coredump *settings, CUdevice device);

/* Writes a dump, or logs it, and calls the application's functions for its completion. `text` ends
 * with a line feed. Does not return unless aborting is to be skipped. CU_COREDUMP_NO_ERRBAR_AT_EXIT
 * changes nothing: a thread that faults here does not go on. */
void cup_coredump_write(const struct cup_coredump *settings, CUdevice device, const char *text);

/* Copies the name of the pipe by which dumps are requested, CUP_COREDUMP_NAME_BYTES. False: dumps
 * on request are not enabled. */
bool cup_coredump_pipe(char *name);

#endif
