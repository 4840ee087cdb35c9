/* SPDX-License-Identifier: MIT */
/*
 * handle.pml - memory is withdrawn while another process maps it, uses it, closes its handle and ends (kernel/handle/).
 *
 * The owner withdraws: another generation, a wait for those who use the object, the views of who has any, a flush of
 * their translations; then it uses the frame for something else. In the holder's process one thread maps the memory,
 * one closes the handle and shows other memory at the same place then, one is the program on its core, which ends when
 * the others have. What a lock guards is one step here. Who maps uses the object twice: once to make the view, once to
 * enter the page. The kernel does so for pages behind the first ones; those it enters in the use that makes the view.
 *
 * Claims: when the withdrawal is back nobody uses the object by the old generation, and neither the tables nor the core
 * have the page; a closed handle leaves no view; the other memory stays shown; all end.
 * -DBROKEN_ORDER: the owner looks for users, then changes the generation.
 * -DBROKEN_LOOK: a user looks at the generation before it is counted, and not after.
 * -DBROKEN_PUT: the page is entered after the use of the object.
 * -DBROKEN_VIEWERS: that the process has a view is noted after the page is entered.
 * -DBROKEN_FLUSH: the owner flushes nothing where another one has cleared the entry.
 * -DBROKEN_PLACE: the owner clears the entry of the place, whatever is shown there by then.
 * -DBROKEN_CLOSE: the view is made without a look whether the handle is still there.
 * -DBROKEN_RUNS: the owner waits for the core of a process that has ended.
 */
#define OLD   1 /* the range's page; and its object, at a place */
#define OTHER 2

byte generation = 1, users, inside;    /* inside: users by generation 1 */
bool viewers, handle = true;           /* of the holder */
byte place;                            /* whose view it has */
bool closing;
byte entry, tlb;                       /* the page in the tables; and as the core remembers it */
bool forget, runs = true, gone;        /* gone: its frame is used for something else */
byte done;                             /* threads of the holder that have ended */

inline enter(may)
{
    may = generation == 1;
    if
    :: may ->
        users++;
#ifndef BROKEN_LOOK
        may = generation == 1;
#endif
        if
        :: may -> inside++
        :: else -> users--
        fi
    :: else
    fi
}

inline put()
{
    inside--;
    users--
}

inline make_view(may)
{
    atomic {
#ifdef BROKEN_CLOSE
        may = place == 0;
#else
        may = handle && place == 0;
#endif
        place = (may -> OLD : place)
    }
}

inline enter_page()
{
    atomic {
        if
        :: place == OLD && !closing -> entry = OLD
        :: else
        fi
    }
}

active proctype mapper()
{
    bool may;
    if
    :: handle ->
        enter(may);
        if
        :: may ->
#ifndef BROKEN_VIEWERS
            viewers = true;
#endif
            make_view(may);
            put();
            if
            :: may ->
                enter(may);
                if
                :: may ->
#ifdef BROKEN_PUT
                    put();
                    enter_page()
#else
                    enter_page();
                    put()
#endif
                :: else
                fi
            :: else
            fi
#ifdef BROKEN_VIEWERS
            ;
            viewers = true
#endif
        :: else
        fi
    :: else
    fi;
    done++
}

active proctype closer()
{
    bool found;
    handle = false;
    atomic {
        found = place == OLD && !closing;
        closing = closing || found
    };
    if
    :: found ->
        atomic {
            if
            :: entry == OLD -> entry = 0
            :: else
            fi
        };
        forget = true;
        !forget; /* the core has loaded its tables */
        atomic { place = OTHER; closing = false; entry = OTHER }
    :: else
    fi;
    done++
}

/* It goes in and out of the kernel, where it loads its tables anew if it has to. */
active proctype program()
{
    byte times;
    do
    :: forget -> atomic { tlb = 0; forget = false }
    :: entry != 0 && times < 2 -> times++; tlb = entry
    :: tlb == OLD && times < 2 -> times++; assert(!gone)
    :: done == 2 && !forget -> break
    od;
    tlb = 0; /* it leaves the space for good */
    runs = false;
    atomic {
        assert(handle || place != OLD);
        assert(place != OTHER || entry == OTHER);
        entry = 0;
        place = 0
    }
}

active proctype owner()
{
    bool any, was;
    byte seen;
#ifdef BROKEN_ORDER
    users == 0;
    generation = 2;
#else
    generation = 2;
    users == 0;
#endif
    assert(inside == 0);
    atomic { was = viewers; viewers = false };
    if
    :: was ->
        seen = place;
        any = seen == OLD;
#ifdef BROKEN_FLUSH
        any = any && entry == OLD;
#endif
        atomic {
            if
#ifdef BROKEN_PLACE
            :: seen == OLD -> entry = 0
#else
            :: place == OLD -> entry = 0
#endif
            :: else
            fi
        };
        if
        :: any ->
            atomic {
                if
                :: runs -> forget = true
                :: else
                fi
            };
#ifdef BROKEN_RUNS
            !forget
#else
            !forget || !runs
#endif
        :: else
        fi
    :: else
    fi;
    gone = true;
    assert(entry != OLD && tlb != OLD)
}
