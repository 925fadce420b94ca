/* SPDX-License-Identifier: MIT */
/* Lists of PTX texts, and files in memory. The commands and libraries beside libcuda use these
 * too. */
#include "module/source.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

CUresult cup_source_add(struct cup_source *source, struct cup_source_text text)
{
    struct cup_source_text *added = cup_dynarray_add(&source->array, sizeof *added);

    if (!added) {
        free(text.bytes);
        free(text.name);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "a list of %zu texts", source->count + 1);
    }
    *added = text;
    return CUDA_SUCCESS;
}

void cup_source_finish(struct cup_source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        free(source->texts[i].bytes);
        free(source->texts[i].name);
    }
    free(source->texts);
    *source = (struct cup_source){0};
}

CUresult cup_source_read_file(const char *path, struct cup_source_text *text)
{
    struct stat status;
    int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!*path)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a path without a character");
    if (fd < 0)
        return cup_error(CUDA_ERROR_FILE_NOT_FOUND, "%s: %s", path, strerror(errno));
    *text = (struct cup_source_text){0};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > CUP_IMAGE_BYTES_MAX) {
        close(fd);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%s is not a file, or too large", path);
    }
    text->bytes = malloc((size_t)status.st_size + 1);
    text->length = 0;
    while (text->bytes && text->length < (size_t)status.st_size) {
        ssize_t got = read(fd, text->bytes + text->length, (size_t)status.st_size - text->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text->length += (size_t)got;
    }
    close(fd);
    if (!text->bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%s has %lld bytes", path,
                         (long long)status.st_size);
    text->bytes[text->length] = 0;
    return CUDA_SUCCESS;
}
