/* SPDX-License-Identifier: MIT */
/* marks.h - a measured sequence: measure_NAME: mark, the instructions, measure_NAME_end: mark. */
#ifndef MARKS_H
#define MARKS_H

    .macro MARK
    ori r31, r31, 0 /* changes nothing; the counting plugin (tools/plugin/visits.c) knows the word */
    .endm

    .macro BEGIN name
    .globl measure_\name
measure_\name:
    MARK
    .endm

    .macro END name
    .globl measure_\name\()_end
measure_\name\()_end:
    MARK
    .endm

    .macro MEASURE name, insn:vararg
    BEGIN \name
    \insn
    END \name
    .endm

#endif
