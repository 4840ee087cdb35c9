/* SPDX-License-Identifier: MIT */
/*
 * pages.pml - a range is withdrawn, by two at once, while another process derives a part of it, shows the part, revokes
 * or closes it, and makes its record another range (kernel/handle/derived.c).
 *
 * P is the range; C the record of the part. What a lock guards is one step here. A program on its core recalls the page
 * that it has been shown until it loads its tables.
 *
 * Claims: when either withdrawal is back, neither the tables nor the core have a page of P, and no handle to the part
 * is valid; a range that the record is afterwards is not taken for ended; all end.
 * -DBROKEN_GIVE: the handle to the part gets the generation that the record has when the handle is given.
 * -DBROKEN_LINK: the part is linked to its parent after the use of that.
 * -DBROKEN_REVOKE: who revokes the part changes whichever generation it has, and its handle is valid in the next one.
 * -DBROKEN_MARK: the part is said to have ended before it is hidden, so the other one leaves it.
 * -DBROKEN_LIFE: who has ended the part says so of whatever the record is by then.
 * -DBROKEN_USERS: who ends the part does not wait for who is about to show it.
 * -DBROKEN_VIEWER: who hides the page first takes the mark that there is a view.
 */
#define FIRST  1 /* lives of the record, and what it is derived of then: of P; of something else */
#define SECOND 2

byte generation_p = 1, users_p;
byte life, generation_c = 1, users_c; /* life 0: nothing */
bool used, ended;
byte handle;               /* the generation of the handle to the part; 0: there is none */
bool viewer;
byte view, entry, tlb;     /* by which generation the page is shown; and is in the tables, and is recalled */
bool forget;
byte done, withdrawn;

#define LOST (used && life == FIRST && generation_p != 1)

inline link()
{
    atomic { life = FIRST; ended = false; used = true }
}

active proctype deriver()
{
    byte made = generation_c;
    bool may;
    users_p++;
    may = generation_p == 1;
    if
    :: may ->
#ifdef BROKEN_LINK
        users_p--;
        link();
#else
        link();
        users_p--;
#endif
#ifdef BROKEN_GIVE
        made = generation_c;
#endif
        handle = made
    :: else -> users_p--
    fi;
    done++
}

active proctype shower()
{
    byte by, times;
    do
    :: times < 2 && handle != 0 ->
        times++;
        by = handle;
        users_c++;
        if
        :: by != 0 && generation_c == by ->
            viewer = true;
            atomic { view = by; entry = by }
        :: else
        fi;
        users_c--
    :: done > 0 -> break
    od;
    done++
}

/* It goes in and out of the kernel, where it loads its tables anew if it has to. */
active proctype program()
{
    byte times;
    do
    :: forget -> atomic { tlb = 0; forget = false }
    :: entry != 0 && times < 2 -> times++; tlb = entry
    :: done == 3 && withdrawn == 2 && !forget -> break
    od
}

/* Hide what is shown by another generation than the record has. */
inline hide(any)
{
    any = viewer;
#ifdef BROKEN_VIEWER
    viewer = false;
#endif
    if
    :: any && view != 0 && view != generation_c ->
        atomic {
            if
            :: entry != generation_c -> entry = 0
            :: else
            fi
        };
        forget = true;
        !forget
    :: else
    fi
}

/* The process that has derived the part revokes it, or closes it and makes something else of the record. */
active proctype maker()
{
    byte was;
    bool mine, any;
    if
    :: handle != 0 ->
        was = handle;
        if
        :: atomic {
#ifdef BROKEN_REVOKE
                mine = true;
                generation_c++;
                was = generation_c - 1
#else
                mine = generation_c == was;
                generation_c = (mine -> was + 1 : generation_c)
#endif
            };
            if
            :: mine ->
                users_c == 0;
                hide(any);
                handle = was + 1
            :: else
            fi
        :: handle = 0;
            was = generation_c;
            generation_c = was + 1;
            users_c == 0;
            hide(any);
            used = false;
            atomic { life = SECOND; ended = false; used = true }
        fi
    :: done > 0
    fi;
    done++
}

/* Two of them: the owner of P, and the owner of what P is derived of. */
active [2] proctype owner()
{
    bool lost, any;
    byte in;
    atomic {
        if
        :: generation_p == 1 -> generation_p = 2
        :: else
        fi
    };
    users_p == 0;
    do
    :: atomic {
            lost = LOST && !ended;
            in = life;
            generation_c = (lost -> generation_c + 1 : generation_c);
#ifdef BROKEN_MARK
            ended = ended || lost
#endif
        };
        if
        :: lost ->
#ifndef BROKEN_USERS
            (users_c == 0 || life != in);
#endif
            hide(any);
#ifdef BROKEN_LIFE
            ended = true
#else
            ended = ended || life == in
#endif
        :: else -> break
        fi
    od;
    atomic {
        assert(life == SECOND || (entry == 0 && tlb == 0));
        assert(life != FIRST || !used || handle == 0 || handle != generation_c);
        assert(life != SECOND || !ended);
        withdrawn++
    }
}
