/* SPDX-License-Identifier: MIT */
/*
 * The semaphore of partition/sem.c on a mutex (bakery.pml): N cores, each takes it ROUNDS times.
 * Claims: never two hold it; who joined the queue first gets it first, and nobody who comes later gets it before; no grant
 * is lost (all finish: no invalid end state).
 * -DBROKEN_CLEAR clears the word that it will wait on after it has left the mutex: the grant may be there already.
 * -DBROKEN_FREE also sets `free` when it hands over.
 */
#define N 3
#define ROUNDS 2

bool mutex, free = true, granted[N];
byte queue[N], head, tail;
byte inside, done;
byte turn_of[N], came, served; /* order of joining the queue */

inline mutex_start() { atomic { !mutex -> mutex = true } }
inline mutex_stop() { mutex = false }

proctype core(byte me)
{
    byte round;
    bool waited;
    do
    :: round < ROUNDS ->
        mutex_start();
        if
        :: free ->
            assert(head == tail);
            free = false;
            waited = false;
            mutex_stop()
        :: else ->
#ifndef BROKEN_CLEAR
            granted[me] = false;
#endif
            d_step {
                queue[tail % N] = me;
                tail++;
                turn_of[me] = came;
                came++
            };
            waited = true;
            mutex_stop();
#ifdef BROKEN_CLEAR
            granted[me] = false;
#endif
            (granted[me])
        fi;
        inside++;
        assert(inside == 1);
        if
        :: waited -> assert(turn_of[me] == served); served++
        :: else
        fi;
        inside--;
        mutex_start();
        if
        :: head == tail -> free = true
        :: else ->
            granted[queue[head % N]] = true;
            head++;
#ifdef BROKEN_FREE
            free = true
#endif
        fi;
        mutex_stop();
        round++
    :: else -> break
    od;
    done++
}

init {
    atomic { run core(0); run core(1); run core(2) };
    (done == N)
}
