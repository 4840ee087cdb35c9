/* SPDX-License-Identifier: MIT */
/* commands.h - what this board's commands of the control console share. */
#ifndef AMALGAM_SCC_COMMANDS_H
#define AMALGAM_SCC_COMMANDS_H

/* Returns the number that `text` is, or SCC_CORES: it is no core's. */
unsigned scc_parse_core(const char *text);

#endif
