/* SPDX-License-Identifier: MIT */
/*
 * libcudadevrt.a: nvcc links every -rdc=true program with it. Ours has no device code: the
 * driver has these functions. The name below only keeps the archive from being empty.
 */
extern const char cudadevrt_without_device_code[];
const char cudadevrt_without_device_code[] = "cupipe";
