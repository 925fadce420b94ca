/* SPDX-License-Identifier: MIT */
/*
 * libcudadevrt.a: nvcc links every -rdc=true program with it, and programs give it to the driver's
 * linker. The driver has its functions. A linker refuses a library without device code, so this one
 * has a text that defines nothing.
 */
#include <stdint.h>

#define TEXT ".version 6.0\n.target sm_50\n.address_size 64\n"

/* A fatbin with one entry; src/module/fatbin.c reads it. */
struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    uint16_t kind, entry_version;
    uint32_t entry_header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes, name_bytes;
    uint16_t minor, major;
    uint32_t capability;
    uint32_t unused[2];
    uint64_t flags;
    uint64_t unused_too, unpacked_bytes;
    char text[(sizeof TEXT + 7) / 8 * 8];
};

enum { FATBIN_HEADER = 16, ENTRY_HEADER = 64, KIND_PTX = 1, FLAG_64_BIT = 1, FLAG_LINUX = 0x10 };

extern const struct fatbin cudadevrt_device_code;
__attribute__((section(".nv_fatbin"))) const struct fatbin cudadevrt_device_code = {
    .magic = 0xba55ed50,
    .version = 1,
    .header_bytes = FATBIN_HEADER,
    .bytes = sizeof(struct fatbin) - FATBIN_HEADER,
    .kind = KIND_PTX,
    .entry_version = 0x101,
    .entry_header_bytes = ENTRY_HEADER,
    .payload_bytes = sizeof(struct fatbin) - FATBIN_HEADER - ENTRY_HEADER,
    .major = 6,
    .capability = 50,
    .flags = FLAG_64_BIT | FLAG_LINUX,
    .text = TEXT,
};
