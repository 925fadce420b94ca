/* SPDX-License-Identifier: MIT */
/* Where the packages lie that a Python program uses, found without asking Python: the stand-ins
 * for NVIDIA's libraries are called with and without its lock held. */
#ifndef CUP_TOOLS_PYTHON_ENVIRONMENT_H
#define CUP_TOOLS_PYTHON_ENVIRONMENT_H

#include <stdbool.h>

enum cup_python_place {
    CUP_PYTHON_PACKAGES, /* a folder of packages, such as site-packages */
    CUP_PYTHON_PREFIX,   /* an environment of conda, whose libraries are in lib */
};

/* Receives a folder and the words that say what led to it; both end with the call. */
typedef void cup_python_visit(void *argument, enum cup_python_place place, const char *folder,
                              const char *rule);

/* Visits the folders in the order in which Python looks for packages: PYTHONPATH; the environment
 * of the interpreter (venv, conda or the system's) with the user's own packages where it has them;
 * folders that this process has loaded libraries from; VIRTUAL_ENV and CONDA_PREFIX. A folder may
 * come more than once, and need not exist. `interpreter` is the path of a Python; NULL: the one
 * that runs in this process, if there is one. */
void cup_python_visit_places(const char *interpreter, cup_python_visit *visit, void *argument);

#endif
