/* SPDX-License-Identifier: MIT */
/*
 * Pages of one owner that instructions of a guest need several at once (kernel/svm/keep.c). An instruction that lacks a
 * page asks its owner. What has come for it stays until it has retired, but for who is older: while the core waits for
 * a further page, it gives what it keeps to an older instruction. Age is a count: who begins to ask takes the next one,
 * and who is asked is never behind the asker's; of two equal ones the core with the lower number is older. A request
 * that may not be served yet is looked at again when the core begins to wait, and when its instruction has retired.
 * That a page's contents come with it is svm_owner.pml's.
 * Claims: an instruction retires with all its pages; all instructions do, so there is neither a deadlock (an invalid
 * end state) nor a livelock: none is robbed more than ROBBED times however long the others go on.
 * -DBROKEN_KEEP gives a page at once.
 * -DBROKEN_WAIT keeps pages while it waits, whoever asks.
 * -DBROKEN_AGE asks the core's number in place of the age.
 * -DBROKEN_NEW takes a new age with each page.
 * -DBROKEN_CLOCK does not count on from the asker's age.
 * -DBROKEN_BEGIN does not look again when the core begins to wait.
 * -DBROKEN_RETIRE does not look again when the instruction has retired.
 */
#ifndef N
#define N 2
#endif
/* Instructions of each core: of three, the last one makes two and the others one, which keeps the search small. */
#if N == 2
#define TIMES  5
#define ROBBED 1
#else
#define TIMES  (me == N - 1 -> 2 : 1)
#define ROBBED 3
#endif
#define PAGES 2
#define NONE  PAGES

byte owner[PAGES];
bool moved[N];                   /* the page that a core waits for has another word than the one it has seen */
bool here[N * PAGES];            /* it is mapped: core * PAGES + page */
bool need[N * PAGES];            /* it has come for the instruction that is not retired */
byte clock[N], since[N];         /* since 0: the core does not ask */
byte awaits[N];                  /* the page that it waits for */
bool posted[N * N], later[N * N]; /* the line at TO from FROM: TO * N + FROM; it was looked at and waits */
bool stale[N * N];               /* it names a word that there is no more */
byte page[N * N], age[N * N];    /* 0 where nothing is in a line: what does not count is no other state */
byte robbed[N], done;

inline forget(a)
{
    later[a] = false;
    stale[a] = false;
    page[a] = 0;
    age[a] = 0
}

/* The page's word changes: whoever has seen the old one sees that, and what names it is late. So the model needs no
 * count in the word, and states that differ in it only are one. */
inline hand_over(which, to)
{
    owner[which] = to;
    k = 0;
    do
    :: k < N * N ->
        stale[k] = stale[k] || ((posted[k] || later[k]) && page[k] == which);
        k++
    :: else -> break
    od;
    k = 0;
    do
    :: k < N -> moved[k] = moved[k] || awaits[k] == which; k++
    :: else -> break
    od;
    k = 0
}

#define OLDER(a, from) (age[a] < since[me] || (age[a] == since[me] && from < me))

/* The request in line `a` of core `me`: give the page, or keep the request. Interrupts are off. */
inline handle(a, from)
{
    later[a] = false;
    if
    :: stale[a] -> forget(a) /* late */
    :: else ->
        if
#ifdef BROKEN_KEEP
        :: awaits[me] == page[a] -> later[a] = true
#elif defined(BROKEN_WAIT)
        :: awaits[me] == page[a] || need[me * PAGES + page[a]] -> later[a] = true
#elif defined(BROKEN_AGE)
        :: awaits[me] == page[a] || (need[me * PAGES + page[a]] && (awaits[me] == NONE || from > me)) ->
            later[a] = true
#else
        :: awaits[me] == page[a] || (need[me * PAGES + page[a]] && (awaits[me] == NONE || !OLDER(a, from))) ->
            later[a] = true
#endif
        :: else ->
            if
            :: need[me * PAGES + page[a]] -> robbed[me]++; assert(robbed[me] <= ROBBED)
            :: else -> skip
            fi;
            need[me * PAGES + page[a]] = false;
            here[me * PAGES + page[a]] = false;
            hand_over(page[a], from);
            forget(a)
        fi
    fi
}

inline serve(from)
{
    d_step {
        posted[me * N + from] ->
            posted[me * N + from] = false;
#ifndef BROKEN_CLOCK
            if
            :: age[me * N + from] > clock[me] -> clock[me] = age[me * N + from]
            :: else -> skip
            fi;
#endif
            handle(me * N + from, from)
    }
}

inline look_again()
{
    i = 0;
    do
    :: i < N ->
        if
        :: later[me * N + i] -> handle(me * N + i, i)
        :: else -> skip
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

inline serve_any()
{
    if
    :: serve((me + 1) % N)
#if N > 2
    :: serve((me + 2) % N)
#endif
    fi
}

proctype core(byte me)
{
    byte n, i, k, p, to;
    do
    :: n == TIMES -> break
    :: n < TIMES && here[me * PAGES] && here[me * PAGES + 1] ->
        d_step { /* the instruction, if nothing has gone meanwhile; then what waits */
            if
            :: here[me * PAGES] && here[me * PAGES + 1] ->
                n++;
                need[me * PAGES] = false;
                need[me * PAGES + 1] = false;
                since[me] = 0;
                robbed[me] = 0;
#ifndef BROKEN_RETIRE
                look_again()
#endif
            :: else -> skip
            fi
        }
    :: n < TIMES && !(here[me * PAGES] && here[me * PAGES + 1]) ->
        if
        :: !here[me * PAGES] -> p = 0
        :: !here[me * PAGES + 1] -> p = 1
        fi;
        d_step {
#ifndef BROKEN_NEW
            if
            :: since[me] == 0 -> clock[me]++; since[me] = clock[me]
            :: else -> skip
            fi;
#else
            clock[me]++;
            since[me] = clock[me];
#endif
            awaits[me] = p;
#ifndef BROKEN_BEGIN
            look_again()
#endif
        }
        do
        :: d_step {
               owner[p] == me ->
                   here[me * PAGES + p] = true;
                   need[me * PAGES + p] = true;
                   awaits[me] = NONE;
                   moved[me] = false;
                   p = 0
           }
           break
        :: d_step {
               owner[p] != me && !posted[owner[p] * N + me] ->
                   to = owner[p] * N + me;
                   page[to] = p;
                   stale[to] = false;
                   age[to] = since[me];
                   later[to] = false;
                   posted[to] = true;
                   moved[me] = false;
                   to = 0
           }
           do
           :: moved[me] -> break
           :: serve_any()
           od
        :: serve_any()
        od
    :: serve_any()
    od;
    done++;
    do
    :: done == N -> break
    :: serve_any()
    od
}

init {
    byte c;
    atomic {
        here[0] = true; /* core 0 begins as the owner of page 0, the last one of page 1 */
        owner[1] = N - 1;
        here[(N - 1) * PAGES + 1] = true;
        do
        :: c < N -> awaits[c] = NONE; run core(c); c++
        :: else -> break
        od
    }
}
