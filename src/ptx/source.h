/* SPDX-License-Identifier: MIT */
/* Where the instructions of a PTX text come from: what its .file and .loc directives say. The text
 * is read again for this, since only debuggers and reports ask; a program has its text if
 * ptx_keep_texts is set. */
#ifndef CUP_PTX_SOURCE_H
#define CUP_PTX_SOURCE_H

#include "core/dynarray.h"

#include <stddef.h>
#include <stdint.h>

struct ptx_text {
    const char *bytes;
    size_t length;
    uint64_t hash[2];
};

/* The name of the file that has the text for debuggers and perf: the compiler refers to it, the
 * runtime writes it. */
enum { PTX_TEXT_NAME_BYTES = 40 };
void ptx_text_name(const struct ptx_text *text, char name[PTX_TEXT_NAME_BYTES]);

struct ptx_source_file {
    uint32_t number;
    const char *name; /* not terminated */
    size_t length;
};

enum { PTX_NO_LOCATION = 0xffffffff };

/* What one .loc says of the instructions behind it, up to the next one or the function's end. */
struct ptx_location {
    uint32_t ptx_line; /* of the directive */
    uint32_t file;     /* index into files; PTX_NO_LOCATION: the function begins, and no .loc yet */
    uint32_t line, column;
    /* The instructions come from an inlined function: its name, and the index of the location of
     * the call. NULL, PTX_NO_LOCATION: they do not. */
    const char *function;
    uint32_t inlined_at;
};

struct ptx_source {
    struct {
        CUP_DYNARRAY(struct ptx_source_file, list);
    } files;
    struct {
        CUP_DYNARRAY(struct ptx_location, list); /* in the order of the text */
    } locations;
    struct {
        CUP_DYNARRAY(char, bytes);
    } strings; /* .debug_str: the names of inlined functions */
};

/* Reads the directives. Returns NULL if memory is out. */
struct ptx_source *ptx_source_read(const struct ptx_text *text);
void ptx_source_free(struct ptx_source *source);

/* The location of the instruction in this line of the PTX text, as an index; PTX_NO_LOCATION: the
 * text says nothing. */
uint32_t ptx_source_find(const struct ptx_source *source, uint32_t ptx_line);

#endif
