/* SPDX-License-Identifier: MIT */
/* What happens when LLVM gets no memory. */
#ifndef CUP_JIT_SHORTAGE_H
#define CUP_JIT_SHORTAGE_H

struct cup_workspace;

/* From here on it leaves this compilation when it happens in this thread; NULL: none. */
void cup_shortage_watch(struct cup_workspace *workspace);

#endif
