/* SPDX-License-Identifier: MIT */
/*
 * command.h - the command on the host: the functions that its parts offer each other.
 *
 *   main.c      the table of commands; help
 *   say.c       errors in one form, answers for people or as JSON
 *   device.c    calls of /dev/amalgam, and the remedy for each refusal
 *   switch.c    load, unload, attach, detach, status, cycle
 *   sysfs.c     CPUs and memory blocks as Linux shows them
 *   give.c      cpu and memory: give to the kernel
 *   recover.c   take back what is given or was left offline, from any state
 *   stream.c    the tagged channel: write as one source, read one source
 *   control.c   lines for the control console and their answers
 *   domain.c    systems of domains: create, destroy, list; image.c reads a system's image
 *   console.c   connects the terminal to one domain
 *   backend.c   serves guests' disks and networks, with backend_serve.c
 *
 * Unless its comment says otherwise, a function that returns int returns the exit status: 0 done, 1 failed, 2 wrong
 * usage, 3 refused: this machine or this Linux cannot. If that is not 0 the function has printed the error (fail()).
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
/* Report success: as {"already": false}; without --json by printing nothing. Returns DONE. */
int say_done(void);
/* For --json: unless `status` is DONE, print it with all errors that were printed, {"status": N, "errors": [{"error",
 * "next"}]}. Once, at the end; an answer before it, of what was done until then, has a line of its own. */
void say_errors(int status);
/* Print `text`, or {"already": true}: there was nothing to do. Returns DONE. */
int say_already(const char *text);
/* Print an answer of the control console as it is, or as {"answer": "..."}. */
void say_answer(const char *text);
/* Print `amalgam: error: WHAT` and, unless `next` is empty, `  next: STEP`. Returns FAILED. */
int fail(const char *next, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for wrong words on the command line. Returns USAGE. */
int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Call getopt_long() for a command with the words word[0] to word[n-1]; word[-1] is the command itself, and `letters`
 * begins with ':'. Returns the option; -1 if there is none left, and word[optind - 1] is the first operand; '?' for a
 * wrong option, after an error message.
 */
int next_option(const char *name, int n, char **word, const char *letters, const struct option *table);
/* Print that this command waits for another amalgam that `what`; somebody may have stopped that one. */
void say_waiting(const char *what);
/* Parse a size such as 512, 64K, 128M or 2G, less than 64 TiB. Returns false if it is none. */
bool parse_size(const char *text, u64 *size);
bool parse_number(const char *text, u64 *number);
/* Parse a list such as 1,3 or 4-7. Returns how many numbers it has; 0 if it is no list, or has more than `room`. */
unsigned parse_list(const char *text, unsigned *list, unsigned room);
/* Copy text that somebody else wrote so that it can do nothing to a terminal: control characters but tab and line end
 * become ^X or M-^X; CR before a line end is dropped. *held is 0 at first: a byte of which the next one decides.
 * Returns the bytes in `to`, at most 4 * n. */
size_t show_text(u8 *held, const char *from, size_t n, char *to);
/* Print the text escaped for a JSON string, without the quotes. */
void print_json_text(const char *text);

/* device.c */
extern int device_fd; /* the open device */
int device_open(void);
/* Load the module, from the file `path` or (NULL) by modprobe, unless it is loaded. */
int module_load(const char *path, bool nested);
/* Make a call of the device, and print the module's reason and a remedy if it fails. */
int device_call(unsigned long number, void *args);
/* The same; if there is nothing to do (EALREADY), set *already, print the module's text and return DONE. */
int device_make(unsigned long number, void *args, bool *already);
/* Returns whether the module is loaded. */
bool device_there(void);
/* Take the lock under which commands give and take back; wait for a command that holds it. Held until the process ends.
 */
int device_lock(void);
/* Make a call of the device. Returns 0 or errno and prints nothing. */
int device_try(unsigned long number, void *args);

/* sysfs.c */
#define MAX_CPUS   1024
#define MAX_BLOCKS 8192
/* Read the first line of a file. Returns 0 or errno. */
int sysfs_read(const char *path, char *text, size_t size);
/* Returns 0 or errno. */
int sysfs_write(const char *path, const char *text);
bool cpu_is_online(unsigned cpu);
unsigned cpu_count(void);
/* Returns bytes; 0 if this Linux cannot set memory offline. */
u64 memory_block_size(void);
bool block_exists(unsigned n);
bool block_online(unsigned n);
/* Returns 0 or errno. */
int block_set(unsigned n, bool online);
/* Read how many bytes programs can get without swapping, and how many Linux has in all. Returns 0 or errno. */
int memory_available(u64 *available, u64 *total);

/* give.c */
extern volatile int interrupted; /* set by a signal: undo unfinished steps and exit */
void catch_signals(void);
int give_cpu(unsigned cpu);
int take_cpu(unsigned cpu);
struct blocks {
    unsigned n, number[256];
};
/* Fail unless Linux keeps enough memory without the blocks that `size` bytes take. */
int check_available(u64 size);
/* Bytes to write at the upper end of the memory that is given. */
struct content {
    const void *bytes;
    u64 size, address; /* give_memory() sets the physical address */
};
/* Give adjacent memory blocks of at least `size` bytes together, all or none; `content` may be NULL. */
int give_memory(u64 size, struct blocks *given, struct content *content);
int take_memory(const struct blocks *given);

/* recover.c: what is given or was left offline, from the module's record. */
#define MAX_HELD 4096
struct held {
    unsigned n;
    struct amalgam_held entry[MAX_HELD];
};
int held_list(struct held *held);
/* Set the blocks online that an ended command left offline. */
int recover_offline(void);
int take_all_memory(void);

/* stream.c: write bytes as `source`. Returns 0 or errno. */
int stream_write(int file, u8 source, const char *bytes, size_t n);
struct listener {
    u8 source, wanted; /* the source of the next byte; the source whose bytes are read */
    bool escape;       /* the last byte began a tag */
};
/* Read the next bytes of the wanted source. Returns their number; 0 if none came within `timeout_ms`; -errno. */
ssize_t stream_read(int file, struct listener *l, char *to, size_t room, int timeout_ms);

/* control.c: send a line to the control console. `answer`, to be freed, gets its answer up to `ok`. */
int control(const char *line, char **answer, int timeout_ms);
/* The same. If the console answers with an error number, store it as errno in *number and print nothing. */
int control_try(const char *line, char **answer, int timeout_ms, int *number);

/* console.c: returns the number of a domain; below 0, after an error message, if there is none or no answer. */
int domain_number(const char *name);

/* The commands. word[0] to word[n-1] are the words after the command's own. */
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
