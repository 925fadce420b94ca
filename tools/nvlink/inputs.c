/* SPDX-License-Identifier: MIT */
/* A library's members without PTX for the architecture are passed over: most links need few
 * members, and a name that stays undefined is reported. Any other file must have PTX, or be host
 * code without device code. */
#include "nvlink/inputs.h"

#include "common/input.h"
#include "module/container.h"
#include "module/device_runtime.h"
#include "module/log.h"
#include "nvlink/register.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the lines of a log as messages of nvlink. */
static void print_log(const struct ptx_log *log, const char *path)
{
    const char *line = log->text ? log->text : "";

    while (*line) {
        size_t length = strcspn(line, "\n");
        fprintf(stderr, "nvlink error   : %.*s in '%s'\n", (int)length, line, path);
        line += length + (line[length] == '\n');
    }
}

static bool fail_input(const char *path, const struct ptx_log *log)
{
    print_log(log, path);
    fprintf(stderr, "nvlink fatal   : Input file '%s' cannot be linked\n", path);
    return false;
}

/* Takes a text over. *fits: whether its target is not above the architecture of the link. */
static bool add_text(struct inputs *inputs, struct cup_source_text *text, const char *path,
                     struct ptx_log *log, bool *fits)
{
    struct ptx_program **added;
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text->bytes, text->length, log, &failure);

    *fits = !program || program->target <= inputs->options->capability;
    if (!program || !*fits) {
        if (program)
            ptx_program_free(program);
        return false;
    }
    free(text->name);
    text->name = strdup(path);
    program->input = text->name;
    added = cup_dynarray_add(&inputs->programs.array, sizeof(struct ptx_program *));
    if (added)
        *added = program;
    else
        ptx_program_free(program);
    struct cup_source_text taken = *text;
    text->bytes = text->name = NULL;
    return cup_source_add(&inputs->source, taken) == CUDA_SUCCESS && added && taken.name;
}

/* What is known of the file that is being read. */
struct reading {
    struct inputs *inputs;
    const char *path;
    bool good;
};

static bool add_texts(struct reading *reading, struct cup_source *found, const char *member,
                      struct ptx_log *log)
{
    bool good = true, fits = true;

    for (size_t i = 0; good && i < found->count; i++)
        good = add_text(reading->inputs, &found->texts[i], reading->path, log, &fits);
    if (good || (member && !fits))
        return true;
    if (fits)
        return fail_input(reading->path, log);
    fprintf(stderr, "nvlink fatal   : Input file '%s' arch does not match target '%s'\n",
            reading->path, reading->inputs->options->architecture);
    return false;
}

static bool add_member(void *argument, const uint8_t *bytes, size_t size, const char *member)
{
    struct reading *reading = argument;
    struct inputs *inputs = reading->inputs;
    struct cup_source found = {0};
    struct ptx_log log = {0};

    if (member && cup_input_identify(bytes, size) == CUP_INPUT_UNKNOWN)
        return true; /* the index of a library */
    CUresult result = cup_input_read(bytes, size, inputs->options->capability, &found, &log);
    bool passed_over = member && result == CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (result == CUDA_SUCCESS)
        reading->good = add_texts(reading, &found, member, &log);
    else
        reading->good = passed_over || fail_input(reading->path, &log);
    if (result == CUDA_SUCCESS && found.count > 0 && reading->good)
        reading->good = register_names(bytes, size, &inputs->registers);
    cup_source_finish(&found);
    ptx_log_free(&log);
    return reading->good;
}

bool inputs_add_file(struct inputs *inputs, const char *path)
{
    struct reading reading = {inputs, path, true};
    struct cup_source_text file;

    if (cup_source_read_file(path, &file) != CUDA_SUCCESS) {
        fprintf(stderr, "nvlink fatal   : Could not open input file '%s'\n", path);
        return false;
    }
    const uint8_t *bytes = (const uint8_t *)file.bytes;
    inputs->has_library = inputs->has_library || cup_container_is_library(bytes, file.length);
    bool good = cup_container_each_member(bytes, file.length, add_member, &reading);
    if (!good && reading.good)
        fprintf(stderr, "nvlink fatal   : Input file '%s' is damaged\n", path);
    free(file.bytes);
    return good;
}

bool inputs_add_library(struct inputs *inputs, const char *name)
{
    bool good = true, found = false;

    for (size_t i = 0; !found && i < inputs->options->folders.count; i++) {
        char *path;
        if (asprintf(&path, "%s/lib%s.a", inputs->options->folders.items[i], name) < 0)
            return false;
        FILE *file = fopen(path, "rb");
        found = file != NULL;
        if (file) {
            fclose(file);
            good = inputs_add_file(inputs, path);
        }
        free(path);
    }
    return good;
}

bool inputs_add_device_runtime(struct inputs *inputs)
{
    static const char name[] = "device runtime";
    struct cup_source_text text = {.length = strlen(cup_device_runtime_ptx)};
    struct ptx_log log = {0};
    bool fits;

    if (!inputs->has_library)
        return true;
    text.bytes = strdup(cup_device_runtime_ptx);
    bool good = text.bytes && add_text(inputs, &text, name, &log, &fits);
    free(text.bytes);
    ptx_log_free(&log);
    return good;
}

void inputs_finish(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->programs.count; i++)
        ptx_program_free(inputs->programs.items[i]);
    free(inputs->programs.items);
    for (size_t i = 0; i < inputs->registers.count; i++)
        free(inputs->registers.items[i]);
    free(inputs->registers.items);
    cup_source_finish(&inputs->source);
}
