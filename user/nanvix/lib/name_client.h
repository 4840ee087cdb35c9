/* SPDX-License-Identifier: MIT */
/*
 * name_client.h - what a client of the name servers decides (amalgam/names.h); name.c has the functions of
 * programs, ask.c carries questions.
 *
 * A name is linked when a majority of all servers has granted it and no server that answered has refused it. So each
 * server that counts has all linked names, and a majority still knows a name when any one server is lost
 * (tests/model/names.pml). A server that has begun again learns names for two leases, in which each owner links its
 * names again, and does not count until then. Where fewer than a majority count nothing can be said: NAME_NOBODY.
 *
 * Locks: none; the caller has one for each client, and needs it for all but name_client_recall().
 */
#ifndef AMALGAM_NANVIX_NAME_CLIENT_H
#define AMALGAM_NANVIX_NAME_CLIENT_H

#include <amalgam/names.h>

#define NAME_OWN   16 /* names that a process may have linked */
#define NAME_CACHE 8  /* names whose clusters it remembers, each for half a lease */
/* Where there are several servers a lookup waits so long for one of them, until too few have answered. */
#define NAME_HASTE_NS 10000000ull

enum name_outcome {
    NAME_OK = 0,
    NAME_TAKEN = -1,   /* another process has it */
    NAME_UNKNOWN = -2, /* nobody has it; of unlink: this process has not */
    NAME_NOBODY = -3,  /* too few servers answer, or they do not agree: ask again */
    NAME_FULL = -4,    /* the cluster's share of names, or this process's table, is full */
    NAME_WRONG = -5    /* no name */
};

/* A message with all of its room, of which zeros are sent. */
union name_room {
    struct names_message message;
    uint64_t words[16];
};

struct name_own {
    uint64_t name[NAMES_WORDS];
    unsigned links; /* how often it was linked; 0: the place is free */
};

/* Read without the lock: what was read while `changes` stayed the same even number belongs together. */
struct name_cached {
    uint32_t changes;
    int node;
    uint64_t until;
    uint64_t name[NAMES_WORDS];
};

struct name_client {
    struct name_cached cached[NAME_CACHE]; /* first: it is found sooner */
    unsigned servers;
    unsigned node;   /* the own cluster */
    uint64_t secret; /* that makes its names this process's */
    struct name_own own[NAME_OWN];
};

/* These two are the caller's. Ask server 0, 1, ...; the answer takes the request's place. Returns false: there is no
 * answer, without `patient` in NAME_HASTE_NS; the request is gone, too. The time in nanoseconds. */
bool name_ask(unsigned server, union name_room *room, bool patient);
uint64_t name_now(void);

/* Link a name to this cluster. The same name may be linked several times, and is to be unlinked as often. */
enum name_outcome name_client_link(struct name_client *c, const char *name);
enum name_outcome name_client_unlink(struct name_client *c, const char *name);
/* Returns the cluster that is remembered for a name at time `now`; NAME_UNKNOWN: none is. Needs no lock. */
int name_client_recall(const struct name_client *c, const char *name, uint64_t now);
/* Ask which cluster has the name, and remember it from time `now` on. Returns it, or an error. */
int name_client_lookup(struct name_client *c, const char *name, uint64_t now);
/* Forget all that is remembered, and whose names this process has. */
void name_client_begin(struct name_client *c, unsigned servers, unsigned node, uint64_t secret);
/* Link all names again. NAME_TAKEN: one of them is another process's now, and is forgotten. NAME_NOBODY: one of them is
 * not with a majority at present; it is tried again by the next call. */
enum name_outcome name_client_beat(struct name_client *c);
/* Forget where a name was: the cluster did not answer. */
void name_client_forget(struct name_client *c, const char *name);

#endif
