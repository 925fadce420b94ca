/* SPDX-License-Identifier: MIT */
#ifndef API_IMAGES_H
#define API_IMAGES_H

#include "api_calls.h"

/* Gives the calling thread an OpenGL context with objects in it; false where there is none. */
bool images_open_gl(void);

#endif
