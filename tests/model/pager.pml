/* SPDX-License-Identifier: MIT */
/*
 * pager.pml - page faults that a thread of the process handles (kernel/process/pager.c): threads that fault, and their
 * pager, which may end at any time. What is one step here is done under the process's lock there; a wake-up that comes
 * before the block is kept (wakeup.pml). Nobody waits for good: an invalid end state is a thread that does. A thread
 * that goes on was told and sent back, or its pager has ended, and then it faults once more and is ended by that.
 * -DBROKEN_IDLE: the pager looks for a fault, and says in another step that it waits.
 * -DBROKEN_ADD: a thread looks for a pager, and joins the waiters in another step.
 * -DBROKEN_TOLD: a pager that ends forgets those that it was told of.
 * -DBROKEN_RESUME: any thread that waits may be sent back, also one whose fault was not told.
 */
#define FAULTS 2
#define PAGER  2

mtype = { none, faulted, told };
mtype word[2] = none;
bool is_there, idle, token[3], mapped[2], was_told[2];

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
        was_told[who] = false;
#ifdef BROKEN_ADD
        if
        :: !is_there -> break /* the process is ended */
        :: else
        fi;
        atomic { join(who) };
#else
        atomic {
            if
            :: !is_there -> break
            :: else -> join(who)
            fi
        };
#endif
        atomic { token[who] -> token[who] = false };
        assert(word[who] == none);
        assert(was_told[who] || !is_there);
        if
        :: mapped[who]
        :: else -> goto again
        fi
    :: else -> break
    od
}

inline tell(who) { word[who] = told; was_told[who] = true; found = who }

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
        :: word[who] != none -> WAKE(who)
        :: word[who] == none
#else
        :: word[who] == told -> WAKE(who)
        :: word[who] != told
#endif
        fi
    }
}

inline forget(who) {
    if
    :: word[who] == faulted -> WAKE(who)
#ifndef BROKEN_TOLD
    :: word[who] == told -> WAKE(who)
#endif
    :: else
    fi
}

active proctype pager()
{
    byte found;
    atomic { is_there = true; run thread(0); run thread(1) };
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
    atomic { is_there = false; forget(0); forget(1) }
}
