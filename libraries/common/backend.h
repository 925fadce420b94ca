/* SPDX-License-Identifier: MIT */
/* The mathematical libraries that do the computing: OpenBLAS, oneDNN. Each is loaded when a call
 * first needs it. */
#ifndef LIBRARIES_BACKEND_H
#define LIBRARIES_BACKEND_H

/* A variable of the environment that is set while a library loads, and no longer, unless the
 * program has set it. */
struct lib_backend_setting {
    const char *variable, *value;
};

struct lib_backend {
    const char *name;         /* "OpenBLAS" */
    const char *variable;     /* of the environment: a path that is taken instead of the search */
    const char *const *files; /* sonames, and paths or patterns of them below Python's packages, in
                                 order; ends with NULL */
    const char *install;      /* what to do if it is missing: a sentence; NULL: it may be missing */
    const struct lib_backend_setting *settings; /* ends with a NULL; or NULL */
};

/* Loads the library and returns its handle for dlsym(), or NULL after a message on standard error
 * that says what is missing and how to get it; later calls are silent. Thread-safe. */
void *lib_backend_load(const struct lib_backend *backend);

#endif
