/* SPDX-License-Identifier: MIT */
/* Sizes and places of the members of a layout. `depth` counts layouts within layouts, which may be
 * registered in a circle. */
#ifndef NVTOOLSEXT_PAYLOAD_LAYOUT_H
#define NVTOOLSEXT_PAYLOAD_LAYOUT_H

#include "payload.h"

enum { NVTX_DEPTH_MAX = 8 };

bool nvtx_is_string(uint64_t type);
size_t nvtx_unit_bytes(uint64_t type); /* of a character of a string */
/* True if the entry is the address of its data. */
bool nvtx_entry_is_indirect(const struct nvtx_entry *entry);
/* What an entry of so many elements or characters takes in place. */
size_t nvtx_entry_bytes(const struct nvtx_domain *domain, const struct nvtx_entry *entry,
                        uint64_t length, int depth);
/* Where an entry lies: where it says, else behind the one before it, aligned. */
size_t nvtx_entry_place(const struct nvtx_domain *domain, const struct nvtx_schema *schema,
                        size_t index, size_t behind, int depth);
/* The bytes of one element of a type or layout; 0: nobody knows. */
size_t nvtx_element_bytes(const struct nvtx_domain *domain, uint64_t type, int depth);

#endif
