/* SPDX-License-Identifier: MIT */
/*
 * command.h - the command on the host: what its parts give each other.
 *
 *   main.c      which word means what; help
 *   say.c       errors in one form, answers for people or as JSON
 *   device.c    /dev/amalgam: its calls, and what to do about each refusal
 *   switch.c    load, unload, attach, detach, status, cycle
 *   sysfs.c     CPUs and memory blocks as Linux shows them
 *   give.c      cpu and memory: give to the kernel
 *   recover.c   take back what is given or was left offline, from any state
 *   stream.c    the tagged channel: one speaker out of many
 *   control.c   lines for the control console and their answers
 *   domain.c    systems of domains: create, destroy, list; image.c reads a system's image
 *   console.c   a terminal on one domain
 *   backend.c   what serves guests' disks and networks, with backend_serve.c
 *
 * Every function that can fail has then said why (fail()), and gives the exit status: 0 done, 1 failed, 2 wrong usage,
 * 3 refused: this machine or this Linux cannot.
 */
#ifndef AMALGAM_COMMAND_H
#define AMALGAM_COMMAND_H

#include <getopt.h>
#include <sys/types.h>

#include "types.h"
#include "attach.h"
#include "uapi.h"

#define AMALGAM_DEVICE "/dev/amalgam"
#define IMAGE          "/usr/lib/amalgam/amalgam.bin"
#define SOURCE_KERNEL  0xfe

enum { DONE, FAILED, USAGE, REFUSED };

/* say.c */
extern bool json;
/* It was so before: said, or {"already": true}. Returns DONE. */
int say_already(const char *text);
/* What the control console answered: as it is, or {"answer": "..."}. */
void say_answer(const char *text);
/* `amalgam: error: WHAT`, `  next: STEP`; gives back FAILED. */
int fail(const char *next, const char *format, ...) __attribute__((format(printf, 2, 3)));
int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * getopt_long() for a command with the words word[0] to word[n-1]; word[-1] is the command itself, and `letters` begins
 * with ':'. Returns the option; -1: word[optind - 1] is the first operand; '?': it was wrong, which has been said.
 */
int next_option(const char *name, int n, char **word, const char *letters, const struct option *table);
/* For who waits until `what` is over: it may be a command that somebody stopped. */
void say_waiting(const char *what);
/* 512, 64K, 128M, 2G, less than 64 TiB; false: no size. */
bool parse_size(const char *text, u64 *size);
bool parse_number(const char *text, u64 *number);
/* 1,3 or 4-7: how many are in `list`; 0: no such list, or more than `room`. */
unsigned parse_list(const char *text, unsigned *list, unsigned room);
/* As JSON wants it between quotes. */
void print_json_text(const char *text);

/* device.c */
extern int device_fd; /* the open device */
int device_open(void);
/* Make sure that the module is there: `load` may be the first thing that anybody asks for. */
int module_load(const char *path, bool nested);
int device_call(unsigned long number, void *args);
/* For what may be so already: then *already, the module's words are said, and DONE. */
int device_make(unsigned long number, void *args, bool *already);
/* Is the module there? */
bool device_there(void);
/* Wait until no other command is changing what is given, and keep others from it until this process ends. */
int device_lock(void);
/* The same, but without a word: errno. */
int device_try(unsigned long number, void *args);

/* sysfs.c */
#define MAX_CPUS   1024
#define MAX_BLOCKS 8192
int sysfs_read(const char *path, char *text, size_t size);
int sysfs_write(const char *path, const char *text);
bool cpu_is_online(unsigned cpu);
unsigned cpu_count(void);
u64 memory_block_size(void);
/* Of block n: is it there, online? */
bool block_exists(unsigned n);
bool block_online(unsigned n);
int block_set(unsigned n, bool online);
/* Bytes that programs could still get without swapping, and all that Linux has; errno. */
int memory_available(u64 *available, u64 *total);

/* give.c */
extern volatile int interrupted; /* a signal came: undo what is half done and leave */
void catch_signals(void);
int give_cpu(unsigned cpu);
int take_cpu(unsigned cpu);
struct blocks {
    unsigned n, number[256];
};
/* Would Linux have enough left without the memory blocks that `size` takes? */
int check_available(u64 size);
/* Adjacent memory blocks of together at least `size`, with `bytes` at their upper end: `address`. All or nothing. */
struct content {
    const void *bytes;
    u64 size, address;
};
int give_memory(u64 size, struct blocks *given, struct content *content);
int take_memory(const struct blocks *given);

/* recover.c: what of Linux's is given or was left offline, by the module's record. */
#define MAX_HELD 4096
struct held {
    unsigned n;
    struct amalgam_held entry[MAX_HELD];
};
int held_list(struct held *held);
/* Blocks that an ended command left offline, before another one sets blocks offline. */
int recover_offline(void);
int take_all_memory(void);

/* stream.c */
int stream_write(int file, u8 source, const char *bytes, size_t n);
struct listener {
    u8 source, wanted;
    bool escape;
};
/* The next bytes of the wanted speaker; 0: none within `timeout_ms`, below 0: errno. */
ssize_t stream_read(int file, struct listener *l, char *to, size_t room, int timeout_ms);

/* control.c: `answer` (to be freed) is what came before `ok`. */
int control(const char *line, char **answer, int timeout_ms);
/* The same. If the console itself refuses the line, *number becomes its errno and nothing is said. */
int control_try(const char *line, char **answer, int timeout_ms, int *number);

/* console.c: below 0, there is no such domain, or nobody answers (said). */
int domain_number(const char *name);

/* Commands: the words after their own. */
int cmd_load(int n, char **word);
int cmd_unload(int n, char **word);
int cmd_attach(int n, char **word);
int cmd_detach(int n, char **word);
int cmd_status(int n, char **word);
int cmd_recover(int n, char **word);
/* End all domains and take everything back, from any state. */
int cmd_destroy(int n, char **word);
int cmd_cycle(int n, char **word);
int cmd_cpu(int n, char **word);
int cmd_memory(int n, char **word);
int cmd_domain(int n, char **word);
int cmd_console(int n, char **word);
int cmd_backend(int n, char **word);
int cmd_control(int n, char **word);
int cmd_trace(int n, char **word);
int cmd_log(int n, char **word);

#endif
