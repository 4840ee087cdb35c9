/* SPDX-License-Identifier: MIT */
/*
 * The semaphore of user/nanvix/lib/semaphore.c: TAKERS threads take one each, of which each may poll for as long as it
 * likes before it sleeps; GIVERS threads give one each, as many in all. The kernel looks at the value before it lets a
 * thread sleep, and wakes the one that has slept longest (process_wait.pml).
 * Claims: nobody sleeps for ever (all finish: no invalid end state); the value is 0 in the end, as is `asleep`.
 * -DBROKEN_ORDER reads `asleep` before it increments the value.
 * -DBROKEN_LOOK lets a thread sleep without another look at the value.
 * -DBROKEN_LATE increments `asleep` when the kernel has looked.
 */
#define TAKERS 3
#define GIVERS 3

byte val, asleep, done;
bool sleeps[TAKERS];
chan sleepers = [TAKERS] of { byte };

proctype taker(byte me)
{
    do
    :: atomic { val > 0 -> val-- }; break /* a poll */
    :: true ->
#ifndef BROKEN_LATE
        asleep++;
#endif
        atomic {
            if
#ifdef BROKEN_LOOK
            :: true -> sleeps[me] = true; sleepers!me
#else
            :: val == 0 -> sleeps[me] = true; sleepers!me
            :: else
#endif
            fi
        };
#ifdef BROKEN_LATE
        asleep++;
#endif
        (!sleeps[me]);
        asleep--
    od;
    done++
}

proctype giver()
{
    byte first;
    bool ask;
#ifdef BROKEN_ORDER
    ask = asleep > 0;
    val++;
#else
    val++;
    ask = asleep > 0;
#endif
    if
    :: ask ->
        atomic {
            if
            :: nempty(sleepers) -> sleepers?first; sleeps[first] = false
            :: else
            fi
        }
    :: else
    fi;
    done++
}

init {
    atomic { run taker(0); run taker(1); run taker(2); run giver(); run giver(); run giver() };
    (done == TAKERS + GIVERS);
    assert(val == 0 && asleep == 0)
}
