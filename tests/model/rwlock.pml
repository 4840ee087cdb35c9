/* SPDX-License-Identifier: MIT */
/*
 * The lock of readers and writers of user/lib/pthread_rwlock.c. What is done under its mutex is one step; a thread that
 * a condition has woken, or whose time is up, gets the mutex later, and others may come before. READERS readers and
 * WRITERS writers lock it: number 0 of both once, with a wait that has no end; number 1 of both twice, and the time of
 * its wait may be over at any moment.
 * Claims: a writer is alone; all finish (no invalid end state); a reader that waits sees one writer at most take the
 * lock before it; no reader that comes while a writer waits takes the lock before a writer does.
 * -DBROKEN_GIVE_UP: the last writer that gives up lets no reader in.
 * -DBROKEN_TURN: a reader whose time is up does not look whether it was let in.
 * -DBROKEN_SIGNAL: the last reader wakes no writer.
 * -DBROKEN_UNLOCK: who has written lets the next writer in before the readers that wait.
 * -DBROKEN_LOOK: a writer that was woken does not look whether the lock is free.
 * -DBROKEN_PASS: a reader does not ask whether a writer waits.
 */
#define READERS 2
#define WRITERS 2

byte reading, waiting_readers, waiting_writers, turn, seen[READERS], done;
bool writer, waits[READERS], sleeps[WRITERS];
chan sleepers = [WRITERS] of { byte };

inline let_readers_in() { reading = reading + waiting_readers; waiting_readers = 0; turn++ }

inline wake_a_writer() {
    if
    :: nempty(sleepers) -> sleepers?first; sleeps[first] = false
    :: else
    fi
}

/* A writer takes the lock: those who wait see it. */
inline take() {
    writer = true;
    if
    :: waits[0] && turn == turn_of[0] -> seen[0]++; assert(seen[0] <= 1)
    :: else
    fi;
    if
    :: waits[1] && turn == turn_of[1] -> seen[1]++; assert(seen[1] <= 1)
    :: else
    fi
}

byte turn_of[READERS];

proctype reads(byte me)
{
    byte round, first;
    do
    :: round > me -> break
    :: round <= me ->
        round++;
        atomic {
            if
#ifdef BROKEN_PASS
            :: !writer ->
#else
            :: !writer && waiting_writers == 0 ->
#endif
                assert(waiting_writers == 0);
                reading++;
                goto inside
            :: else -> waiting_readers++; turn_of[me] = turn; waits[me] = true; seen[me] = 0
            fi
        };
        do
        :: atomic { turn != turn_of[me] -> waits[me] = false; turn_of[me] = 0; seen[me] = 0; break }
        :: atomic { me > 0 && turn == turn_of[me] -> skip }; /* its time is up; it gets the mutex later */
            atomic {
                waits[me] = false;
                if
#ifndef BROKEN_TURN
                :: turn != turn_of[me] -> break
#endif
                :: else -> waiting_readers = (waiting_readers > 0 -> waiting_readers - 1 : 0); goto late
                fi
            }
        od;
inside:
        assert(!writer && reading > 0);
        atomic {
            reading--;
#ifndef BROKEN_SIGNAL
            if
            :: reading == 0 -> wake_a_writer()
            :: else
            fi
#endif
        };
late:
        skip
    od;
    round = 0;
    done++
}

proctype writes(byte me)
{
    byte round, first;
    do
    :: round > me -> break
    :: round <= me ->
        round++;
        atomic {
            if
            :: !writer && reading == 0 -> take(); goto inside
            :: else -> waiting_writers++; sleepers!me; sleeps[me] = true
            fi
        };
        do
        :: !sleeps[me] ->
            atomic {
                if
#ifdef BROKEN_LOOK
                :: true -> waiting_writers--; take(); break
#else
                :: !writer && reading == 0 -> waiting_writers--; take(); break
                :: else -> sleepers!me; sleeps[me] = true
#endif
                fi
            }
        :: atomic { me > 0 && sleeps[me] -> sleepers??eval(me); sleeps[me] = false };
            atomic {
                waiting_writers--;
                if
                :: !writer && reading == 0 -> take(); break
                :: else ->
#ifndef BROKEN_GIVE_UP
                    if
                    :: waiting_writers == 0 && !writer -> let_readers_in()
                    :: else
                    fi;
#endif
                    goto late
                fi
            }
        od;
inside:
        assert(writer && reading == 0);
        atomic {
            writer = false;
            if
#ifdef BROKEN_UNLOCK
            :: waiting_readers > 0 && waiting_writers == 0 -> let_readers_in()
#else
            :: waiting_readers > 0 -> let_readers_in()
#endif
            :: else -> wake_a_writer()
            fi
        };
late:
        skip
    od;
    round = 0;
    done++
}

init {
    atomic { run reads(0); run reads(1); run writes(0); run writes(1) };
    (done == READERS + WRITERS);
    assert(!writer && reading == 0 && waiting_readers == 0 && waiting_writers == 0)
}
