/* SPDX-License-Identifier: MIT */
/* C++ names in their plain form, "void scale<float>(float*, int)", if a C++ runtime library is
 * there. It is loaded when the first mangled name is met. */
#ifndef CUP_OS_DEMANGLE_H
#define CUP_OS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the plain form of a mangled name, cut. Returns false if it is not one, or if no library
 * can tell. Uses malloc() and the dynamic loader. */
bool cup_demangle(const char *name, char *plain, size_t size);

/* Copies a text in which every mangled name has its plain form. Returns the bytes of the copy
 * without its zero; what does not fit is cut. */
size_t cup_demangle_text(const char *text, size_t length, char *plain, size_t size);

#endif
