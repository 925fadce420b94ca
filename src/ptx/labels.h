/* SPDX-License-Identifier: MIT */
/* Labels. A label may be used before it is declared: uses are resolved when their scope ends. */
#ifndef CUP_PTX_LABELS_H
#define CUP_PTX_LABELS_H

#include "ptx/symbols.h"
#include "ptx/vector.h"

struct ptx_token;

/* The use of a label that has not been resolved. */
struct ptx_label_use {
    const char *name;
    uint32_t length, line;
    uint64_t hash;
    uint32_t *target; /* what to set, or NULL: src[0] of the instruction */
    uint32_t instruction;
    uint32_t older; /* use + 1 in the same bucket */
    bool done;
};

struct ptx_labels {
    struct cup_dynarray uses;
    uint32_t *buckets; /* use + 1 */
    size_t bucket_count;
    uint32_t first_use[PTX_MAX_DEPTH]; /* of each scope */
};

bool ptx_label_declare(struct ptx_parser *parser, const struct ptx_token *name);
void ptx_use_label(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *target);
void ptx_labels_enter_scope(struct ptx_parser *parser);
void ptx_labels_leave_scope(struct ptx_parser *parser);
/* The function ends: unresolved uses are errors, which are reported if `complain`. */
void ptx_labels_end(struct ptx_parser *parser, bool complain);

#endif
