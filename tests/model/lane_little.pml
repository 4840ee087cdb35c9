/* SPDX-License-Identifier: MIT */
/*
 * Little slots of a lane (kernel/cluster/lane_little.c): a slot is used while its bit in `little` and its bit
 * in `taken` differ. The sender uses any free slot and numbers its messages; it looks at `taken` when it is rung, and at no
 * other time. The taker is offered messages in their order, may leave one in its slot, and takes those that it has left in
 * any order: some only when a gate is open, and one perhaps never. tests/model/lane.pml has the epochs.
 * Claims: each message is offered once and in its order (assertion); in the end all are sent, and taken but for that one,
 * as neither end sleeps for good before (the model has no invalid end state).
 * -DBROKEN_TELL: the sender is rung for its last slot only, also while messages are left in their slots.
 * -DBROKEN_LEAVE: the sender is not rung when a message is left in its slot.
 * -DBROKEN_ORDER: the first slot that is used is taken for the next message.
 * -DBROKEN_AGAIN: one that was left in its slot is offered once more.
 */
#define SLOTS    2
#define MESSAGES 4

byte little, taken, number[SLOTS];
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

proctype sender()
{
    byte known, i;
    do
    :: sent == MESSAGES -> break
    :: sent < MESSAGES && !(USED(little, known, 0) && USED(little, known, 1)) ->
        i = (USED(little, known, 0) -> 1 : 0);
        number[i] = sent;
        sent++;
        little = little ^ (1 << i);
        taker_rung = true
    :: sent < MESSAGES && sender_rung -> sender_rung = false; known = taken
    od
}

proctype taker()
{
    byte seen, left, kept, next, i;
    bool held;
    do
    :: gone + (stuck < MESSAGES) == MESSAGES -> break
    :: taker_rung ->
        taker_rung = false;
        seen = little;
        do
        :: /* the next message, if there is one that was not offered */
           if
           :: USED(seen, taken, 0) && IS_OFFERED(0) -> i = 0
           :: !(USED(seen, taken, 0) && IS_OFFERED(0)) && USED(seen, taken, 1) && IS_OFFERED(1) -> i = 1
           :: else -> i = SLOTS
           fi;
           if
           :: i == SLOTS -> break
           :: else ->
               assert(number[i] == next);
               next++;
               left = left | (1 << i)
           fi
        od;
        i = 0;
        do
        :: i == SLOTS -> break
        :: i < SLOTS && !(left & (1 << i)) -> i++
        :: i < SLOTS && left & (1 << i) && (!open || number[i] == stuck) ->
            if
#ifndef BROKEN_LEAVE
            :: !(kept & (1 << i)) -> kept = kept | (1 << i); sender_rung = true
#endif
            :: else -> skip
            fi;
            i++ /* it stays */
        :: i < SLOTS && left & (1 << i) && number[i] != stuck ->
            left = left & ~(1 << i);
            kept = kept & ~(1 << i);
            held = left != 0;
            taken = taken ^ (1 << i);
            gone++;
            if
#ifdef BROKEN_TELL
            :: i == SLOTS - 1 -> sender_rung = true
#else
            :: i == SLOTS - 1 || held -> sender_rung = true
#endif
            :: else -> skip
            fi;
            i++
        od
    od
}

proctype gate() { open = true; taker_rung = true }

init { atomic { if :: stuck = 0 :: stuck = 1 :: stuck = 2 :: skip fi; run sender(); run taker(); run gate() } }
