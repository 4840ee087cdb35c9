/* SPDX-License-Identifier: MIT */
/*
 * Slots of a lane that may be taken in any order (kernel/cluster/lane_slots.c): a slot is used while its bit in `put` and
 * its bit in `taken` differ. The sender uses any free slot and numbers its messages; it looks at `taken` when it is rung,
 * and at no other time, and waits if MOST slots are used. The taker is offered messages in their order, may leave one in
 * its slot, and takes those that it has left in any order: some only when a gate is open, and one perhaps never. It rings
 * for each second message, for one that it had left, and while it has left any. tests/model/lane.pml has the epochs.
 * Claims: each message is offered once and in its order (assertion); in the end all are sent, and taken but for that one,
 * as neither end sleeps for good before (the model has no invalid end state).
 * -DBROKEN_TELL: the sender is not rung while messages are left in their slots.
 * -DBROKEN_LEFT: the sender is not rung when the last one that was left is taken.
 * -DBROKEN_PLACE: the sender is rung for the last slot, not for each second message.
 * -DBROKEN_LEAVE: the sender is not rung when a message is left in its slot.
 * -DBROKEN_ORDER: the first slot that is used is taken for the next message.
 * -DBROKEN_AGAIN: one that was left in its slot is offered once more.
 */
#define SLOTS    3
#define MOST     2 /* of them that the sender uses: the last one is for others */
#define MESSAGES 5

byte put, taken, number[SLOTS];
byte sent, gone;                 /* how many */
byte stuck = MESSAGES;           /* the one that is never taken; MESSAGES: all are */
bool sender_rung, taker_rung, open;

#if defined(BROKEN_ORDER)
#define IS_OFFERED(i) (!(left & (1 << i)))
#elif defined(BROKEN_AGAIN)
#define IS_OFFERED(i) (number[i] <= next)
#else
#define IS_OFFERED(i) (number[i] == next)
#endif
#define USED(a, b, i) ((((a) ^ (b)) >> (i)) & 1)
#define IS_LEFT(i)    (left & (1 << i) && !(tried & (1 << i)))
#define ANY_LEFT      (IS_LEFT(0) || IS_LEFT(1) || IS_LEFT(2))
#define IS_NEXT(i)    (USED(seen, taken, i) && IS_OFFERED(i) && !(tried & (1 << i)))

#ifdef BROKEN_PLACE
#define IS_DUE (i == SLOTS - 1)
#else
#define IS_DUE (number[i] % 2 == 1)
#endif

proctype sender()
{
    byte known, i;
    do
    :: sent == MESSAGES -> break
    :: sent < MESSAGES && USED(put, known, 0) + USED(put, known, 1) + USED(put, known, 2) < MOST ->
        i = sent % SLOTS;
        do
        :: USED(put, known, i) -> i = (i + 1) % SLOTS
        :: else -> break
        od;
        number[i] = sent;
        sent++;
        put = put ^ (1 << i);
        taker_rung = true
    :: sent < MESSAGES && sender_rung -> sender_rung = false; known = taken
    od
}

proctype taker()
{
    byte seen, left, kept, next, tried, i;
    bool rings;
    do
    :: gone + (stuck < MESSAGES) == MESSAGES -> break
    :: taker_rung ->
        taker_rung = false;
        seen = put;
        tried = 0;
        do
        :: /* one that was left, or the next one if it has come */
           if
           :: IS_LEFT(0) -> i = 0
           :: IS_LEFT(1) -> i = 1
           :: IS_LEFT(2) -> i = 2
           :: ANY_LEFT == 0 && IS_NEXT(0) -> i = 0
           :: ANY_LEFT == 0 && !IS_NEXT(0) && IS_NEXT(1) -> i = 1
           :: ANY_LEFT == 0 && !IS_NEXT(0) && !IS_NEXT(1) && IS_NEXT(2) -> i = 2
           :: else -> break
           fi;
           tried = tried | (1 << i);
           if
           :: !(left & (1 << i)) ->
               assert(number[i] == next);
               next++;
               left = left | (1 << i)
           :: else -> skip
           fi;
           if
           :: !open || number[i] == stuck -> /* it stays */
               if
#ifndef BROKEN_LEAVE
               :: !(kept & (1 << i)) -> kept = kept | (1 << i); sender_rung = true
#endif
               :: else -> skip
               fi;
#ifdef BROKEN_AGAIN
               left = left & ~(1 << i)
#else
               skip
#endif
           :: open && number[i] != stuck ->
               left = left & ~(1 << i);
               rings = IS_DUE;
#ifndef BROKEN_TELL
               rings = rings || left != 0;
#endif
#ifndef BROKEN_LEFT
               rings = rings || kept & (1 << i);
#endif
               kept = kept & ~(1 << i);
               tried = tried & ~(1 << i);
               taken = taken ^ (1 << i);
               gone++;
               if
               :: rings -> sender_rung = true
               :: else -> skip
               fi
           fi
        od
    od
}

proctype gate() { open = true; taker_rung = true }

init { atomic { if :: stuck = 0 :: stuck = 1 :: stuck = 2 :: skip fi; run sender(); run taker(); run gate() } }
