/* SPDX-License-Identifier: MIT */
/*
 * The counting semaphore of user/lib/counter.h, by which user/lib/semaphore.c and user/nanvix/lib/semaphore.c wait:
 * the value and the number of threads that sleep, or are about to, are one word. TAKERS threads take one each, of which
 * each may poll for as long as it likes before it is counted and sleeps, and one has a deadline that may pass at any
 * moment; GIVERS threads give one each. The kernel looks at the word before it lets a thread sleep, and wakes the one
 * that has slept longest (process_wait.pml).
 * Claims: nobody sleeps for ever (all finish: no invalid end state); in the end the value is what was given and not
 * taken, and nobody is counted; and a giver touches nothing after its step (its wake names an address only).
 * -DBROKEN_ORDER reads the sleepers before it increments the value, as if they were two words.
 * -DBROKEN_LOOK lets a thread sleep without another look at the value.
 * -DBROKEN_LATE counts a thread when the kernel has looked.
 */
#define TAKERS 3
#define GIVERS 3

byte val, asleep, done, late;
bool sleeps[TAKERS];
chan sleepers = [TAKERS] of { byte };

proctype taker(byte me)
{
    bool counted = false, up = false;
    do
    :: atomic { val > 0 -> val--; asleep = asleep - counted }; break
#ifndef BROKEN_LATE
    :: atomic { val == 0 && !counted -> asleep++; counted = true }
#else
    :: !counted -> counted = true
#endif
    :: counted && !up ->
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
        if
        :: !sleeps[me]
        :: me == 0 && sleeps[me] -> /* its time is up: it leaves the kernel's list, unless it was woken */
            atomic {
                if
                :: sleeps[me] -> sleepers??eval(me); sleeps[me] = false; up = true
                :: else
                fi
            }
        fi
    :: atomic { up && val == 0 -> asleep--; late++ }; break
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
    atomic { val++; ask = asleep > 0 };
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
    assert(val == late && asleep == 0)
}
