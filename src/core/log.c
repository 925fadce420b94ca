/* SPDX-License-Identifier: MIT */
/* The log writer. A message is formatted on the stack and written with one write(2), so lines of
 * different threads do not interleave and a forked child does not inherit a held lock. The
 * configuration sets threshold and file once, before other threads run. */
#include "core/log.h"

#include "core/log_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 1024

_Atomic(int) cup_log_threshold = CUP_LOG_ERROR;

static int log_fd = STDERR_FILENO;

static const char *const level_names[] = {
    [CUP_LOG_NONE] = "none", [CUP_LOG_ERROR] = "error", [CUP_LOG_WARNING] = "warning",
    [CUP_LOG_INFO] = "info", [CUP_LOG_DEBUG] = "debug",
};

bool cup_log_level_parse(const char *word, size_t length, enum cup_log_level *level)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(level_names); i++) {
        if (strlen(level_names[i]) == length && memcmp(level_names[i], word, length) == 0) {
            *level = (enum cup_log_level)i;
            return true;
        }
    }
    return false;
}

int cup_log_open(enum cup_log_level level, const char *path)
{
    int fd = STDERR_FILENO;

    if (path) {
        fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd < 0)
            return errno;
    }
    if (log_fd != STDERR_FILENO)
        close(log_fd);
    log_fd = fd;
    cup_log_threshold = (int)level;
    return 0;
}

/* Returns the path from "src/" on, without the folders of the build machine. */
static const char *short_path(const char *file)
{
    const char *cut = strstr(file, "src/");

    for (const char *next = cut; next; next = strstr(next + 1, "src/"))
        cut = next;
    return cut ? cut : file;
}

/* Clamps the result of snprintf() to what is in the buffer. */
static size_t written(int result, size_t size)
{
    if (result < 0)
        return 0;
    return (size_t)result < size ? (size_t)result : size - 1;
}

static void write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t sent = write(fd, text, length);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return; /* the file is not writable: nothing to do */
        text += sent;
        length -= (size_t)sent;
    }
}

void cup_log_write(enum cup_log_level level, const char *file, int line, const char *format, ...)
{
    char text[LINE_BYTES];
    const size_t capacity = sizeof(text) - 1; /* leaves a byte for the newline */
    int kept_errno = errno;
    va_list arguments;
    size_t length;

    length = written(
        snprintf(text, capacity, "cupipe [%s] %s:%d: ", level_names[level], short_path(file), line),
        capacity);
    va_start(arguments, format);
    length +=
        written(vsnprintf(text + length, capacity - length, format, arguments), capacity - length);
    va_end(arguments);
    text[length++] = '\n';
    write_all(log_fd, text, length);
    errno = kept_errno;
}
