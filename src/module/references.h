/* SPDX-License-Identifier: MIT */
/* The .texref and .surfref variables of a module. */
#ifndef CUP_MODULE_REFERENCES_H
#define CUP_MODULE_REFERENCES_H

#include "image/texture_reference.h"
#include "module/module.h"

/* One for each such variable, when the module is made. Their handles end with the module's; they
 * themselves stay for launches under way, and go with the module. */
CUresult cup_module_references_create(struct CUmod_st *module);
void cup_module_references_end(struct CUmod_st *module, enum cup_retire_reason reason);
void cup_module_references_free(struct CUmod_st *module);

/* By its name; NOT_FOUND also for one of the other type. */
CUresult cup_module_reference(const struct CUmod_st *module, const char *name,
                              enum cup_object_type type, struct CUtexref_st **reference);

/* Puts what the references are bound to now into a launch. The request's owner is the module, with
 * the reference that the launch holds; it may become another. On failure the request stays as it
 * is. */
CUresult cup_module_references_bind(struct CUmod_st *module, struct cup_exec_request *request);

#endif
