/* SPDX-License-Identifier: MIT */
/* Names of CUDA 13.0's values, for both recorders. Each table ends with a row whose name is NULL.
 */
#ifndef CONFORMANCE_TABLES_H
#define CONFORMANCE_TABLES_H

struct named_value {
    int value;
    const char *name;
};

extern const struct named_value result_names[], device_attribute_names[], format_names[],
    pointer_attribute_names[];

#endif
