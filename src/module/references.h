/* SPDX-License-Identifier: MIT */
/* The .texref and .surfref variables of a module. */
#ifndef CUP_MODULE_REFERENCES_H
#define CUP_MODULE_REFERENCES_H

#include "image/texture_reference.h"
#include "module/module.h"

/* Create one reference per such variable when the module is created. cup_module_references_end()
 * retires the handles; launches in flight keep the objects, which are freed with the module. */
CUresult cup_module_references_create(struct CUmod_st *module);
void cup_module_references_end(struct CUmod_st *module, enum cup_retire_reason reason);
void cup_module_references_free(struct CUmod_st *module);

/* Looks a reference up by name. Returns NOT_FOUND also if it has the other type. */
CUresult cup_module_reference(const struct CUmod_st *module, const char *name,
                              enum cup_object_type type, struct CUtexref_st **reference);

/* Stores the current bindings of the references in a launch. The request's owner is the module,
 * with the reference that the launch holds; this call may replace the owner. On failure the request
 * is unchanged. */
CUresult cup_module_references_bind(struct CUmod_st *module, struct cup_exec_request *request);

#endif
