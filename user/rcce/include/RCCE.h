/* SPDX-License-Identifier: MIT */
/*
 * RCCE.h - RCCE 1.0.13, the communication library of the SCC, for native programs (docs/scc.md, "RCCE").
 *
 * A program is `int RCCE_APP(int argc, char **argv)`, compiled by `amalgam cc --rcce`. A unit of execution (UE) is a
 * core, with a rank from 0 on. All functions return RCCE_SUCCESS or an error unless their comment says otherwise; every
 * argument is checked before anything is done.
 *
 * There are two interfaces with the same names: the simple one, and the gory one if GORY is defined before this header
 * is included. All files of a program must use the same one.
 */
#ifndef RCCE_H
#define RCCE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define _RCCE    "1.0.13 release"
#define RCCE_APP main
#define ABS(x)   ((x) > 0 ? (x) : -(x))
#define STDERR   stdout

#define LOG2_LINE_SIZE       5
#define RCCE_LINE_SIZE       (1 << LOG2_LINE_SIZE)
#define RCCE_BUFF_SIZE_MAX   8192 /* bytes of a core's buffer, of which the kernels use 3,072 and the library 800 */
#define RCCE_MAX_BOARDS      1
#define RCCE_MAXNP_PER_BOARD 48
#define RCCE_MAXNP           (RCCE_MAX_BOARDS * RCCE_MAXNP_PER_BOARD)
#define RCCE_SHM_SIZE_MAX    (2 << 20) /* bytes if no other program is there, of which the library uses 4 KiB */

#define RCCE_SUCCESS          0
#define RCCE_PENDING          (-1)
#define RCCE_RESERVED         (-2)
#define RCCE_REJECTED         (-3)
#define RCCE_ERROR_BASE       1234321
#define RCCE_FLAG_SET         1
#define RCCE_FLAG_UNSET       0
#define RCCE_MAX_ERROR_STRING 45

enum rcce_error {
    RCCE_ERROR_TARGET = RCCE_ERROR_BASE + 1,
    RCCE_ERROR_SOURCE,
    RCCE_ERROR_ID,
    RCCE_ERROR_MESSAGE_LENGTH,
    RCCE_ERROR_FLAG_UNDEFINED,
    RCCE_ERROR_NUM_UES,
    RCCE_ERROR_DATA_OVERLAP,
    RCCE_ERROR_ALIGNMENT,
    RCCE_ERROR_DEBUG_FLAG,
    RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER,
    RCCE_ERROR_FLAG_STATUS_UNDEFINED,
    RCCE_ERROR_FLAG_NOT_ALLOCATED,
    RCCE_ERROR_VAL_UNDEFINED,
    RCCE_ERROR_INVALID_ERROR_CODE,
    RCCE_ERROR_RPC_NOT_ALLOCATED,
    RCCE_ERROR_RPC_INTERNAL,
    RCCE_ERROR_MULTIPLE_RPC_REQUESTS,
    RCCE_ERROR_FDIVIDER,
    RCCE_ERROR_FREQUENCY_EXCEEDED,
    RCCE_ERROR_NO_ACTIVE_RPC_REQUEST,
    RCCE_ERROR_STALE_RPC_REQUEST,
    RCCE_ERROR_COMM_UNDEFINED,
    RCCE_ERROR_ILLEGAL_OP,
    RCCE_ERROR_ILLEGAL_TYPE,
    RCCE_ERROR_MALLOC,
    RCCE_ERROR_COMM_INITIALIZED,
    RCCE_ERROR_CORE_NOT_IN_HOSTFILE,
    RCCE_ERROR_NO_MULTICAST_SUPPORT,
};

#define RCCE_NUM_OPS 4
#define RCCE_OP_BASE 23232323
#define RCCE_SUM     RCCE_OP_BASE
#define RCCE_MIN     (RCCE_OP_BASE + 1)
#define RCCE_MAX     (RCCE_OP_BASE + 2)
#define RCCE_PROD    (RCCE_OP_BASE + 3)

#define RCCE_TYPE_BASE 63636363
#define RCCE_INT       RCCE_TYPE_BASE
#define RCCE_LONG      (RCCE_TYPE_BASE + 1)
#define RCCE_FLOAT     (RCCE_TYPE_BASE + 2)
#define RCCE_DOUBLE    (RCCE_TYPE_BASE + 3)

#define RCCE_DEBUG_ALL   111111
#define RCCE_DEBUG_SYNCH 111444
#define RCCE_DEBUG_COMM  111555
#define RCCE_DEBUG_RPC   111666
#define RCCE_DEBUG_DEBUG 111888

#define RCCE_POWER_DEFAULT (-99999)

typedef volatile unsigned char *t_vcharp;
typedef volatile int *RCCE_FLAG; /* points at the first word of a line of the message passing buffer */
typedef int RCCE_FLAG_STATUS;

typedef struct {
    int size;
    int my_rank;
    int initialized;
    int member[RCCE_MAXNP];        /* the members' ranks in RCCE_COMM_WORLD */
    t_vcharp barrier;              /* the words of its barrier */
    int label, step, count, cycle; /* the non-blocking barrier that is under way, and its state */
} RCCE_COMM;
extern RCCE_COMM RCCE_COMM_WORLD;

typedef struct tree_s {
    int parent; /* a UE; -1: this is the root */
    int num_children;
    int child[RCCE_MAXNP];
} tree_t;

typedef struct {
    int release;
    int old_voltage_level, new_voltage_level;
    int old_frequency_divider, new_frequency_divider;
    long long start_cycle;
} RCCE_REQUEST;
extern RCCE_COMM RCCE_P_COMM; /* the UEs of one power domain */

/* The state of a message that is being sent. */
struct rcce_out {
    const char *data;
    size_t left;
    unsigned chunks; /* how many were put */
    int dest;
};

struct rcce_in {
    char *data;
    size_t left;
    unsigned chunks;
    int source;
};

/* Requests are the application's memory and must stay until they are finished. It may read `finished`. */
typedef struct rcce_send_request {
    struct rcce_send_request *next;
    struct rcce_out out;
    size_t size;
    int finished;
    char sync; /* the byte that is sent in place of an empty message */
} RCCE_SEND_REQUEST;

typedef struct rcce_recv_request {
    struct rcce_recv_request *next;
    struct rcce_in in; /* a source of -1: any */
    size_t size;
    int finished;
    char any_length; /* the size is unknown until the message comes */
    char sync;
} RCCE_RECV_REQUEST;

#ifdef __cplusplus
extern "C" {
#endif

/* Core. RCCE_init() removes its words from argc and argv: number of UEs, clock, a core for each UE. */
int RCCE_init(int *argc, char ***argv);
int RCCE_init_gory(int *argc, char ***argv);
int RCCE_finalize(void);
double RCCE_wtime(void); /* seconds */
int RCCE_ue(void);
int RCCE_num_ues(void);
/* Coupled systems: this is board 0, the only one. */
int RCCE_dev(void);
int RCCE_dev_ue(void);
int RCCE_num_dev(void);
int RCCE_num_ues_dev(int device);
int RCCE_ue_to_dev(int ue);

/* Two-sided messages of any size. RCCE_send() waits until all of it was received. */
int RCCE_send(char *buffer, size_t size, int dest);
int RCCE_recv(char *buffer, size_t size, int source);
int RCCE_recv_test(char *buffer, size_t size, int source,
                   int *test); /* receives if a message waits; *test: 1 if it has */
/* The same as RCCE_send() and RCCE_recv(), which pipeline always. */
int RCCE_send_pipe(char *buffer, size_t size, int dest);
int RCCE_recv_pipe(char *buffer, size_t size, int source);
/* To all other UEs. A receiver may also call RCCE_recv(). */
int RCCE_send_mcast(char *buffer, size_t size);
int RCCE_recv_mcast(char *buffer, size_t size, int source);
/* With a tag of up to 28 bytes; more bytes are ignored. If the message was sent without a tag its bytes are undefined.
 */
int RCCE_send_tagged(char *buffer, size_t size, int dest, void *tag, int length);
int RCCE_recv_tagged(char *buffer, size_t size, int source, void *tag, int length);
/* Look for a message without receiving it. *test: whether one waits; NULL: wait for it. *combuf: address of its first
 * chunk in the sender's buffer. */
int RCCE_recv_probe(int source, int *test, t_vcharp *combuf);
int RCCE_recv_probe_tagged(int source, int *test, t_vcharp *combuf, void *tag, int length);
int RCCE_recv_cancel(size_t size, int source); /* receives the message and discards it */

/* Non-blocking requests; if iRCCE.h is included its requests replace these. PENDING: under way; RESERVED: waiting
 * behind others. A push makes progress with all requests of its direction, whatever its argument. */
int RCCE_isend(char *buffer, size_t size, int dest, RCCE_SEND_REQUEST *request);
int RCCE_isend_test(RCCE_SEND_REQUEST *request, int *test);
int RCCE_isend_wait(RCCE_SEND_REQUEST *request);
int RCCE_isend_push(int dest);
int RCCE_irecv(char *buffer, size_t size, int source, RCCE_RECV_REQUEST *request);
int RCCE_irecv_test(RCCE_RECV_REQUEST *request, int *test);
int RCCE_irecv_wait(RCCE_RECV_REQUEST *request);
int RCCE_irecv_push(int source);
int RCCE_send_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int dest);
int RCCE_recv_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int source, RCCE_FLAG *probe);
int RCCE_recv_test_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                        int source, int *test, RCCE_FLAG *probe);

/* Memory of the message passing buffer; each UE calls these in the same order with the same sizes, so that offsets
 * agree. */
t_vcharp RCCE_malloc(size_t size); /* returns NULL if `size` is no multiple of a line or too large */
t_vcharp RCCE_malloc_request(size_t size, size_t *got);
t_vcharp RCCE_palloc(size_t size, int ue); /* returns the same offset in ue's buffer */
void RCCE_free(t_vcharp memory);
/* The target of a put and the source of a get are addresses in the caller's own buffer; they mean the same offset in
 * ue's buffer. */
int RCCE_put(t_vcharp target, t_vcharp source, int bytes, int ue);
int RCCE_get(t_vcharp target, t_vcharp source, int bytes, int ue);
int RCCE_put_flag(t_vcharp target, t_vcharp source, int bytes,
                  int ue); /* the same, because flags are lines of the buffer */
int RCCE_get_flag(t_vcharp target, t_vcharp source, int bytes, int ue);
void *RCCE_memcpy_put(void *to, const void *from, size_t n); /* to a buffer; no checks */
void *RCCE_memcpy_get(void *to, const void *from, size_t n); /* from a buffer */
#define RCCE_memcpy(to, from, n) RCCE_memcpy_put(to, from, n)
int RCCE_flag_alloc(RCCE_FLAG *flag);
int RCCE_flag_free(RCCE_FLAG *flag);
int RCCE_flag_write(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue);
int RCCE_flag_read(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue);
int RCCE_wait_until(RCCE_FLAG flag, RCCE_FLAG_STATUS value);
int RCCE_test_flag(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result);
/* Flags of any value, with a tag of up to 28 bytes in their line. A tag may be NULL. */
int RCCE_flag_write_tagged(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue, void *tag, int length);
int RCCE_flag_read_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue, void *tag, int length);
int RCCE_wait_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, void *tag, int length);
int RCCE_test_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result, void *tag, int length);

/* Groups and collective operations, which every member calls. RCCE_comm_split() returns RCCE_ERROR_MALLOC to all
 * members of a group if one of them has no line for it. */
int RCCE_comm_split(int (*color)(int ue, void *aux), void *aux, RCCE_COMM *comm);
int RCCE_comm_free(RCCE_COMM *comm);
int RCCE_comm_size(RCCE_COMM comm, int *size);
int RCCE_comm_rank(RCCE_COMM comm, int *rank);
int RCCE_barrier(RCCE_COMM *comm);
void RCCE_fence(void);
/* Other barriers, to compare them (barriers.c says how each works). All members must call the same one. */
int RCCE_tree_init(RCCE_COMM *comm, tree_t *tree, int num_children);
int RCCE_tree_barrier(RCCE_COMM *comm, tree_t *tree);
int RCCE_tournament_barrier(RCCE_COMM *comm);
int RCCE_tournament_fixed_barrier(RCCE_COMM *comm);
int RCCE_dissemination_barrier(RCCE_COMM *comm);
int RCCE_TNS_barrier(RCCE_COMM *comm); /* uses the members' locks: no UE may hold one */
int RCCE_AIR_barrier(RCCE_COMM *comm); /* uses atomic counters; for groups it is RCCE_barrier() */
int RCCE_AIR_barrier2(RCCE_COMM *comm);
/* Non-blocking barriers. RCCE_PENDING: call it again, and no other function for this group before it has finished.
 * RCCE_REJECTED: another barrier is under way. */
int RCCE_nb_barrier(RCCE_COMM *comm); /* linear */
int RCCE_nb_TNS_barrier(RCCE_COMM *comm);
int RCCE_nb_AIR_barrier(RCCE_COMM *comm);
int RCCE_bcast(char *buffer, size_t size, int root, RCCE_COMM comm);
int RCCE_reduce(char *in, char *out, int n, int type, int op, int root,
                RCCE_COMM comm); /* reduces in the order of ranks */
int RCCE_allreduce(char *in, char *out, int n, int type, int op, RCCE_COMM comm);

/* Off-chip memory that all UEs share, at the same address in each. All UEs must call these in the same order, as
 * RCCE_malloc(). */
t_vcharp RCCE_shmalloc(size_t size);
t_vcharp RCCE_shrealloc(t_vcharp memory, size_t size);
void RCCE_shfree(t_vcharp memory);
void RCCE_shflush(void);

/* The text of an error, and which errors are printed when they happen. */
int RCCE_error_string(int error, char *text, int *length);
int RCCE_debug_set(int flag);
int RCCE_debug_unset(int flag);

/* Power. This board cannot change voltage or frequency: requests are refused. */
int RCCE_power_domain(void);
int RCCE_power_domain_master(void);
int RCCE_power_domain_size(void);
int RCCE_iset_power(int divider, RCCE_REQUEST *request, int *new_divider, int *new_level);
int RCCE_wait_power(RCCE_REQUEST *request);
int RCCE_set_frequency_divider(int divider, int *new_divider);

#ifdef __cplusplus
}
#endif

#ifdef GORY
#define RCCE_init      RCCE_init_gory
#define RCCE_send      RCCE_send_gory
#define RCCE_recv      RCCE_recv_gory
#define RCCE_recv_test RCCE_recv_test_gory
#endif

#endif
