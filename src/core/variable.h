/* SPDX-License-Identifier: MIT */
/* The variables that libcuda reads, as variables.def has them, and how a value of each becomes
 * fields of the configuration. Only the configuration (config.c) uses this. */
#ifndef CUP_CORE_VARIABLE_H
#define CUP_CORE_VARIABLE_H

#include "core/config.h"

#include <stddef.h>

enum { CUP_VARIABLE_WORDS_MAX = 4 };

/* Reads a value; NULL: the variable is unset. Messages call the variable `name`. After an error its
 * fields are not valid. */
typedef CUresult cup_own_reader(struct cup_config *config, const char *name, const char *value);

struct cup_variable {
    const char *name;
    cup_own_reader *own; /* OWN and OWN_TEXT: reads the value; NULL: it goes into the field */
    size_t offset;       /* of the field in struct cup_config, and */
    size_t size_bytes;   /* its size; 0: OWN, which knows its fields */
    bool has_text;       /* TEXT and OWN_TEXT: the field is a text */
    const char *words[CUP_VARIABLE_WORDS_MAX + 1]; /* WORDS; NULL after the last */
    uint64_t low, high;                            /* NUMBER: its range, and */
    const char *what;                              /* the word for it in messages */
};

enum {
#define CUP_VARIABLE(name, kind, values, standard, option, help) CUP_INDEX_##name,
#define CUP_OTHER_VARIABLE(name, reader, values, standard, help)
#include "core/variables.def"
#undef CUP_VARIABLE
#undef CUP_OTHER_VARIABLE
    CUP_VARIABLE_COUNT
};

extern const struct cup_variable cup_variables[CUP_VARIABLE_COUNT];

/* Reads a value of the variable, which messages call `name`: it may be an option of the command.
 * INVALID_VALUE, or what an own reader returns, after a message. */
CUresult cup_variable_read(struct cup_config *config, const struct cup_variable *variable,
                           const char *name, const char *value);

/* Whether the first `length` bytes are the name of a variable that libcuda or others read. */
bool cup_variable_is_known(const char *name, size_t length);

/* The readers of the kinds that take no field of their own (config_readers.c): cup_read_<reader>.
 */
#define CUP_VARIABLE(name, kind, values, standard, option, help) kind
#define CUP_OTHER_VARIABLE(name, reader, values, standard, help)
#define WORDS(field, ...)
#define NUMBER(field, low, high, what)
#define TEXT(field)
#define OWN(reader) cup_own_reader cup_read_##reader;
#define OWN_TEXT(reader, field) OWN(reader)
#include "core/variables.def"
#undef CUP_VARIABLE
#undef CUP_OTHER_VARIABLE
#undef WORDS
#undef NUMBER
#undef TEXT
#undef OWN
#undef OWN_TEXT

#endif
