/* SPDX-License-Identifier: MIT */
/* The options of a compilation, and what they say about machine code. */
#ifndef CUP_NVRTC_REQUEST_H
#define CUP_NVRTC_REQUEST_H

#include <stdbool.h>

struct nvrtc_request {
    const char **options; /* with compute_ in place of sm_ */
    char *replaced;       /* the option that was changed */
    unsigned capability;  /* of sm_; 0: no machine code is asked for */
    bool lto, relocatable;
};

/* Returns false if memory is out. In both cases nvrtc_request_finish() follows. */
bool nvrtc_request_init(struct nvrtc_request *request, int count, const char *const *options);
void nvrtc_request_finish(struct nvrtc_request *request);

#endif
