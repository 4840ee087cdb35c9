/* SPDX-License-Identifier: MIT */
/*
 * coherence.h - the parts of the coherence checker, a TCG plugin that checks a program against the rules of
 * non-coherent caches, on a board whose memory is coherent. coherence.c has the options and the hooks;
 * docs/coherence.md explains the reports. The cores must take turns (icount, or -accel tcg,thread=single), because the
 * model has no locks.
 *
 * A range of physical memory consists of lines; a line has a copy for each core of the range. A copy has the version of
 * the line at its fill, and the set of bytes that the core has written and not yet brought to memory (dirty). Each
 * event that brings bytes to memory, of any core, gets a number, the version; each byte of a line has its version and
 * its writer.
 */
#ifndef AMALGAM_COHERENCE_H
#define AMALGAM_COHERENCE_H

#include "riscv_marker.h"
#include "tcg_plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES    512
#define RANGES   64
#define MAX_LINE 64
#define PAGE     4096u

/* How a core sees memory. */
enum type {
    WRITE_BACK, /* a cache with operations on lines */
    NO_FLUSH,   /* the SCC's L2: operations on lines have no effect, only those on the whole cache */
    MPBT,       /* the SCC's message passing buffer type: L1 only, written through a buffer of one line */
    UNCACHED
};

struct copy {
    uint64_t version; /* 0: no copy */
    uint64_t dirty;   /* bytes, one bit each */
    uint64_t since;   /* the line's version at the last store, of MPBT memory */
    uint64_t pc;      /* address of the last store instruction */
    uint32_t epoch;   /* the copy is valid if this equals the core's epoch */
    bool poll;        /* the next load is a poll, which may come before the writer's clean */
    bool polled;      /* a poll filled it: all that it has was cleaned before, also words beside the flag */
    bool early;       /* a poll came before the writer's clean */
    bool listed;      /* in the list of lines for operations on the whole cache */
    uint32_t taken;   /* how many stores the clock of this core has taken */
    uint64_t used;    /* the core's clock at its last access */
};

struct line {
    uint64_t version, at; /* at: its physical address */
    uint64_t byte_version[MAX_LINE], byte_pc[MAX_LINE];
    uint16_t writer[MAX_LINE];
    uint16_t from, to, n_dirty; /* cores of the range; how many copies are dirty */
    uint32_t stores;            /* how many there were */
    struct stamp {
        uint64_t clock; /* at the latest store ... */
        uint16_t core;  /* ... by this core */
        bool by_service;
    } stamps[MAX_LINE];
    struct copy copies[];
};

struct range {
    uint64_t lo, hi;
    unsigned from, to; /* cores */
    enum type type;
    bool taken; /* of own=: one of its cores has accessed it */
    struct line **lines;
};

extern unsigned line_size, n_cores;
extern uint64_t lines_filled, lines_cleaned; /* by all cores up to now */

/* coherence_line.c: the effects of loads, stores and operations on copies. `at` is a physical address; [at, at + size)
 * may cross lines, but must lie in the range. */
void line_access(struct range *r, unsigned core, enum type type, uint64_t pc, uint64_t at, unsigned size, bool store);
void line_operate(struct range *r, unsigned core, enum type type, unsigned operation, uint64_t pc, uint64_t at);
void line_operate_all(unsigned core, unsigned operation, uint64_t pc);
/* A service of the core takes the page of `at` away from the core's work. */
void line_leave_page(struct range *r, unsigned core, uint64_t at);
/* Bring the dirty bytes of a copy to memory. */
void line_write_back(struct line *l, unsigned core);
struct copy *line_copy(struct line *l, unsigned core);
bool line_valid(struct line *l, unsigned core, bool mpbt);

/* coherence_mpbt.c: the write-combining buffer and the memory types of pages. */
void mpbt_store(struct line *l, unsigned core, uint64_t mask, uint64_t pc);
void mpbt_invalidate(unsigned core);
uint32_t mpbt_epoch(unsigned core);
void page_set_type(unsigned core, uint64_t vaddr, enum type type);
enum type page_type(unsigned core, uint64_t vaddr, enum type otherwise);
bool page_option(const char *word);

/* coherence_order.c: which core knows of which versions. */
uint64_t order_next(void); /* a new version */
bool order_knows(unsigned core, unsigned writer, uint64_t version);
void order_learn(unsigned core, unsigned writer, uint64_t version);
void order_ring(unsigned core, unsigned first, unsigned last); /* a doorbell to these cores */
void order_take(unsigned core);                                /* a core takes the doorbells rung for it */
bool order_is_doorbell(unsigned core, uint64_t at, unsigned *first, unsigned *last);
void order_name(unsigned core, unsigned to);             /* the core's next doorbell by the APIC is for this one */
void order_flag(unsigned core, uint64_t at, bool store); /* an access to a word of flag= */
bool order_option(const char *word);
/* A core has read a flag before its writer's clean. The writer must clean it before it waits itself. */
void order_early(unsigned reader, unsigned writer, struct line *l, uint64_t at, uint64_t pc);
void order_cleaned(unsigned writer, struct line *l);
void order_waits(unsigned writer);
void order_end(void);

/* coherence_report.c */
void report(const char *what, unsigned core, uint64_t pc, uint64_t at, unsigned other, uint64_t other_pc);
uint64_t report_write(FILE *out);

/* coherence_marker.c: the meaning of an instruction for the checker. */
struct marker {
    enum { PLAIN, SET, OPERATE, OPERATE_ALL, INVALIDATE_MPBT, SET_TYPE, NAME, LEAVE, SERVICE, MARK, WAIT, TAKE } what;
    unsigned number;
};
struct marker marker_of(const uint8_t *bytes, size_t size, bool i386);

/* coherence_clock.c: instructions of each core, and the critical path. */
extern uint64_t clock_all;
void clock_turn(unsigned core);
/* Of the bytes of `mask`. */
void clock_store(struct line *l, unsigned core, uint64_t mask);
void clock_load(struct line *l, unsigned core, uint64_t mask);
void clock_blind(bool on); /* loads until off take no clock, because the core ignores the loaded value */
void clock_ring(unsigned core, unsigned first, unsigned last);
void clock_take(unsigned core);
void clock_wake(unsigned core); /* its sleep ends; before clock_take() */
/* The core begins a service, ends it, and declares in it that its work waits for this service. */
void clock_serve(unsigned core);
void clock_served(unsigned core);
void clock_awaited(unsigned core);
void clock_leave(struct line *l, unsigned core); /* the service waits for the work's last access */
void clock_mark(FILE *out, unsigned core, unsigned number);
void clock_write(FILE *out);
bool clock_option(const char *word, unsigned cores); /* `cores` of the board */

#endif
