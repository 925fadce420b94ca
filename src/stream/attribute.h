/* SPDX-License-Identifier: MIT */
/* The attributes of a stream: cuStreamSetAttribute and its like. */
#ifndef CUP_STREAM_ATTRIBUTE_H
#define CUP_STREAM_ATTRIBUTE_H

#include <cuda.h>

struct CUstream_st;

/* What a new stream has. */
void cup_stream_attributes_init(struct CUstream_st *stream);

/* INVALID_VALUE: streams have no such attribute, or it cannot have that value. Get writes the
 * attribute's own member of *value and no more. */
CUresult cup_stream_attribute_get(struct CUstream_st *stream, CUstreamAttrID id,
                                  CUstreamAttrValue *value);
CUresult cup_stream_attribute_set(struct CUstream_st *stream, CUstreamAttrID id,
                                  const CUstreamAttrValue *value);
void cup_stream_attributes_copy(struct CUstream_st *to, struct CUstream_st *from);

#endif
