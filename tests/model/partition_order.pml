/* SPDX-License-Identifier: MIT */
/*
 * Orders of two monitors to one VM (partition/record.h), beside the resets of the VM's own watchdog and a fault that stops
 * it. The owner follows what differs from `taken`. A monitor's order is one step here: it is a few instructions with
 * interrupts off, and what two monitors order in the same few instructions may be followed as one order.
 *
 * Claim: when no order comes any more, the VM is as the last order, or a fault after that, has left it.
 * -DBROKEN_CLEAR takes an order by reading the word and then clearing it: one that comes in between is lost.
 * -DBROKEN_WORD lets the watchdog write its reset into the monitors' word.
 * -DBROKEN_NUMBER gives all orders of a kind one number: to start a VM again that has failed since is no new order.
 */
#define ORDERS 2 /* of each monitor */
#define BITES 2
#define START 1  /* bit 0 */
#define RESET 2  /* bit 1, only in `taken`; the count is in the bits above */
#define COUNT 4

byte order, taken, done;
bool runs = true, wanted = true;

proctype monitor()
{
    byte n, kind;
    do
    :: n < ORDERS ->
        if
        :: kind = 0
        :: kind = START
        fi;
        d_step {
#ifdef BROKEN_NUMBER
            order = COUNT | kind;
#else
            order = ((order / COUNT + 1) * COUNT) | kind;
#endif
            wanted = kind
        };
        n++
    :: else -> break
    od;
    done++
}

proctype owner()
{
    byte seen, bites, faults;
    do
    :: bites < BITES && runs ->
        bites++;
#if defined(BROKEN_WORD) || defined(BROKEN_CLEAR)
        order = RESET
#else
        taken = taken | RESET
#endif
    :: faults < 1 && runs && (taken & RESET) == 0 ->
        d_step {
            faults++;
            runs = false;
            if
            :: order == taken -> wanted = false
            :: else
            fi
        }
#if defined(BROKEN_WORD) || defined(BROKEN_CLEAR)
    :: order != 0 ->
        seen = order;
#ifdef BROKEN_CLEAR
        order = 0;
        if
        :: seen & RESET
        :: else -> runs = seen & START
        fi
#else
        d_step { order = 0; runs = ((seen & RESET) -> runs : (seen & START)) }
#endif
    :: done == 2 && order == 0 -> break
#else
    :: order != taken ->
        seen = order; /* a bit of `taken` is the owner's, so it cannot change in between */
        if
        :: seen == (taken & ~RESET) -> skip /* a reset: it runs again */
        :: else -> runs = seen & START
        fi;
        taken = seen
    :: done == 2 && order == taken -> break
#endif
    od;
    assert(runs == wanted)
}

init { atomic { run monitor(); run monitor(); run owner() } }
