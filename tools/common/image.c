/* SPDX-License-Identifier: MIT */
#include "common/image.h"

#include <stdlib.h>

struct ptx_program **cup_image_parse(const struct cup_source *source, struct ptx_log *log,
                                     size_t *count)
{
    struct ptx_program **programs = calloc(source->count + 1, sizeof(struct ptx_program *));
    enum ptx_failure failure;

    *count = 0;
    while (programs && *count < source->count) {
        const struct cup_source_text *text = &source->texts[*count];
        struct ptx_program *program = ptx_parse(text->bytes, text->length, log, &failure);
        if (!program)
            break;
        program->input = text->name;
        programs[(*count)++] = program;
    }
    return programs;
}

void cup_image_free(struct ptx_program **programs, size_t count)
{
    while (programs && count > 0)
        ptx_program_free(programs[--count]);
    free(programs);
}

CUresult cup_image_write(const struct cup_source *source, unsigned capability,
                         enum cup_carrier_kind kind, void **image, size_t *bytes)
{
    struct ptx_log log = {0};
    size_t count;
    struct ptx_program **programs = cup_image_parse(source, &log, &count);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (programs)
        result = cup_carrier_write(source, programs, count, capability, kind, image, bytes);
    cup_image_free(programs, count);
    ptx_log_free(&log);
    return result;
}
