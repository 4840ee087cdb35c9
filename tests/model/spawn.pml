/* SPDX-License-Identifier: MIT */
/*
 * A slot for programs (spawn/slots.c, spawn/calls.c): two threads of its owner start, wait for and kill what runs in
 * it; that may end by itself at any moment; the owner ends, and begins again; the control console starts and stops the
 * domain. `state` is the slot's, under one lock; `domain` its domain's.
 * Claims: a program begins in clean memory only, and only by its owner; memory is cleaned while nothing runs in it; each
 * end is told at most once; nothing that was started by one life of the owner is told to another one, or runs for ever.
 * -DBROKEN_CLAIM starts in a slot whose last program has not stopped.
 * -DBROKEN_BUSY tells the end without marking the slot: two threads clean, and are told.
 * -DBROKEN_CONSOLE lets the console start the domain, as it may others.
 * -DBROKEN_LEFT leaves what the owner's last life has started as it is, for the next.
 * -DBROKEN_KILL ends nothing when the owner ends.
 */
#define STARTS 3

mtype = { FREE, BUSY, RUNS, LEFT, STOPPED, RUNNING, STOPPING };
mtype state = FREE, domain = STOPPED;
bool clean = true, cleaning;
byte life, started_by, starts, told, ends; /* the owner's life; of whom the program is; programs started */
bool owner_runs = true, over;
byte inside; /* threads of the owner that are in a call */

inline clear_memory()
{
    assert(domain == STOPPED && !cleaning);
    cleaning = true;
    clean = true;
    cleaning = false
}

inline begin_call() { atomic { owner_runs -> inside++ } }
inline end_call() { inside-- }

inline start_program()
{
    bool found, was_clean;
    atomic {
        found = false;
#ifdef BROKEN_CLAIM
        if
        :: state == FREE || state == LEFT -> was_clean = state == FREE; state = BUSY; found = true
#else
        if
        :: (state == FREE || state == LEFT) && domain == STOPPED -> was_clean = state == FREE; state = BUSY; found = true
#endif
        :: else
        fi
    }
    if
    :: found ->
        if
        :: !was_clean -> clear_memory()
        :: else
        fi;
        atomic { /* domain_start() */
            assert(clean && domain == STOPPED);
            domain = RUNNING;
            clean = false;
            started_by = life;
            starts++;
            ends = 0
        }
        state = RUNS
    :: else
    fi
}

inline wait_program()
{
    bool mine;
    atomic {
        mine = state == RUNS && domain == STOPPED;
#ifndef BROKEN_BUSY
        if
        :: mine -> state = BUSY
        :: else
        fi
#endif
    }
    if
    :: mine ->
        assert(started_by == life);
        atomic { ends++; assert(ends == 1) }
        clear_memory();
        state = FREE
    :: else
    fi
}

inline kill_program()
{
    if
    :: state == RUNS && domain == RUNNING -> domain = STOPPING
    :: else
    fi
}

active [2] proctype thread()
{
    do
    :: starts < STARTS && !over -> begin_call(); start_program(); end_call()
    :: !over -> begin_call(); wait_program(); end_call()
    :: !over -> begin_call(); atomic { kill_program() }; end_call()
    :: over -> break
    od
}

/* The owner ends when no thread of it is in a call (PROCESS_ENDS), and its next life begins. */
active proctype owner()
{
    bool left;
    atomic { !inside -> owner_runs = false }
    atomic {
        left = state == RUNS;
#ifndef BROKEN_LEFT
        if
        :: left -> state = LEFT
        :: else
        fi
#endif
    }
#ifndef BROKEN_KILL
    atomic {
        if
        :: left && domain == RUNNING -> domain = STOPPING
        :: else
        fi
    }
#endif
    assert(!left || domain != RUNNING);
    atomic { life++; owner_runs = true }
}

active proctype program()
{
    do
    :: atomic { domain != STOPPED -> domain = STOPPED }
    :: over -> break
    od
}

active proctype console()
{
    do
    :: atomic { domain == RUNNING -> domain = STOPPING }
#ifdef BROKEN_CONSOLE
    :: atomic { domain == STOPPED -> domain = RUNNING; clean = false }
#endif
    :: atomic { starts == STARTS && life == 1 -> over = true }; break
    od
}
