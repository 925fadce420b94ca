/* SPDX-License-Identifier: MIT */
/* For the schedules that run work when somebody waits for it (CUPIPE_SCHEDULE). Who waits for a
 * semaphore is not to be seen from here: it may be a queue of Vulkan, in another process. So a
 * thread of the library's own waits for everything that signals one. */
#ifndef CUP_INTEROP_SEMAPHORE_ASK_H
#define CUP_INTEROP_SEMAPHORE_ASK_H

#include "stream/job.h"

/* Does nothing when memory or threads are out: then the point is reached when the application waits
 * for it. */
void cup_semaphore_ask(struct cup_point point);

#endif
