/* SPDX-License-Identifier: MIT */
/*
 * RCCE.h - RCCE 1.0.13, the communication library of the SCC, for native programs (docs/scc.md, "RCCE").
 *
 * A program is `int RCCE_APP(int argc, char **argv)`, made by `amalgam cc --rcce`. A unit of execution (UE) is a core,
 * with a rank from 0 on. All functions return RCCE_SUCCESS or an error unless said otherwise; every argument is checked
 * before anything is done.
 *
 * There are two interfaces of the same names: the simple one, and the gory one when GORY is defined before this header
 * is included. All files of a program must choose the same.
 */
#ifndef RCCE_H
#define RCCE_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/types.h>

#define RCCE_APP main

#define RCCE_LINE_SIZE     32
#define RCCE_BUFF_SIZE_MAX 8192 /* of a core; the kernels have 3,072 of them and the library 704 */
#define RCCE_MAXNP         48
#define RCCE_SHM_SIZE_MAX  (2 << 20) /* less 4 KiB that the library has */

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

#define RCCE_SUM  23232323
#define RCCE_MIN  (RCCE_SUM + 1)
#define RCCE_MAX  (RCCE_SUM + 2)
#define RCCE_PROD (RCCE_SUM + 3)

#define RCCE_INT    63636363
#define RCCE_LONG   (RCCE_INT + 1)
#define RCCE_FLOAT  (RCCE_INT + 2)
#define RCCE_DOUBLE (RCCE_INT + 3)

#define RCCE_DEBUG_ALL   111111
#define RCCE_DEBUG_SYNCH 111444
#define RCCE_DEBUG_COMM  111555
#define RCCE_DEBUG_RPC   111666
#define RCCE_DEBUG_DEBUG 111888

#define RCCE_POWER_DEFAULT (-99999)

typedef volatile unsigned char *t_vcharp;
typedef volatile int *RCCE_FLAG; /* the first word of a line of the message passing buffer */
typedef int RCCE_FLAG_STATUS;

typedef struct {
    int size;
    int my_rank;
    int initialized;
    int member[RCCE_MAXNP]; /* ranks of the world */
    t_vcharp barrier;       /* where its barrier's words are */
} RCCE_COMM;
extern RCCE_COMM RCCE_COMM_WORLD;

typedef struct {
    int active;
} RCCE_REQUEST;
extern RCCE_COMM RCCE_P_COMM; /* the UEs of one power domain */

#ifdef __cplusplus
extern "C" {
#endif

/* Core. RCCE_init() takes its words out of argc and argv: number of UEs, clock, a core for each UE. */
int RCCE_init(int *argc, char ***argv);
int RCCE_init_gory(int *argc, char ***argv);
int RCCE_finalize(void);
double RCCE_wtime(void); /* seconds */
int RCCE_ue(void);
int RCCE_num_ues(void);

/* Two-sided. Any size; send waits until all was received. */
int RCCE_send(char *buffer, size_t size, int dest);
int RCCE_recv(char *buffer, size_t size, int source);
int RCCE_recv_test(char *buffer, size_t size, int source, int *test); /* receives if something waits: *test 1 */
int RCCE_send_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int dest);
int RCCE_recv_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int source, RCCE_FLAG *probe);
int RCCE_recv_test_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                        int source, int *test, RCCE_FLAG *probe);

/* Memory of the message passing buffer; each UE calls these in the same order with the same sizes, so that offsets
 * agree. */
t_vcharp RCCE_malloc(size_t size); /* NULL: no multiple of a line, or not so much */
t_vcharp RCCE_malloc_request(size_t size, size_t *got);
t_vcharp RCCE_palloc(size_t size, int ue); /* the same place in that UE's buffer */
void RCCE_free(t_vcharp memory);
/* The target of a put, the source of a get, is an address in the caller's own buffer, and means the same offset in
 * ue's. */
int RCCE_put(t_vcharp target, t_vcharp source, int bytes, int ue);
int RCCE_get(t_vcharp target, t_vcharp source, int bytes, int ue);
int RCCE_flag_alloc(RCCE_FLAG *flag);
int RCCE_flag_free(RCCE_FLAG *flag);
int RCCE_flag_write(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue);
int RCCE_flag_read(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue);
int RCCE_wait_until(RCCE_FLAG flag, RCCE_FLAG_STATUS value);
int RCCE_test_flag(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result);

/* Groups and collective operations, which every member calls. */
int RCCE_comm_split(int (*color)(int ue, void *aux), void *aux, RCCE_COMM *comm);
int RCCE_comm_free(RCCE_COMM *comm);
int RCCE_comm_size(RCCE_COMM comm, int *size);
int RCCE_comm_rank(RCCE_COMM comm, int *rank);
int RCCE_barrier(RCCE_COMM *comm);
void RCCE_fence(void);
int RCCE_bcast(char *buffer, size_t size, int root, RCCE_COMM comm);
int RCCE_reduce(char *in, char *out, int n, int type, int op, int root, RCCE_COMM comm); /* in the order of ranks */
int RCCE_allreduce(char *in, char *out, int n, int type, int op, RCCE_COMM comm);

/* Off-chip memory that all UEs share, at the same address everywhere; called as RCCE_malloc() is. */
t_vcharp RCCE_shmalloc(size_t size);
t_vcharp RCCE_shrealloc(t_vcharp memory, size_t size);
void RCCE_shfree(t_vcharp memory);
void RCCE_shflush(void);

/* RCCE_ISSUE: what the text of an error is, and which errors are printed when they happen. */
int RCCE_error_string(int error, char *text, int *length);
int RCCE_debug_set(int flag);
int RCCE_debug_unset(int flag);

/* Power. Nothing can be changed on this board: what asks for a change is refused. */
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
