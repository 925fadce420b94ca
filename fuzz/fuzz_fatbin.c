/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of fatbins: whatever the bytes are, it takes PTX out of them or says why not.
 * Its inputs are in fuzz/corpus/fatbin. */
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
    struct cup_source_text text = {0};
    bool bad_machine_code = false;
    uint8_t *container;

    if (size < CUP_FATBIN_HEADER_BYTES || cup_fatbin_bytes(data) == 0)
        return 0;             /* who reads images goes no further either */
    container = malloc(size); /* its end is the allocation's: a byte too many is seen */
    if (!container)
        return 0;
    memcpy(container, data, size);
    CUresult result = cup_fatbin_ptx(container, size, CAPABILITY, &text, &bad_machine_code, &log);
    free(container); /* the text is a copy */
    if (bad_machine_code && result != CUDA_ERROR_INVALID_IMAGE)
        die("damaged machine code is taken");
    if ((result == CUDA_SUCCESS) != (text.bytes != NULL))
        die("the answer and the text disagree");
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY && log.errors == 0)
        die("a fatbin is refused without a reason");
    if (text.bytes && text.bytes[text.length] != 0)
        die("the text does not end");
    free(text.bytes);
    ptx_log_free(&log);
    return 0;
}
