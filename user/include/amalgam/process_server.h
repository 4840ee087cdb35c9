/* SPDX-License-Identifier: MIT */
/*
 * amalgam/process_server.h - what clients and a process server say to each other (docs/servers.md).
 *
 * A server starts programs in slots of its own cluster, for programs of all clusters. A request is one message to port
 * PROCESSES_PORT of its cluster, answered as those of name servers are (amalgam/names.h). A program comes in messages
 * of PROCESSES_PART bytes, in order, and behind it its texts: arguments, then NAME=VALUE, each with its NUL.
 *
 * Each life of a server has a number. A request that names another one than the present is answered by
 * PROCESSES_LOST and nothing else: the server has begun anew, and what it had started has ended. A request to start, to
 * wait or to kill has a `tag`, which changes with each: one that comes again is not carried out again, but answered
 * again.
 *
 * What a program writes to stdout and stderr goes to the server's console, or, if its start asks for that, into a pipe
 * of 4 KiB, from which PROCESSES_OUTPUT reads. A full pipe holds up its program and nobody else. The program has the
 * pipe as its first handle; a variable of its environment, which is its client's to send, says what for
 * (PROCESSES_PIPED).
 */
#ifndef AMALGAM_PROCESS_SERVER_H
#define AMALGAM_PROCESS_SERVER_H

#include <stdint.h>

#define PROCESSES_PORT   4
#define PROCESSES_MAGIC  0x314f5250u /* "PRO1" */
#define PROCESSES_PART   80u
#define PROCESSES_TEXTS  4096u /* bytes of texts, at most */
#define PROCESSES_CORES  64    /* that a server tells about, at most */
#define PROCESSES_KILLED 9     /* what a wait says of a program that was killed (amalgam_spawn_wait()) */
/* NAME=VALUE by which a program that was linked by `amalgam cc --shell` has stdout and stderr in its first handle. */
#define PROCESSES_PIPED                                                                                                \
    "AMALGAM_START=p1 0 1 \x1f"                                                                                        \
    "p2 0 1 \x1f"

enum processes_op {
    PROCESSES_UPLOAD = 1, /* `number`: the program's bytes; `value`: those of its texts. What came before is dropped */
    PROCESSES_PUT,        /* `n` bytes, which begin at `number`. Not answered */
    PROCESSES_START,      /* what was uploaded, with `number` arguments, `value` variables and `n` threads; `piped` */
    PROCESSES_WAIT,       /* ask for the end of `number`, which is forgotten then */
    PROCESSES_KILL,       /* `number`; 0: all of this client's that have the name in `data` */
    PROCESSES_STATS,      /* struct processes_stats comes in `data` */
    PROCESSES_LIST,       /* the process with the least number above `number` */
    PROCESSES_OUTPUT,     /* what `number` has written: at most PROCESSES_PART bytes, which are read once */
    /* Ask for the handle of the sender's cluster; `value`, not 0: for another one, those of before are void. struct
     * processes_handle comes in `data`. */
    PROCESSES_HANDLE
};
enum processes_result {
    /* START: `number`. WAIT: `value` is what amalgam_spawn_wait() says. KILL: `value` of them. OUTPUT: `n` bytes in
       `data`; 0: no more will come */
    PROCESSES_DONE,
    PROCESSES_RUNS,  /* WAIT: it does, or its output was not read to its end. OUTPUT: there is nothing yet */
    PROCESSES_NONE,  /* no such process is this client's; LIST: no more */
    PROCESSES_FULL,  /* no slot is free, or the cluster has its share, or no slot has so many threads */
    PROCESSES_AGAIN, /* UPLOAD: others upload; START: the program has not come whole */
    PROCESSES_LOST,  /* the server has begun anew: `life` is its present one */
    /* START: the kernel's error is `value`. OUTPUT, once: what was not read is gone, since the client was silent */
    PROCESSES_REFUSED,
    PROCESSES_WRONG,
    /* UPLOAD, START: the system file does not let the sender's cluster start programs here, and no valid handle is in
       `data`. HANDLE: the first of the two, or no number can be drawn that others cannot guess */
    PROCESSES_FORBIDDEN
};

/* The right to start programs here, of a cluster that the system file gives it: whoever has it in any cluster may use
 * it and hand it on, until that cluster asks for another one or the server's life ends. Zeros: none. */
struct processes_handle {
    uint64_t key;
    uint32_t from; /* the cluster that has asked for it */
    uint32_t zero;
};

struct processes_message {
    uint32_t magic;
    uint8_t op;         /* enum processes_op */
    uint8_t reply_port; /* of the sender's cluster */
    uint8_t result;     /* in an answer: enum processes_result */
    uint8_t n;
    uint32_t nonce;
    uint32_t life;   /* of the server, as far as the client knows; 0: it does not. In an answer: the present one */
    uint64_t client; /* that makes processes this client's, in its cluster */
    uint32_t tag;
    uint32_t number, value;
    uint8_t from, runs; /* LIST: the cluster of who has started it; whether it runs */
    uint8_t piped;      /* START: its output is kept for PROCESSES_OUTPUT */
    uint8_t zero;
    char data[PROCESSES_PART]; /* LIST: its name. UPLOAD, START: struct processes_handle */
};
/* What the server and its cluster's kernel (amalgam_cluster_info()) count. */
struct processes_stats {
    uint32_t cluster_life, server_life, started, refused;
    uint32_t dropped, awake, awake_limit; /* the kernel's */
    uint32_t cores;                       /* how many of them are told about; 0: the kernel does not tell */
    uint64_t core_awake, core_waits;      /* bits: core 0 is the lowest one (amalgam/cores.h) */
};
_Static_assert(sizeof(struct processes_stats) <= PROCESSES_PART, "it fits into an answer");
_Static_assert(sizeof(struct processes_handle) == 16, "it is the same for clusters of 32 and of 64 bits");
_Static_assert(sizeof(struct processes_message) == 120, "it fits into a message of 128 bytes");

#endif
