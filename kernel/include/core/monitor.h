/* SPDX-License-Identifier: MIT */
/*
 * core/monitor.h - the control console: a line monitor on the human port (after Ctrl-]) and on the kernel's source of
 * the tagged channel. `help` lists its commands. The answer of each command ends with a line "ok" or "error: ...".
 *
 * A component adds commands by MONITOR_COMMAND in one of its files. The linker gathers them behind the monitor's own,
 * as it does with INIT_CALL (core/init.h).
 */
#ifndef AMALGAM_CORE_MONITOR_H
#define AMALGAM_CORE_MONITOR_H

struct domain;

struct monitor_command {
    const char *name, *arg, *help;
    int (*run)(const char *arg); /* thread context; arg has no blanks around it; returns 0 or the error to show */
    int (*on_domain)(struct domain *d); /* in place of run: gets the domain that arg names */
};

extern const struct monitor_command __start_monitor_commands[], __stop_monitor_commands[];

/* Aligned as an element of an array: the compiler would align a single struct more and leave gaps in the list. */
#define MONITOR_COMMAND(id, ...)                                                                                       \
    static const struct monitor_command command_##id                                                                   \
        __attribute__((used, section("monitor_commands"), aligned(sizeof(void *)))) = { __VA_ARGS__ }

/* Start the monitor's thread on core 0. */
void monitor_start(void);
/* Execute one line (modified in place). Thread context. */
void monitor_execute(char *line);

#endif
