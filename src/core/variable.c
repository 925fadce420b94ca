/* SPDX-License-Identifier: MIT */
/* The table of variables.def in C, and the readers of its kinds. */
#include "core/variable.h"

#include "core/config_value.h"

#include <stdio.h>
#include <string.h>

#define FIELD(field)                                                                               \
    .offset = offsetof(struct cup_config, field),                                                  \
    .size_bytes = sizeof(((struct cup_config *)0)->field)
#define WORDS(field, ...) FIELD(field), .words = {__VA_ARGS__}
#define NUMBER(field, first, last, word) FIELD(field), .low = first, .high = last, .what = word
#define TEXT(field) FIELD(field), .has_text = true
#define OWN(reader) .own = cup_read_##reader
#define OWN_TEXT(reader, field) OWN(reader), TEXT(field)

const struct cup_variable cup_variables[CUP_VARIABLE_COUNT] = {
#define CUP_VARIABLE(name, kind, values, standard, option, help) {#name, kind},
#define CUP_OTHER_VARIABLE(name, reader, values, standard, help)
#include "core/variables.def"
#undef CUP_VARIABLE
#undef CUP_OTHER_VARIABLE
};

static const char *const variables_of_others[] = {
#define CUP_VARIABLE(name, kind, values, standard, option, help)
#define CUP_OTHER_VARIABLE(name, reader, values, standard, help) #name,
#include "core/variables.def"
#undef CUP_VARIABLE
#undef CUP_OTHER_VARIABLE
};

bool cup_variable_is_known(const char *name, size_t length)
{
    for (size_t i = 0; i < CUP_VARIABLE_COUNT; i++) {
        if (cup_word_is(cup_variables[i].name, name, length))
            return true;
    }
    for (size_t i = 0; i < CUP_ARRAY_COUNT(variables_of_others); i++) {
        if (cup_word_is(variables_of_others[i], name, length))
            return true;
    }
    return false;
}

/* Writes a number to the field: a bool, an enumeration or an unsigned. */
static void set_field(struct cup_config *config, const struct cup_variable *variable,
                      unsigned number)
{
    char *field = (char *)config + variable->offset;

    if (variable->size_bytes == sizeof(bool))
        *(bool *)field = number != 0;
    else
        memcpy(field, &number, sizeof(number));
}

static CUresult report_word(const struct cup_variable *variable, const char *name,
                            const char *value)
{
    char known[128] = "";

    for (unsigned i = 0; variable->words[i]; i++) {
        size_t used = strlen(known);
        const char *before = i == 0 ? "" : variable->words[i + 1] ? ", " : " or ";

        snprintf(known + used, sizeof(known) - used, "%s%s", before, variable->words[i]);
    }
    return cup_config_report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not %s", name, value, known);
}

static CUresult read_word(struct cup_config *config, const struct cup_variable *variable,
                          const char *name, const char *value)
{
    unsigned index = 0;

    while (value && variable->words[index] && strcmp(variable->words[index], value) != 0)
        index++;
    if (!variable->words[index])
        return report_word(variable, name, value);
    set_field(config, variable, index);
    return CUDA_SUCCESS;
}

static CUresult read_number(struct cup_config *config, const struct cup_variable *variable,
                            const char *name, const char *value)
{
    uint64_t number = 0;

    if (value && !cup_parse_number(value, variable->low, variable->high, &number))
        return cup_config_report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not %s from %llu to %llu",
                                 name, value, variable->what, (unsigned long long)variable->low,
                                 (unsigned long long)variable->high);
    set_field(config, variable, (unsigned)number);
    return CUDA_SUCCESS;
}

CUresult cup_variable_read(struct cup_config *config, const struct cup_variable *variable,
                           const char *name, const char *value)
{
    if (variable->own)
        return variable->own(config, name, value);
    if (variable->words[0])
        return read_word(config, variable, name, value);
    if (variable->what)
        return read_number(config, variable, name, value);
    *(const char **)((char *)config + variable->offset) = value;
    return CUDA_SUCCESS;
}
