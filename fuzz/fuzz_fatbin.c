/* SPDX-License-Identifier: MIT */
/* Fuzzes the fatbin reader: whatever the bytes are, it extracts PTX or returns an error. Its inputs
 * are in fuzz/corpus/fatbin. */
#include "module/fatbin.h"
#include "os/upcalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ignore_fault(uint64_t address)
{
    (void)address;
}

const struct cup_os_upcalls cup_os_upcalls = {ignore_fault};

enum { CAPABILITY = 90 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *why)
{
    fprintf(stderr, "fuzz_fatbin: %s\n", why);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_log log = {0};
    struct cup_source source = {0};
    uint8_t *container;

    if (size < CUP_FATBIN_HEADER_BYTES || cup_fatbin_bytes(data) == 0)
        return 0;             /* who reads images goes no further either */
    container = malloc(size); /* its end is the allocation's: a byte too many is seen */
    if (!container)
        return 0;
    memcpy(container, data, size);
    CUresult result = cup_fatbin_ptx(container, size, CAPABILITY, &source, &log);
    free(container); /* the texts are copies */
    if (source.bad_machine_code && result != CUDA_ERROR_INVALID_IMAGE)
        die("damaged machine code is taken");
    if ((result == CUDA_SUCCESS) != (source.count != 0))
        die("the answer and the texts disagree");
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY && log.errors == 0)
        die("a fatbin is refused without a reason");
    for (size_t i = 0; i < source.count; i++)
        if (source.texts[i].bytes[source.texts[i].length] != 0)
            die("a text does not end");
    cup_source_finish(&source);
    ptx_log_free(&log);
    return 0;
}
