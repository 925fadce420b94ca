/* SPDX-License-Identifier: MIT */
/* libjpeg's functions and what its versions have in common: its managers of errors and output. */
#ifndef NVJPEG_LIBJPEG_FUNCTIONS_H
#define NVJPEG_LIBJPEG_FUNCTIONS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

enum { LIBJPEG_BLOCK = 8, LIBJPEG_TABLES = 4, LIBJPEG_SCAN_COMPONENTS = 4 };
enum { LIBJPEG_GRAY = 1, LIBJPEG_YCBCR = 3, LIBJPEG_CMYK = 4 }; /* colour spaces */

struct libjpeg_errors {
    void (*exit)(void *object);
    void (*message)(void *object, int level);
    void (*output)(void *object);
    void (*format)(void *object, char *text);
    void (*reset)(void *object);
    int code;
    union {
        int numbers[8];
        char text[80];
    } parameters;
    int trace_level;
    long warnings;
    const char *const *messages;
    int last_message;
    const char *const *more_messages;
    int first_more_message, last_more_message;
};

struct libjpeg_destination {
    unsigned char *next;
    size_t free_bytes;
    void (*begin)(void *object);
    int (*grow)(void *object);
    void (*end)(void *object);
};

struct libjpeg_quantization {
    unsigned short values[64]; /* in natural order */
    int is_sent;
};

struct libjpeg_huffman {
    unsigned char counts[17];
    unsigned char values[256];
    int is_sent;
};

struct libjpeg_functions {
    struct libjpeg_errors *(*std_error)(struct libjpeg_errors *errors);
    void (*create_compress)(void *object, int version, size_t bytes);
    void (*create_decompress)(void *object, int version, size_t bytes);
    void (*destroy)(void *object);
    void (*memory_source)(void *object, const unsigned char *data, unsigned long bytes);
    int (*read_header)(void *object, int needs_image);
    void (*calculate_dimensions)(void *object);
    int (*start_decompress)(void *object);
    unsigned (*read_scanlines)(void *object, unsigned char **rows, unsigned most);
    unsigned (*read_raw)(void *object, unsigned char ***planes, unsigned most);
    void (*set_defaults)(void *object);
    void (*set_colors)(void *object, int colors);
    void (*set_quality)(void *object, int quality, int baseline);
    void (*simple_progression)(void *object);
    struct libjpeg_huffman *(*allocate_huffman)(void *object);
    void (*start_compress)(void *object, int all_tables);
    unsigned (*write_raw)(void *object, unsigned char ***planes, unsigned rows);
    void (*finish_compress)(void *object);
};

extern struct libjpeg_functions libjpeg;

/* Errors return to the caller of setjmp(). The first field is what libjpeg knows. */
struct libjpeg_failure {
    struct libjpeg_errors errors;
    jmp_buf back;
};

void libjpeg_catch(struct libjpeg_failure *failure);

/* A file in memory that grows. */
struct libjpeg_output {
    struct libjpeg_destination destination;
    unsigned char *data; /* the caller frees it */
    size_t bytes, room;
    struct libjpeg_failure *failure;
};

void libjpeg_write_to_memory(struct libjpeg_output *output, struct libjpeg_failure *failure);

/* The place in natural order of each coefficient in zigzag order. */
extern const unsigned char libjpeg_natural_order[64];

#endif
