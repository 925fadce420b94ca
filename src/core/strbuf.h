/* SPDX-License-Identifier: MIT */
/* Text in a buffer of fixed size, with the JSON values that the trace and the reports need. Text
 * that does not fit sets `overflow` and is omitted as a whole. */
#ifndef CUP_CORE_STRBUF_H
#define CUP_CORE_STRBUF_H

#include "core/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_strbuf {
    char *start;
    size_t used;
    size_t size;
    bool overflow;
};

#define CUP_TEXT(array)                                                                            \
    {                                                                                              \
        (array), 0, sizeof(array), false                                                           \
    }

void cup_strbuf_put_bytes(struct cup_strbuf *text, const char *bytes, size_t count);
void cup_strbuf_put(struct cup_strbuf *text, const char *literal);

/* Truncates to `used` and clears `overflow`. */
void cup_strbuf_cut(struct cup_strbuf *text, size_t used);

/* A quoted string, truncated after about two hundred bytes. Bytes that are not UTF-8 become \u00xx:
 * the program's strings may have any. */
void cup_strbuf_put_string(struct cup_strbuf *text, const char *string);
void cup_strbuf_put_whole_string(struct cup_strbuf *text, const char *string); /* not truncated */

/* Text that is JSON; bytes that are not UTF-8 become question marks. */
void cup_strbuf_put_json(struct cup_strbuf *text, const char *json);

void cup_strbuf_print(struct cup_strbuf *text, const char *format, ...) CUP_PRINTF(2, 3);

void cup_strbuf_put_unsigned(struct cup_strbuf *text, uint64_t value);
void cup_strbuf_put_signed(struct cup_strbuf *text, int64_t value);
void cup_strbuf_put_float(struct cup_strbuf *text, uint32_t bits);
void cup_strbuf_put_hex(struct cup_strbuf *text, uint64_t value); /* "0x2a", in quotes */
void cup_strbuf_put_hex_bytes(struct cup_strbuf *text, const void *bytes, size_t count);
void cup_strbuf_put_microseconds(struct cup_strbuf *text, uint64_t value_ns);

#endif
