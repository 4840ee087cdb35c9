/* SPDX-License-Identifier: MIT */
/*
 * pager.pml - page faults that a thread of the process handles (kernel/process/pager.c): threads that fault, their pager,
 * which may end at any time and come once more, and one that lets faults wait for a pager (fault_keep) and no longer does
 * at any time. What is one step here is done under the process's lock there; a wake-up that comes before the block is kept
 * (wakeup.pml). Nobody waits for good: an invalid end state is a thread that does. A thread that goes on has a reason: it
 * was told and sent back, its pager has ended, or its fault is not kept any more. With the last two it faults once more,
 * and is ended by that, or waits again.
 * -DBROKEN_IDLE: the pager looks for a fault, and says in another step that it waits.
 * -DBROKEN_ADD: a thread looks for a pager, and joins the waiters in another step.
 * -DBROKEN_TOLD: a pager that ends forgets those that it was told of.
 * -DBROKEN_RESUME: any thread that waits may be sent back, also one whose fault was not told.
 * -DBROKEN_KEEP: who keeps faults no longer leaves those that wait without a pager.
 * -DBROKEN_SEEN: who keeps faults no longer looks for a pager, and acts on that in another step.
 */
#define FAULTS 2
#define PAGER  2

mtype = { none, faulted, told };
mtype word[2] = none;
bool is_there, keeps, idle, token[3], mapped[2], reason[2];

#define WAKE(who) word[who] = none; token[who] = true

inline join(who) {
    word[who] = faulted;
    if
    :: idle -> idle = false; token[PAGER] = true
    :: else
    fi
}

proctype thread(byte who)
{
    byte faults = 0;
    do
    :: faults < FAULTS ->
        faults++;
        mapped[who] = false;
again:
        reason[who] = false;
#ifdef BROKEN_ADD
        if
        :: !is_there && !keeps -> break /* the process is ended */
        :: else
        fi;
        atomic { join(who) };
#else
        atomic {
            if
            :: !is_there && !keeps -> break
            :: else -> join(who)
            fi
        };
#endif
        atomic { token[who] -> token[who] = false };
        assert(word[who] == none);
        assert(reason[who]);
        if
        :: mapped[who]
        :: else -> goto again
        fi
    :: else -> break
    od
}

inline tell(who) { word[who] = told; found = who }

inline look() {
    if
    :: word[0] == faulted -> tell(0)
    :: word[0] != faulted && word[1] == faulted -> tell(1)
    :: else -> found = PAGER
    fi
}

inline resume(who) {
    atomic {
        if
#ifdef BROKEN_RESUME
        :: word[who] != none -> reason[who] = (word[who] == told); WAKE(who)
        :: word[who] == none
#else
        :: word[who] == told -> reason[who] = true; WAKE(who)
        :: word[who] != told
#endif
        fi
    }
}

inline forget(who, what) {
    if
    :: word[who] == what -> reason[who] = true; WAKE(who)
    :: word[who] != what
    fi
}

proctype pager()
{
    byte found, lives = 0;
live:
    lives++;
    is_there = true;
    do
    ::
#ifdef BROKEN_IDLE
        atomic { look() };
        if
        :: found == PAGER -> idle = true
        :: else
        fi;
#else
        atomic {
            look();
            if
            :: found == PAGER -> idle = true
            :: else
            fi
        };
#endif
        if
        :: found == PAGER ->
end:
            atomic { token[PAGER] -> token[PAGER] = false }
        :: found < PAGER ->
            mapped[found] = true;
            resume(found)
        :: found < PAGER -> resume(1 - found) /* a mistake, or a number made up: nobody is harmed */
                            ;
                            mapped[found] = true;
                            resume(found)
        :: found < PAGER -> break /* it faults itself, or just ends */
        fi
    :: break
    od;
    atomic {
        is_there = false;
        forget(0, faulted);
        forget(1, faulted);
#ifndef BROKEN_TOLD
        forget(0, told);
        forget(1, told)
#endif
    };
    if
    :: lives < 2 -> goto live
    :: true
    fi
}

active proctype keeper()
{
    bool seen;
    atomic { keeps = true; run thread(0); run thread(1); run pager() };
#ifdef BROKEN_SEEN
    seen = is_there;
#endif
    atomic {
#ifndef BROKEN_SEEN
        seen = is_there;
#endif
        keeps = false;
#ifndef BROKEN_KEEP
        if
        :: !seen -> forget(0, faulted); forget(1, faulted)
        :: else
        fi
#endif
    }
}
