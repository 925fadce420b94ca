/* SPDX-License-Identifier: MIT */
/* The name under which older programs include cusparse.h. */
#ifndef CUSPARSE_V2_H_
#define CUSPARSE_V2_H_

#include <cusparse.h>

#endif
