/* SPDX-License-Identifier: MIT */
/* wcet.h for the host: the marks say something about the target's machine code only. */
#ifndef AMALGAM_WCET_H
#define AMALGAM_WCET_H

#define LOOP_BOUND(n)
#define LOOP_CORES()
#define LOOP_TURN()
#define LOOP_WAITS()
#define NEVER_RETURNS()
#define INDIRECT_CALL(f)
#define INDIRECT_TABLE(t, n, stride, offset)
#define ONCE()

#endif
