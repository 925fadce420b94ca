/* SPDX-License-Identifier: MIT */
/* The older name of cudnn_graph.h. */
#ifndef _CUDNN_BACKEND_H_
#define _CUDNN_BACKEND_H_

#include "cudnn_graph.h"

#endif
