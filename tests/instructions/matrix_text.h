/* SPDX-License-Identifier: MIT */
/* Text of kernels with matrix instructions. Elements are made from a hash of the thread's index, in
 * one of three spreads of exponents: near each other, wide with some zeros, and all bit patterns.
 * Results of large shapes are folded into few words.
 *
 * A text has registers m0, m1, mp (for temporary use), mi (from which elements are made), md (a
 * predicate), and the matrices a0 to a7, b0 to b7, c0 to c127. */
#ifndef MATRIX_TEXT_H
#define MATRIX_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Threads of a variant: those of products of floats, and those of others. */
enum { MATRIX_LANES = 256, FEW_LANES = 128 };

enum spread { NEAR, WIDE, ALL, SPREADS };

extern const char *const spread_names[];

/* A type of elements; only matrix_text.c looks into it but for the number of bits. */
struct element {
    const char *name;
    int bits;
    /* How random bits become elements: bits kept, then a number added. */
    struct {
        unsigned keep, add;
    } spread[SPREADS];
};

const struct element *element_named(const char *name);
bool is_float(const char *type);

/* Makes a word of elements in register `to` from the one in `from` and a number. */
void word_write(FILE *file, const struct element *element, enum spread spread, const char *to,
                const char *from, unsigned number);
/* Makes the first `count` registers of a matrix. */
void registers_write(FILE *file, const char *element, enum spread spread, char prefix,
                     unsigned count, unsigned number);
/* The list of a matrix's registers. */
void list_write(FILE *file, char prefix, unsigned count);
/* Makes the metadata of sparse products in register g. */
void metadata_write(FILE *file, unsigned element_bits);

FILE *text_open(char **text);
/* Ends the text with the results, those of `registers` registers c folded into `results`, and adds
 * the variant. */
void matrix_add(const char *opcode, FILE *file, char **text, unsigned registers, unsigned results,
                unsigned lanes, const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
