/* SPDX-License-Identifier: MIT */
/* A call of a function of NPP: what its name says, and its arguments. Every exported function fills
 * the two structures and submits them; a handler of its family computes.
 *
 * Arguments have the field of their parameter's name. Numbers of one of NPP's types are fields with
 * _v behind the name: doubles, two for a complex number. Arrays of planes have _planes, arrays of
 * integers _i. What a function does not have is 0. */
#ifndef NPP_CALL_H
#define NPP_CALL_H

#include <cupipe.h>
#include <nppdefs.h>
#include <stdbool.h>
#include <stddef.h>

/* Complex types follow the real ones. */
enum npp_type {
    NPP_T_8U,
    NPP_T_8S,
    NPP_T_16U,
    NPP_T_16S,
    NPP_T_16F,
    NPP_T_32U,
    NPP_T_32S,
    NPP_T_32F,
    NPP_T_64U,
    NPP_T_64S,
    NPP_T_64F,
    NPP_T_8UC,
    NPP_T_16UC,
    NPP_T_16SC,
    NPP_T_32UC,
    NPP_T_32SC,
    NPP_T_32FC,
    NPP_T_64SC,
    NPP_T_64FC,
};

struct npp_call {
#include "npp_call_fields.h"
};

struct npp_function;

/* Computes the call. It runs in the order of the stream; a status other than success is an error of
 * the arguments, and then nothing was written. With `checks` it only looks at the arguments. */
typedef NppStatus npp_handler(const struct npp_function *function, const struct npp_call *call,
                              bool checks);

enum npp_access { NPP_READS = 1, NPP_WRITES = 2 };
enum { NPP_OPERANDS_MOST = 6 }; /* of a function that are read or written */

/* Memory that a function touches: an image of the region's size, or a signal. Of others with an
 * access of 0 it is known only that they have an address. */
struct npp_operand {
    unsigned short address, step; /* fields of struct npp_call; step 0: a signal of `length` */
    unsigned char element_bytes, channels;
    unsigned char access;
    bool partly; /* some of its elements may be left alone */
};

struct npp_function {
    const char *name, *suffix;
    enum npp_type type, target_type, second_type; /* of sources, and of the second one */
    unsigned char channels, target_channels;
    bool planar, target_planar;
    bool alpha;                      /* the fourth channel is left alone */
    bool masked;                     /* with a mask, or of one channel of several */
    bool has_border;                 /* has a parameter border_type */
    bool has_mask_form;              /* has a parameter mask_form; the others have 3 by 3 */
    unsigned char buffer_size_bytes; /* of the size that is reported; 0: none */
    bool waits;                      /* writes a result to the host */
    npp_handler *handler;
    const struct npp_operand *operands;
    unsigned char operand_count;
    unsigned short call_bytes; /* of struct npp_call that the function fills */
};

#define NPP_END_OF(field) (offsetof(struct npp_call, field) + sizeof(((struct npp_call *)0)->field))

/* Checks the arguments and submits the call to the stream of its context. */
NppStatus npp_submit(const struct npp_function *function, const struct npp_call *call);

/* The context of functions that are not given one. */
NppStreamContext npp_default_context(void);

/* Types. */
size_t npp_bytes(enum npp_type type);     /* of an element */
unsigned npp_numbers(enum npp_type type); /* 2 for complex types */
bool npp_is_float(enum npp_type type);

/* Reads elements as doubles, or as floats. */
void npp_load(enum npp_type type, const void *from, double *to, size_t count);
void npp_load_single(enum npp_type type, const void *from, float *to, size_t count);

/* Writes doubles as elements: integers are rounded to the nearest, halves to even numbers, and
 * saturated. The second form rounds as asked. */
void npp_store(enum npp_type type, const double *from, void *to, size_t count);
void npp_store_rounded(enum npp_type type, const double *from, void *to, size_t count,
                       NppRoundMode mode);
void npp_store_rounded_single(enum npp_type type, const float *from, void *to, size_t count,
                              NppRoundMode mode);

#endif
