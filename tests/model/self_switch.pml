/* SPDX-License-Identifier: MIT */
/*
 * The switch between two virtualization objects (kernel/attach/self/switch.c, attach/switch.h): cores that use the
 * object, the control processor that calls them, refusals and their retry, a core that cannot reload, a core that comes
 * too late.
 *
 * Claims: an object's function works on the mode that its core is in (no native code in virtual mode, nor the other way
 * round); no core leaves the handler while another is in the other mode; a request is answered (no invalid end state:
 * the leader reaches its end, every core is done). With REFUSE a core's reload fails once: all are back then.
 *
 * -DBROKEN_COUNT    a core does not look at the count
 * -DBROKEN_ORDER    an object's function looks at the pointer before it counts itself in
 * -DBROKEN_WAIT     a core leaves when it has changed, not when all have
 * -DBROKEN_UNDO     a failed reload is not undone
 * -DBROKEN_ROUND    answers carry no round: a late one passes for one of the next round
 * -DBROKEN_RETRY    a refusal is not called again
 */
#ifndef N
#define N 2 /* cores; core 0 leads */
#endif
#ifndef USES
#define USES 2 /* of the object, by each core's thread */
#endif
#ifndef LATES
#define LATES 1 /* how often the leader does not wait for all */
#endif

mtype = { CALL, GO, BACK, KEEP, UNDO, END };
mtype = { NONE, YES, BUSY, DONE, FAILED, UNDONE };

/* The two kinds of words: a value and its round, always read and written together. */
mtype control = END;
byte round;
mtype answer[N] = NONE;
byte answered[N]; /* the round of the answer */

bit object;    /* the pointer: 0 native, 1 virtual */
bit mode[N];   /* what the hardware of a core is in */
byte users[N]; /* the counts */
bool called[N]; /* its interrupt is pending */
bool leads;     /* core 0 is in its handler */
#define leading(me) (me == 0 && leads)
bool finished;
bool failing = true; /* somebody's reload may fail, once */
byte lates;

#ifdef BROKEN_ROUND
#define SAYS(i, what) (answer[i] == what)
#define FRESH(me)     true
#else
#define SAYS(i, what) (answer[i] == what && answered[i] == round)
#define FRESH(me)     (answered[me] != round)
#endif

inline say(who, r, what) { atomic { answer[who] = what; answered[who] = r } }

inline ready(who, r)
{
#ifdef BROKEN_COUNT
    say(who, r, YES)
#else
    if
    :: users[who] == 0 -> say(who, r, YES)
    :: else -> say(who, r, BUSY)
    fi
#endif
}

/* Reload: this core's hardware into the other mode. */
inline change(who, to, how)
{
    if
    :: mode[who] = to; how = DONE
#ifdef REFUSE
    :: failing && to == 1 -> failing = false; how = FAILED
#endif
    fi
}

#define LAST        (N - 1)
#define ALL(what)   (SAYS(0, what) && SAYS(1, what) && SAYS(LAST, what))
#define CAME(i)     (SAYS(i, YES) || SAYS(i, BUSY))
#define CHANGED(i)  (SAYS(i, DONE) || SAYS(i, FAILED))
#define ALL_CAME    (CAME(0) && CAME(1) && CAME(LAST))
#define ALL_CHANGED (CHANGED(0) && CHANGED(1) && CHANGED(LAST))
#define SAME_MODE   (mode[0] == mode[1] && mode[0] == mode[LAST])

/* The handler of a core that is called: `mine`, `r` and `how` are its registers. */
inline follow()
{
    called[me] = false;
    atomic { mine = (control == CALL && FRESH(me)); r = round };
    if
    :: !mine -> skip
    :: else ->
        ready(me, r);
        (control != CALL || round != r);
        if
        :: control == GO && round == r ->
            change(me, 1, how);
            say(me, r, how);
#ifndef BROKEN_WAIT
            (control != GO);
            if
            :: control == UNDO ->
#ifndef BROKEN_UNDO
                if
                :: how == DONE -> mode[me] = 0
                :: else -> skip
                fi;
#endif
                say(me, r, UNDONE);
                (control != UNDO)
            :: else -> skip
            fi
#endif
        :: else -> skip
        fi
    fi;
    assert(SAME_MODE) /* and out */
}

/*
 * A core: its thread uses the object in four steps, its handler comes between any two. Core 0's handler is leader();
 * its thread stands still while that is at work.
 */
proctype core(byte me)
{
    byte uses, step, r;
    mtype how;
    bool mine;
    bit o;
    do
    :: me != 0 && called[me] -> follow()
#ifdef BROKEN_ORDER
    :: atomic { !leading(me) && step == 0 && uses < USES -> o = object; step = 1 }
    :: atomic { !leading(me) && step == 1 -> users[me]++; step = 2 }
#else
    :: atomic { !leading(me) && step == 0 && uses < USES -> users[me]++; step = 1 }
    :: atomic { !leading(me) && step == 1 -> o = object; step = 2 }
#endif
    :: atomic { !leading(me) && step == 2 -> assert(o == mode[me]); step = 3 } /* the function works */
    :: atomic { !leading(me) && step == 3 -> users[me]--; step = 0; uses++ }
    :: finished && step == 0 && !called[me] -> break
    od
}

proctype leader()
{
    mtype how;
    byte i;
    do
    :: finished -> break
    :: else ->
        leads = true;
        atomic {
            control = CALL;
            round = (round + 1) % 4; /* in the code 29 bits; here nobody is later than one round */
            i = 1;
            do
            :: i < N -> called[i] = true; i++
            :: else -> break
            od
        };
        ready(0, round);
        if
        :: ALL_CAME
        :: lates < LATES -> lates++ /* its patience is over */
        fi;
        if
        :: ALL(YES) ->
            object = 1;
            control = GO;
            change(0, 1, how);
            say(0, round, how);
            (ALL_CHANGED);
            if
            :: ALL(DONE) -> control = KEEP
            :: else ->
                control = UNDO;
                if
                :: how == DONE -> mode[0] = 0
                :: else -> skip
                fi;
                say(0, round, UNDONE);
                (ALL(UNDONE));
                object = 0;
                control = END /* the request is answered: with an error */
            fi;
            finished = true
        :: else -> control = BACK
        fi;
        assert(SAME_MODE && mode[0] == object);
        leads = false;
#ifdef BROKEN_RETRY
        break
#endif
    od;
    assert(finished)
}

init
{
    byte i;
    atomic {
        do
        :: i < N -> run core(i); i++
        :: else -> break
        od;
        run leader()
    }
}
