/* SPDX-License-Identifier: MIT */
/* Finds the library of NVIDIA's that one of ours stands in front of. */
#ifndef CUP_TOOLS_NVIDIA_LIBRARY_H
#define CUP_TOOLS_NVIDIA_LIBRARY_H

/* Loads NVIDIA's `name` (libnvrtc.so.13). The search, in order: the file that the environment
 * variable `variable` names; the folders of LD_LIBRARY_PATH, CUDA_HOME and CUDA_PATH; wheels
 * beside the Python extensions of the process; CONDA_PREFIX, /usr/local/cuda and the system's
 * folders. `wheels` are the folders of the wheels below site-packages, ended by NULL.
 * Libraries of cupipe are passed over. Returns NULL if there is none. */
void *cup_nvidia_library_open(const char *name, const char *variable, const char *const *wheels);

#endif
