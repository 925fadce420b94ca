/* SPDX-License-Identifier: MIT */
/* The version of the runtime. */
#ifndef RT_VERSION_H
#define RT_VERSION_H

/* The newest version that the library can be: it depends on the soname. */
extern const int rt_library_version;

/* The version that the library has: the newest, or an older one of the same major version that
 * CUPIPE_DRIVER names, so that driver and runtime are those of one release. Read when the library
 * is loaded, because cudaRuntimeGetVersion() starts no driver. */
int rt_version(void);

#endif
