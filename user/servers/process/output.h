/* SPDX-License-Identifier: MIT */
/* output.h - what programs that were started piped have written (output.c); see table.h. */
#ifndef AMALGAM_SERVERS_PROCESS_OUTPUT_H
#define AMALGAM_SERVERS_PROCESS_OUTPUT_H

#include "table.h"

/* Close the pipe if all was read and no more will come. Returns false while there is output, or may be some. */
bool output_is_over(struct processes *p, struct processes_process *q);
/* Close the pipe. What was not read is lost, and the client is told when it asks. */
void output_drop(struct processes *p, struct processes_process *q);
/* Answer PROCESSES_OUTPUT. Each byte is read once; the caller repeats an answer that was lost. */
enum processes_result output_read(struct processes *p, struct processes_process *q, struct processes_message *m);

#endif
