/* SPDX-License-Identifier: MIT */
/* The locks of OpenGL's objects. An object may be registered in several contexts that share it, and
 * each of them then has a state of its own for it; OpenGL leaves it to its caller to keep threads
 * apart that change one object. Contexts that share an object know it by the same name, and nothing
 * tells which contexts share, so the name alone selects the lock. */
#ifndef CUP_INTEROP_GL_LOCK_H
#define CUP_INTEROP_GL_LOCK_H

#include "core/lock.h"

/* Returns the lock, of rank CUP_RANK_GRAPHICS, of all objects with this name, whatever their
 * context and kind. Other names may have the same lock. */
struct cup_lock *cup_gl_lock_of(unsigned name);

#endif
