/* SPDX-License-Identifier: MIT */
/*
 * wcet.h - facts that `amalgam wcet` cannot see in the machine code, written where they hold.
 *
 * The marks become records in sections that are not loaded (.wcet.*), so they cost no byte of the kernel. The tool
 * refuses a loop without a mark, a mark that not every iteration passes, and an indirect branch without named targets
 * (docs/wcet.md).
 *
 *    LOOP_BOUND(n)       inside a loop: this point is passed at most n times for each entry into the loop
 *    LOOP_CORES()        the same, once for each core of the board
 *    LOOP_TURN()         inside a loop that spins until another core leaves the bakery (partition/bakery.h)
 *    LOOP_WAITS()        inside a loop that spins until the semaphore is handed over: the lock's worst case
 *    NEVER_RETURNS()     this core stops here: code after it is not part of any bound
 *    ONCE()              a path that a core takes at most once, such as reporting that another core is dead:
 *                        not part of any bound, docs/wcet.md lists them
 *    INDIRECT_TABLE(t, n, stride, offset)
 *                        the next branch goes to one of the addresses in a table: n entries, `stride` bytes apart,
 *                        with the address `offset` bytes into each; entries of 0 are holes
 *    INDIRECT_CALL(f)    the next call or jump through a register may reach f; one mark for each target
 */
#ifndef AMALGAM_WCET_H
#define AMALGAM_WCET_H

#ifndef __ASSEMBLY__

#define WCET_MARK(section, n)                                                                                          \
    __asm__ volatile("770: .pushsection " section ",\"\",@progbits\n\t.dc.a 770b, %c0\n\t.popsection" ::"i"(n))
#define LOOP_BOUND(n)   WCET_MARK(".wcet.loops", n)
#define LOOP_CORES()    WCET_MARK(".wcet.loops", 0)
#define LOOP_TURN()     WCET_MARK(".wcet.waits", 1)
#define LOOP_WAITS()    WCET_MARK(".wcet.waits", 2)
#define NEVER_RETURNS() WCET_MARK(".wcet.stops", 0)

#define ONCE() WCET_MARK(".wcet.stops", 1)
#define INDIRECT_TABLE(t, n, stride, offset)                                                                           \
    __asm__ volatile(                                                                                                  \
        "770: .pushsection .wcet.tables,\"\",@progbits\n\t.dc.a 770b, %c0, %c1, %c2, %c3\n\t.popsection" ::"i"(t),     \
        "i"(n), "i"(stride), "i"(offset))
#define INDIRECT_CALL(f) WCET_MARK(".wcet.calls", f)

#else

.macro INDIRECT_TABLE table, n, stride, offset
770: .pushsection .wcet.tables, "", @progbits
    .dc.a 770b, \table, \n, \stride, \offset
    .popsection
.endm
.macro WCET_MARK section, n
770: .pushsection \section, "", @progbits
    .dc.a 770b, \n
    .popsection
.endm
.macro LOOP_BOUND n
    WCET_MARK .wcet.loops, \n
.endm
.macro LOOP_WAITS
    WCET_MARK .wcet.waits, 2
.endm
.macro NEVER_RETURNS
    WCET_MARK .wcet.stops, 0
.endm
/* The next bctr(l) reaches `target`: one line for each target. */
.macro INDIRECT_CALL target
    WCET_MARK .wcet.calls, \target
.endm

#endif
#endif
