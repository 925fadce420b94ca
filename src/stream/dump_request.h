/* SPDX-License-Identifier: MIT */
/* Core dumps on request: whoever writes to a pipe of the process gets a file that says what its
 * streams do. As with NVIDIA's driver, the pipe is made with the first context after dumps on
 * request were enabled, serves one request, and the request ends the process, or its devices if
 * aborting is to be skipped. */
#ifndef CUP_STREAM_DUMP_REQUEST_H
#define CUP_STREAM_DUMP_REQUEST_H

/* Makes the pipe if it is wanted and not there. */
void cup_dump_request_accept(void);

#endif
