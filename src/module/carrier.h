/* SPDX-License-Identifier: MIT */
/* Carriers: ELF files in the place of cubins that hold PTX texts.
 *
 * Tools hand over cubins, and cupipe runs PTX. A carrier has the ELF header of a cubin, so that
 * fatbinary and programs that check the header accept it, a section of PTX for each text that was
 * linked, and the symbol table of a cubin (carrier_symbols.h). The marker in the unused bytes of
 * e_ident distinguishes it from machine code. The section headers are last, so the ELF header alone
 * gives the size of the file.
 *
 * cuLinkComplete(), ptxas, nvlink, nvJitLink and the NVRTC wrapper write carriers; everything that
 * accepts a cubin reads them. */
#ifndef CUP_MODULE_CARRIER_H
#define CUP_MODULE_CARRIER_H

#include "module/source.h"

enum { CUP_CARRIER_HEADER_BYTES = 64, CUP_CARRIER_START_BYTES = 16 };

/* Identifies a carrier by its first 16 bytes. */
bool cup_carrier_starts(const uint8_t start[CUP_CARRIER_START_BYTES]);

/* Returns the size of the file from its ELF header, or 0 if the header is damaged. */
uint64_t cup_carrier_bytes(const uint8_t header[CUP_CARRIER_HEADER_BYTES]);

/* Appends the texts of a carrier to `source`. Returns INVALID_IMAGE for a damaged one. */
CUresult cup_carrier_read(const uint8_t *image, size_t bytes, struct cup_source *source);

enum cup_carrier_kind {
    CUP_CARRIER_WHOLE,       /* one text that needs no other */
    CUP_CARRIER_RELOCATABLE, /* to be linked, as ptxas --compile-only leaves it */
    CUP_CARRIER_LINKED,
};

/* Makes a carrier of the texts; the caller frees it. `programs` are the texts, parsed, or what they
 * were linked to: the symbol table has their names; with a count of 0 there is none. */
CUresult cup_carrier_write(const struct cup_source *source, struct ptx_program *const *programs,
                           size_t program_count, unsigned capability, enum cup_carrier_kind kind,
                           void **image, size_t *bytes);

#endif
