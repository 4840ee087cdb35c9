/* SPDX-License-Identifier: MIT */
/*
 * table.h - the processes of a process server, without a way to hear or to say anything: main.c has that, and the
 * kernel's calls.
 *
 * Nothing here trusts a request. A process is its client's: of a cluster, and there of who knows the number. A cluster
 * has its share of the running ones and of the records of clients, so the work for a request and what others find are
 * bounded. An end that nobody asks for gives its record to others: of the cluster that has the most of them. One whose
 * output is kept has its slot until that was read to its end, or its client is silent. One thread uses it.
 */
#ifndef AMALGAM_SERVERS_PROCESS_TABLE_H
#define AMALGAM_SERVERS_PROCESS_TABLE_H

#include <amalgam/process_server.h>
#include <stdbool.h>
#include <stddef.h>

#define PROCESSES_CLUSTERS  32
#define PROCESSES_CLIENTS   4  /* of each cluster, whose last answers are remembered */
#define PROCESSES_MOST      32 /* that run, or whose end was not asked for */
#define PROCESSES_UPLOADS   2
#define PROCESSES_NAME      24
#define PROCESSES_NO_OUTPUT UINT32_MAX
/* A client has the place for its upload no longer where others of its cluster wait, nor the cluster where others do. */
#define PROCESSES_UPLOAD_NS 1000000000ull
/* What a client has started that says nothing for so long may be ended for others. */
#define PROCESSES_SILENT (10 * 1000000000ull)

/* A program that comes, or has come. */
struct processes_upload {
    unsigned char *memory; /* `room` bytes, then PROCESSES_TEXTS */
    uint64_t client;
    uint64_t begun, taken;      /* since when the client has it, and its cluster */
    uint32_t size, texts, come; /* bytes: program, texts, both that have come */
    uint8_t node;
    bool used;
};

struct processes_process {
    uint32_t number; /* 0: it is none */
    uint32_t child;  /* the kernel's number; 0: it has ended */
    uint32_t status;
    uint32_t output;        /* the pipe's reading end; PROCESSES_NO_OUTPUT */
    bool dropped;           /* its output was, and its client does not know yet */
    uint64_t client, heard; /* when it made its last request with a tag */
    uint8_t node, threads;
    char name[PROCESSES_NAME];
};

struct processes_client {
    uint64_t number, heard;
    bool used;
    struct processes_message last; /* its last answer to a request with a tag */
};

/* The kernel's calls (amalgam/spawn.h), which do not wait. */
struct processes_calls {
    /* Returns its number; 0: no slot is free; a negative error. `output`, if it is not NULL, gets the reading end of a
     * pipe to which it writes. */
    int64_t (*start)(const struct processes_upload *u, uint32_t argc, uint32_t envc, uint32_t *output);
    /* Read at most `n` bytes of output. Returns how many; for n 0, which reads nothing, how many there are; 0: no more
     * will come; below 0: there is nothing yet. */
    int64_t (*read)(uint32_t output, void *to, size_t n);
    void (*close)(uint32_t output);
    bool (*ended)(uint32_t child, uint32_t *status); /* the slot is free then */
    void (*kill)(uint32_t child);
    void (*count)(struct processes_stats *s); /* what the kernel counts */
    uint64_t (*draw)(void);                   /* a number that others cannot guess; 0: there is none */
};

struct processes {
    uint32_t life, next;     /* number of the next process */
    unsigned threads, share; /* of each slot; of each cluster, running */
    uint32_t room;           /* bytes of a program, at most */
    uint32_t started, refused;
    uint32_t starters;                /* bits: clusters that may start programs */
    uint64_t key[PROCESSES_CLUSTERS]; /* of each one's handle; 0: it has not asked for one */
    const struct processes_calls *calls;
    struct processes_upload upload[PROCESSES_UPLOADS];
    struct processes_process process[PROCESSES_MOST];
    struct processes_client client[PROCESSES_CLUSTERS][PROCESSES_CLIENTS];
};

/* Begin without processes; every cluster may start some. `life` is not 0; `memory` has PROCESSES_UPLOADS times room +
 * PROCESSES_TEXTS bytes. */
void processes_begin(struct processes *p, uint32_t life, unsigned char *memory, uint32_t room, unsigned threads,
                     unsigned share, const struct processes_calls *calls);
/* Carry out a request of cluster `node`, at time `now`. The answer takes its place. Returns false: it has none. */
bool processes_serve(struct processes *p, unsigned node, struct processes_message *m, uint64_t now);

#endif
