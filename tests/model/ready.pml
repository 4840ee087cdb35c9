/* SPDX-License-Identifier: MIT */
/*
 * The ready structure (partition/ready.c) among CORES cores and VMS virtual machines, under the bakery
 * (bakery.pml, here one atomic step): cores exchange the VM that they have for another at the ends of their turns, VMs go to
 * sleep, knocks wake them, and each core looks without the lock whether there is a reason to take it.
 *
 * Claims: no VM runs on two cores; every VM is in exactly one place (a core, the map, asleep).
 * Who is woken goes from the sleeping to the ready in one critical section; who takes it finds out whether there was a reason.
 * -DBROKEN_RECHECK wakes whom it saw without the lock and does not look again with it.
 * -DBROKEN_TAKE forgets to remove the VM that it takes.
 * -DBROKEN_GIVE gives the VM back before its registers are saved: another core runs it with what was there before.
 */
#define CORES 2
#define VMS 2
#define STEPS 4
#define NONE 9

bool lock, map[VMS], asleep[VMS], knocked[VMS], saved[VMS];
byte runs_on[VMS] = NONE;
byte done;

inline take_lock() { atomic { !lock -> lock = true } }
inline drop_lock() { lock = false }

#define PLACES(v) (map[v] + asleep[v] + (runs_on[v] != NONE))

/* have: what it has, or NONE; wait: it goes to sleep */
inline exchange()
{
#ifndef BROKEN_GIVE
    if
    :: have != NONE -> saved[have] = true
    :: else
    fi;
#endif
    take_lock();
    d_step {
        if
        :: have != NONE ->
            runs_on[have] = NONE;
            if
            :: wait -> asleep[have] = true
            :: else -> map[have] = true
            fi
        :: else
        fi
    };
    d_step {
        next = NONE;
        if
        :: map[0] -> next = 0
        :: else ->
            if
            :: map[1] -> next = 1
            :: else
            fi
        fi;
        if
        :: next != NONE ->
#ifndef BROKEN_TAKE
            map[next] = false;
#endif
            assert(runs_on[next] == NONE);
            runs_on[next] = me
        :: else
        fi
    };
    drop_lock();
#ifdef BROKEN_GIVE
    if
    :: have != NONE -> saved[have] = true
    :: else
    fi;
#endif
    have = next;
    if
    :: have != NONE -> d_step { assert(saved[have]); saved[have] = false; assert(PLACES(have) == 1) }
    :: else
    fi
}

inline wake()
{
    saw = NONE;
    if
    :: asleep[0] && knocked[0] -> saw = 0
    :: asleep[1] && knocked[1] -> saw = 1
    :: else
    fi;
    if
    :: saw != NONE ->
        take_lock();
        d_step {
            if
#ifdef BROKEN_RECHECK
            :: saw != NONE ->
#else
            :: asleep[saw] ->
#endif
                asleep[saw] = false;
                map[saw] = true;
                assert(PLACES(saw) == 1)
            :: else
            fi
        };
        drop_lock()
    :: else
    fi
}

proctype core(byte me)
{
    byte have = NONE, next, saw, step;
    bool wait;
    do
    :: step < STEPS ->
        wait = false;
        if
        :: have != NONE && !knocked[have] -> wait = true
        :: have != NONE && knocked[have] -> knocked[have] = false /* answered */
        :: true
        fi;
        if
        :: have != NONE -> knocked[1 - have] = true /* rings the other one */
        :: else
        fi;
        exchange();
        wake();
        step++
    :: else -> break
    od;
    wait = false;
    exchange();
    if
    :: have != NONE -> d_step { runs_on[have] = NONE; map[have] = true; saved[have] = true }
    :: else
    fi;
    done++
}

init {
    d_step { map[0] = true; map[1] = true; saved[0] = true; saved[1] = true };
    atomic { run core(0); run core(1) };
    (done == CORES);
    assert(PLACES(0) == 1 && PLACES(1) == 1)
}
