/* SPDX-License-Identifier: MIT */
/* Fuzzes the reading of the environment: an input is lines of NAME=VALUE. Whatever they are, the
 * configuration is refused with a sentence, or is one that makes sense. */
#include "core/config.h"
#include "core/fail.h"
#include "core/upcalls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the sanitizers' runtime, where there is one. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);

#ifdef CUPIPE_LIBFUZZER
enum { IS_PROGRAM = 0 }; /* -close_fd_mask=2 is libFuzzer's way to be quiet */
#else
enum { IS_PROGRAM = 1 };
#endif

static int report_fd = STDERR_FILENO;

static void die(const char *why)
{
    dprintf(report_fd, "fuzz_environment: %s\n", why);
    abort();
}

static bool knows(const char *name)
{
    return strcmp(name, "cuMemAlloc") == 0 || strcmp(name, "cuMem*") == 0;
}

const struct cup_core_upcalls cup_core_upcalls = {knows};

static bool is_ours(const char *line)
{
    return strncmp(line, "CUPIPE_", 7) == 0 || strncmp(line, "CUDA_", 5) == 0;
}

/* A file would be made where the input says. */
static bool names_a_file(const char *line)
{
    return strncmp(line, "CUPIPE_LOG=", 11) == 0 && strchr(line, ':');
}

static void check_sense(const struct cup_config *config)
{
    if (config->device_count < 1 || config->device_count > CUP_MAX_DEVICES ||
        config->visible_count < 1 || config->visible_count > config->device_count ||
        config->threads < 1 || config->threads > CUP_MAX_THREADS ||
        config->memory_bytes < CUP_MEMORY_MIN_BYTES || !config->gpus[config->device_count - 1] ||
        !memchr(config->device_name, 0, sizeof(config->device_name)))
        die("a configuration makes no sense");
    for (unsigned i = 0; i < config->visible_count; i++) {
        if (config->visible[i] >= config->device_count)
            die("a device that is not there can be seen");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool quiet;
    struct cup_config config;
    char *text = strndup((const char *)data, size), *rest = text, *line;

    if (!text)
        return 0;
    if (!quiet && IS_PROGRAM) { /* what is refused is said, which is a line for each input */
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        report_fd = dup(STDERR_FILENO);
        if (__sanitizer_set_report_fd)
            __sanitizer_set_report_fd((void *)(intptr_t)report_fd);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    quiet = true;
    clearenv();
    while ((line = strsep(&rest, "\n"))) {
        if (is_ours(line) && strchr(line, '=') && !names_a_file(line))
            putenv(line);
    }
    memset(&config, 0, sizeof(config));
    if (cup_config_read(&config) == CUDA_SUCCESS)
        check_sense(&config);
    clearenv();
    free(text);
    return 0;
}
