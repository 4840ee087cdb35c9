/* SPDX-License-Identifier: MIT */
/*
 * iRCCE.h - iRCCE 2.0: non-blocking messages on RCCE's simple interface (docs/scc.md, "iRCCE").
 *
 * Requests are the application's memory and must stay valid until they are finished. Sends are done one after the
 * other, and so are receives from one source. Progress is made in calls of iRCCE, and in calls of RCCE that wait.
 */
#ifndef IRCCE_H
#define IRCCE_H

#include <RCCE.h>

#define iRCCE_VERSION "2.0"
#define iRCCE_FLAIR

#define iRCCE_SUCCESS      0
#define iRCCE_ERROR        (-1)
#define iRCCE_PENDING      (-2) /* under way */
#define iRCCE_RESERVED     (-3) /* waiting behind others, or without a source yet */
#define iRCCE_NOT_ENQUEUED (-4)

#define _iRCCE_ANY_LENGTH_
#define _iRCCE_TAGGED_FLAGS_
#define iRCCE_MAX_TAGGED_LEN (RCCE_LINE_SIZE - (int)sizeof(int))
extern const int iRCCE_ANY_SOURCE, iRCCE_ANY_LENGTH;

typedef RCCE_SEND_REQUEST iRCCE_SEND_REQUEST;
typedef RCCE_RECV_REQUEST iRCCE_RECV_REQUEST;

#define iRCCE_WAIT_LIST_RECV_TYPE 0
#define iRCCE_WAIT_LIST_SEND_TYPE 1

typedef struct iRCCE_wait_element {
    int type;
    struct iRCCE_wait_element *next;
    void *req;
} iRCCE_WAIT_LISTELEM;

typedef struct {
    iRCCE_WAIT_LISTELEM *first, *last;
} iRCCE_WAIT_LIST;

/* An atomic increment register. On the real SCC a load of `counter` increments it; here both pointers are the same word
 * of shared memory, and only the functions are atomic. */
typedef struct {
    volatile int *counter, *init;
} iRCCE_AIR;

#ifdef __cplusplus
extern "C" {
#endif

int iRCCE_init(void); /* after RCCE_init(), by every UE; ends in a barrier */

/* Returns SUCCESS: done; PENDING: under way; RESERVED: waiting behind others. Without a request (NULL) they wait. A
 * size of 0 or less is done at once. A receive may be from iRCCE_ANY_SOURCE, of iRCCE_ANY_LENGTH, or both: it takes a
 * message for which no other request waits, with the sender's size; the buffer must have room for it. Errors:
 * RCCE_ERROR_ID, RCCE_ERROR_VAL_UNDEFINED (no buffer), RCCE_ERROR_MALLOC (gory interface), iRCCE_ERROR (the request is
 * still open). */
int iRCCE_isend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request);
int iRCCE_irecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request);
/* Return the same. *test, which may be NULL, becomes 1 if the request is finished. Without a request: all requests of
 * this direction. NOT_ENQUEUED: the request is neither finished nor open. */
int iRCCE_isend_test(iRCCE_SEND_REQUEST *request, int *test);
int iRCCE_irecv_test(iRCCE_RECV_REQUEST *request, int *test);
int iRCCE_isend_wait(iRCCE_SEND_REQUEST *request);
int iRCCE_irecv_wait(iRCCE_RECV_REQUEST *request);
int iRCCE_isend_push(void); /* PENDING: some are left */
int iRCCE_irecv_push(void);
/* SUCCESS: the request is no longer open (*test, which may be NULL, becomes 1); PENDING: it is under way and stays
 * open; NOT_ENQUEUED. */
int iRCCE_isend_cancel(iRCCE_SEND_REQUEST *request, int *test);
int iRCCE_irecv_cancel(iRCCE_RECV_REQUEST *request, int *test);

/* Synchronous: an empty message also waits for the other side. srecv_test: PENDING if no message waits. */
int iRCCE_ssend(char *buffer, ssize_t size, int dest);
int iRCCE_srecv(char *buffer, ssize_t size, int source);
int iRCCE_srecv_test(char *buffer, ssize_t size, int source, int *test);
int iRCCE_issend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request);
int iRCCE_isrecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request);

/* Find a message that waits; iRCCE_probe() waits for one. *rank becomes its sender, or iRCCE_ANY_SOURCE if *flag is 0;
 * both pointers may be NULL. Messages for which a request waits are not found. iRCCE_get_length(NULL) is its size. */
int iRCCE_probe(int source, int *rank);
int iRCCE_iprobe(int source, int *rank, int *flag);

/* Either request may be NULL. If there is no memory for the list's element the program ends. */
void iRCCE_init_wait_list(iRCCE_WAIT_LIST *list);
void iRCCE_add_to_wait_list(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST *send, iRCCE_RECV_REQUEST *recv);
/* Finished requests are removed from the list. PENDING: some are left. _any returns one finished request in one of the
 * two pointers; the other becomes NULL. For an empty list it returns NOT_ENQUEUED, and both become NULL. */
int iRCCE_test_all(iRCCE_WAIT_LIST *list, int *test);
int iRCCE_wait_all(iRCCE_WAIT_LIST *list);
int iRCCE_test_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv);
int iRCCE_wait_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv);

/* Properties of a request, or (NULL) of the message that was received or probed last; -1 if there was none. The
 * destination of NULL is iRCCE_ERROR. */
int iRCCE_get_dest(iRCCE_SEND_REQUEST *request);
int iRCCE_get_source(iRCCE_RECV_REQUEST *request);
int iRCCE_get_size(iRCCE_SEND_REQUEST *send, iRCCE_RECV_REQUEST *recv);
int iRCCE_get_length(void);

/* Functions of the gory interface, for programs that use the simple one. */
t_vcharp iRCCE_malloc(size_t size);
int iRCCE_put(t_vcharp target, t_vcharp source, int bytes, int ue);
int iRCCE_get(t_vcharp target, t_vcharp source, int bytes, int ue);
void *iRCCE_memcpy_put(void *to, const void *from, size_t n);
void *iRCCE_memcpy_get(void *to, const void *from, size_t n);
#define iRCCE_memcpy iRCCE_memcpy_put
/* Flags of any value, with a tag of up to iRCCE_MAX_TAGGED_LEN bytes. */
int iRCCE_flag_alloc(RCCE_FLAG *flag);
int iRCCE_flag_write(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue);
int iRCCE_flag_read(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue);
int iRCCE_wait_until(RCCE_FLAG flag, RCCE_FLAG_STATUS value);
int iRCCE_test_flag(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result);
int iRCCE_flag_alloc_tagged(RCCE_FLAG *flag);
int iRCCE_flag_free_tagged(RCCE_FLAG *flag);
int iRCCE_flag_write_tagged(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue, void *tag, int length);
int iRCCE_flag_read_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue, void *tag, int length);
int iRCCE_wait_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, void *tag, int length);
int iRCCE_test_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result, void *tag, int length);
int iRCCE_get_max_tagged_len(void);

/* Atomic counters, which start at 0; the board has 96. Every UE must allocate them in the same order. iRCCE_ERROR: none
 * is left, or `air` is none. inc returns the value before the increment. */
int iRCCE_atomic_alloc(iRCCE_AIR **air);
int iRCCE_atomic_inc(iRCCE_AIR *air, int *value);
int iRCCE_atomic_read(iRCCE_AIR *air, int *value);
int iRCCE_atomic_write(iRCCE_AIR *air, int value);

/* Collective operations. A multicast goes from one UE to all others; bcast to the whole world is a multicast. */
int iRCCE_barrier(RCCE_COMM *comm); /* NULL: the world */
int iRCCE_bcast(char *buffer, size_t size, int root, RCCE_COMM comm);
int iRCCE_mcast(char *buffer, size_t size, int root);
int iRCCE_msend(char *buffer, ssize_t size);
int iRCCE_mrecv(char *buffer, ssize_t size, int source);

#ifdef __cplusplus
}
#endif

#define RCCE_isend             iRCCE_isend
#define RCCE_isend_test        iRCCE_isend_test
#define RCCE_isend_wait        iRCCE_isend_wait
#define RCCE_isend_push        iRCCE_isend_push
#define RCCE_irecv             iRCCE_irecv
#define RCCE_irecv_test        iRCCE_irecv_test
#define RCCE_irecv_wait        iRCCE_irecv_wait
#define RCCE_irecv_push        iRCCE_irecv_push
#define RCCE_SEND_REQUEST      iRCCE_SEND_REQUEST
#define RCCE_RECV_REQUEST      iRCCE_RECV_REQUEST
#define RCCE_flag_write_tagged iRCCE_flag_write_tagged
#define RCCE_flag_read_tagged  iRCCE_flag_read_tagged
#define RCCE_wait_tagged       iRCCE_wait_tagged
#define RCCE_test_tagged       iRCCE_test_tagged
#define RCCE_flag_alloc_tagged iRCCE_flag_alloc_tagged
#define RCCE_flag_free_tagged  iRCCE_flag_free_tagged

#define iRCCE_send        iRCCE_ssend
#define iRCCE_recv        iRCCE_srecv
#define iRCCE_recv_test   iRCCE_srecv_test
#define iRCCE_issend_test iRCCE_isend_test
#define iRCCE_issend_wait iRCCE_isend_wait
#define iRCCE_issend_push iRCCE_isend_push
#define iRCCE_isrecv_test iRCCE_irecv_test
#define iRCCE_isrecv_wait iRCCE_irecv_wait
#define iRCCE_isrecv_push iRCCE_irecv_push

#endif
