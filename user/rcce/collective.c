/* SPDX-License-Identifier: MIT */
/*
 * collective.c - bcast by a binomial tree; reduce by the root, in the order of ranks. So sums of floating point numbers
 * are the same in every run and for every number of chunks.
 */
#include <stdint.h>
#include <string.h>

#include "rcce.h"

#define PIECE 1024 /* bytes of a vector that are reduced at once */

/* Check that the group and its root are valid for send and recv. Returns RCCE_SUCCESS or an error. */
static int check(const RCCE_COMM *comm, int root)
{
    int rank;
    if (RCCE_comm_rank(*comm, &rank))
        return RCCE_ERROR_COMM_UNDEFINED;
    return root < 0 || root >= comm->size ? RCCE_ERROR_ID : RCCE_SUCCESS;
}

int RCCE_bcast(char *buffer, size_t size, int root, RCCE_COMM comm)
{
    int error = check(&comm, root), n = comm.size;
    if (error)
        return rcce_error(DEBUG_COMM, error);
    int place = (comm.my_rank - root + n) % n, step = 1;
    while (step < n && !(place & step))
        step *= 2;
    if (place)
        error = RCCE_recv(buffer, size, comm.member[(comm.my_rank - step + n) % n]);
    for (step /= 2; step && !error; step /= 2)
        if (place + step < n)
            error = RCCE_send(buffer, size, comm.member[(comm.my_rank + step) % n]);
    return error;
}

#define COMBINE(T)                                                                                                     \
    static void combine_##T(void *into, const void *with, int n, int op)                                               \
    {                                                                                                                  \
        T *a = into;                                                                                                   \
        const T *b = with;                                                                                             \
        for (int i = 0; i < n; i++)                                                                                    \
            switch (op) {                                                                                              \
            case RCCE_SUM: a[i] += b[i]; break;                                                                        \
            case RCCE_MIN: a[i] = b[i] < a[i] ? b[i] : a[i]; break;                                                    \
            case RCCE_MAX: a[i] = b[i] > a[i] ? b[i] : a[i]; break;                                                    \
            default: a[i] *= b[i]; break;                                                                              \
            }                                                                                                          \
    }
COMBINE(int)
COMBINE(long)
COMBINE(float)
COMBINE(double)

static const struct {
    size_t size;
    void (*combine)(void *into, const void *with, int n, int op);
} types[] = { { sizeof(int), combine_int },
              { sizeof(long), combine_long },
              { sizeof(float), combine_float },
              { sizeof(double), combine_double } };

static int check_reduce(const char *in, const char *out, int n, int type, int op, int root, const RCCE_COMM *comm)
{
    int error = check(comm, root);
    if (error)
        return error;
    if (type < RCCE_INT || type > RCCE_DOUBLE)
        return RCCE_ERROR_ILLEGAL_TYPE;
    if (op < RCCE_SUM || op > RCCE_PROD)
        return RCCE_ERROR_ILLEGAL_OP;
    if (n < 0 || (size_t)n > SIZE_MAX / sizeof(double))
        return RCCE_ERROR_MESSAGE_LENGTH;
    return n && (!in || (!out && comm->my_rank == root)) ? RCCE_ERROR_VAL_UNDEFINED : RCCE_SUCCESS;
}

/* The root's part: receive and reduce all members' pieces in order. */
static int gather(const char *in, char *out, size_t bytes, int type, int op, const RCCE_COMM *comm)
{
    double sum[PIECE / sizeof(double)], next[PIECE / sizeof(double)];
    int error = RCCE_SUCCESS;
    for (int rank = 0; rank < comm->size && !error; rank++) {
        void *to = rank ? next : sum;
        if (rank == comm->my_rank)
            memcpy(to, in, bytes);
        else
            error = RCCE_recv(to, bytes, comm->member[rank]);
        if (rank && !error)
            types[type].combine(sum, next, (int)(bytes / types[type].size), op);
    }
    memcpy(out, sum, bytes);
    return error;
}

int RCCE_reduce(char *in, char *out, int n, int type, int op, int root, RCCE_COMM comm)
{
    int error = check_reduce(in, out, n, type, op, root, &comm);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    type -= RCCE_INT;
    size_t size = (size_t)n * types[type].size;
    for (size_t at = 0, piece; at < size && !error; at += piece) {
        piece = size - at < PIECE ? size - at : PIECE;
        if (comm.my_rank == root)
            error = gather(in + at, out + at, piece, type, op, &comm);
        else
            error = RCCE_send(in + at, piece, comm.member[root]);
    }
    return error;
}

int RCCE_allreduce(char *in, char *out, int n, int type, int op, RCCE_COMM comm)
{
    int error = check_reduce(in, out, n, type, op, 0, &comm);
    if (!error && n && !out)
        error = RCCE_ERROR_VAL_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_COMM, error);
    error = RCCE_reduce(in, out, n, type, op, 0, comm);
    return error ? error : RCCE_bcast(out, (size_t)n * types[type - RCCE_INT].size, 0, comm);
}
