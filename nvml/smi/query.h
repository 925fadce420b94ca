/* SPDX-License-Identifier: MIT */
/* --query-gpu and --query-compute-apps: chosen fields as lines of comma-separated values, and -q:
 * everything as text. */
#ifndef SMI_QUERY_H
#define SMI_QUERY_H

#include "fields.h"

/* What the command line asks for. */
struct query {
    const struct field_list *list; /* NULL: no fields are asked for */
    const char *names;             /* of fields, with commas between them */
    bool no_header, no_units;
};

/* Reads "csv", "csv,noheader" and so on. False, after a message, if it is something else. Without
 * it the form is csv. */
bool query_format(struct query *query, const char *text);

/* Both write to stdout and return the exit status. */
int query_print(const struct query *query, const nvmlDevice_t *devices, unsigned count);
int query_print_all(const nvmlDevice_t *devices, unsigned count);

/* Lists the fields. */
int query_help(const struct field_list *list);

#endif
