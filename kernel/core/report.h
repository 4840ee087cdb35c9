/* SPDX-License-Identifier: MIT */
/* report.h - the monitor's tables about the machine. Thread context. */
#ifndef AMALGAM_CORE_REPORT_H
#define AMALGAM_CORE_REPORT_H

struct domain;

int report_domains(const char *arg);
int report_cpus(const char *arg);
int report_memory(const char *arg);
/* All threads, or those of one domain. */
void report_threads(const struct domain *d);

#endif
