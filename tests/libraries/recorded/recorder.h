/* SPDX-License-Identifier: MIT */
/* Asks CUDA's libraries questions and prints a line for each: a name, a colon, and the answer.
 * `~` stands before a number that two libraries may round differently, everything else must be
 * equal. A group of questions runs in a process of its own, with the primary context of device 0;
 * behind a question that crashed or hung it goes on in another process.
 *
 *     if (!question("blas/dot/%d", n))
 *         continue;
 *     answer_status(cublasSdot(...));
 *     answer_floats(&result, 1);
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <cuda.h>
#include <library_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group {
    const char *name;
    void (*ask)(void);
};

/* Ended by a group without a name. */
extern const struct group blas_groups[], lt_groups[], fft_groups[], rand_groups[];

/* Begins a line, and gives back the device memory of the last question. False when an earlier
 * process of the group has asked it: then nothing is called. */
__attribute__((format(printf, 1, 2))) bool question(const char *format, ...);
__attribute__((format(printf, 1, 2))) void answer(const char *format, ...);
void answer_status(int status);
void answer_floats(const float *values, size_t count);
void answer_doubles(const double *values, size_t count);
/* Waits for the device, and prints its error if there is one. */
void answer_device(void);
void answer_checksum(const void *bytes, size_t count);

/* Device memory until the next question, zeroed or with a copy of `host`. */
void *device_zeros(size_t bytes);
void *device_copy(const void *host, size_t bytes);
void device_read(void *host, const void *device, size_t bytes);

/* Numbers that follow from the question's name: -range .. range in steps of an eighth. */
int random_below(int bound);
double random_number(double range);

/* Floats or doubles with such numbers, on the device. A complex element is two of them. */
void *device_numbers(bool is_double, size_t count);
/* Some elements of an array and a sum that has all of them. */
void answer_array(bool is_double, const void *device, size_t count);

#endif
