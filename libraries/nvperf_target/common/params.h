/* SPDX-License-Identifier: MIT */
/* The functions of libnvperf_host and libnvperf_target take one structure each. */
#ifndef NVPERF_PARAMS_H
#define NVPERF_PARAMS_H

/* Tells whether a structure of parameters is there, as large as this library knows it. */
#define PARAMS_GIVEN(params, type) ((params) && (params)->structSize >= type##_STRUCT_SIZE)

#endif
