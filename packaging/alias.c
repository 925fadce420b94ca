/* SPDX-License-Identifier: MIT */
/* Nothing: a library that is only a second name of another, which it needs. */
