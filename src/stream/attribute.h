/* SPDX-License-Identifier: MIT */
/* Stream attributes, as read and written by cuStreamGetAttribute, cuStreamSetAttribute and
 * cuStreamCopyAttributes. */
#ifndef CUP_STREAM_ATTRIBUTE_H
#define CUP_STREAM_ATTRIBUTE_H

#include <cuda.h>

#include <stdbool.h>

struct CUstream_st;
struct cup_device;

/* Sets the attributes to the defaults of a new stream. */
void cup_stream_attributes_init(struct CUstream_st *stream);

/* A priority out of range is clamped. */
void cup_stream_set_priority(struct CUstream_st *stream, int priority);

/* Return CUDA_ERROR_INVALID_VALUE if streams do not have the attribute or the attribute does not
 * accept the value. The getter writes only the attribute's own member of *value. */
CUresult cup_stream_attribute_get(struct CUstream_st *stream, CUstreamAttrID id,
                                  CUstreamAttrValue *value);
CUresult cup_stream_attribute_set(struct CUstream_st *stream, CUstreamAttrID id,
                                  const CUstreamAttrValue *value);
void cup_stream_attributes_copy(struct CUstream_st *to, struct CUstream_st *from);

/* Whether streams, kernel nodes and launches on the device accept the access policy window. */
bool cup_stream_window_is_valid(const struct cup_device *device,
                                const CUaccessPolicyWindow *window);

#endif
