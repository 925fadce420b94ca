/* SPDX-License-Identifier: MIT */
/* Growable arrays of the parser. Out of memory leaves the parser (parser.h). */
#ifndef CUP_PTX_VECTOR_H
#define CUP_PTX_VECTOR_H

#include "core/dynarray.h"

struct ptx_parser;

/* Appends a zeroed element. Indices of elements fit 31 bits. */
void *ptx_vector_add(struct ptx_parser *parser, struct cup_dynarray *vector, size_t element_size);
void ptx_vector_free(struct cup_dynarray *vector, size_t element_size);
/* Copies the elements into the program's arena and empties the vector; NULL: there are none. */
void *ptx_vector_keep(struct ptx_parser *parser, struct cup_dynarray *vector, size_t element_size);

#endif
