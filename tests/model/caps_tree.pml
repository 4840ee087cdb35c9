/* SPDX-License-Identifier: MIT */
/*
 * caps_tree.pml - the end of a page is told by another cluster than its home (CAPS_ENDED; user/servers/caps: ask.c, relay.c,
 * copies.c), which lies in all that it says, twice, of two generations. The rest of a revocation is caps.pml's matter.
 *
 * A holder has a token and a proof for each generation, which its home has drawn. The home changes the generation and
 * tells the token to the middle one. The holder hides what has that token, then says the proof to who has asked. The
 * middle one knows nothing else: it says what it knows, as often as it likes, with any generation, to both, or dies. The
 * home awaits the proof for a short time; then it asks the holder itself. The holder may be lost. With
 * -DFILLS it has another copy that is being filled: its first part brings the token, its second one the proof, its third
 * one is the last.
 *
 * Claims: when the revocation is back, and nobody was silent, the holder that lives shows no copy, and begins to show none;
 * nothing is ended before its home has revoked it; the revocation ends (an invalid end state is one that does not).
 * -DBROKEN_TRUST: the home takes the middle one's word.
 * -DBROKEN_EARLY: the holder says the proof, then hides the copy.
 * -DBROKEN_GENERATION: the holder hides only what is older than the generation that the question names.
 * -DBROKEN_AGE: the proof is drawn for the page, not for each generation.
 * -DBROKEN_SEAL: the token is the page's, which each holder knows.
 * -DBROKEN_WAIT: the home waits for the middle one alone.
 * -DBROKEN_PARTS: a page has two parts: a copy without both words is shown by the part that is on its way (-DFILLS).
 */
#define FREE   0
#define FILLED 1
#define SHOWN  2
#define ENDED  3
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define SAYS   2 /* what the middle one says at most, to each */
#ifdef BROKEN_AGE
#define PROOF(g) 1
#else
#define PROOF(g) (g)
#endif
#ifdef BROKEN_PARTS
#define PARTS 2
#else
#define PARTS 3
#endif

mtype = { RELAYED, DIRECT };
byte generation = 1, answered;
byte shown, shown_of;        /* the copy that is there in each generation; its generation */
byte filled, parts;          /* the one that is being filled in the first one, and its parts */
bool lost, over;             /* the holder; the first revocation, with nobody silent */
chan to_middle = [1] of { byte };             /* a token */
chan to_home = [1] of { byte };               /* a proof; 0: nonsense */
chan to_holder = [1] of { mtype, byte, byte }; /* token or generation, generation */
chan to_asker = [1] of { byte };              /* a proof */

active proctype home()
{
    byte g = 1, proof;
    bool silent;
    do
    :: g > ROUNDS -> break
    :: else ->
        atomic {
            if
            :: !lost -> shown = SHOWN; shown_of = g
            :: else
            fi
        };
        generation = g + 1;
        to_middle!g;
        silent = true;
        do
        :: to_home?proof ->
#ifndef BROKEN_TRUST
            if
            :: proof == PROOF(g) -> silent = false; break
            :: else
            fi
#else
            silent = false;
            break
#endif
#ifndef BROKEN_WAIT
        :: break /* after a short time */
#endif
        od;
        if
        :: silent ->
            to_holder!DIRECT, g, g + 1;
            if
            :: answered == g -> silent = false
            :: lost -> silent = false
            :: true /* after a long time */
            fi
        :: else
        fi;
        atomic {
            if
            :: !silent ->
                over = true;
                assert(lost || (shown != SHOWN && filled != SHOWN))
            :: else
            fi;
            proof = 0;
            g++
        }
    od
}

/* All that it may do with what it knows. */
active proctype middle()
{
    bool token[3], proof[3];
    byte g, says = 0, asks_ = 0;
#ifdef BROKEN_SEAL
    token[1] = true;
#endif
end:
    do
    :: to_middle?g -> token[g] = true
    :: to_asker?g -> proof[g] = true
    :: atomic { asks_ < SAYS && nfull(to_holder) && token[1] -> asks_++; to_holder!RELAYED, 1, 1 }
    :: atomic { asks_ < SAYS && nfull(to_holder) && token[1] -> asks_++; to_holder!RELAYED, 1, 3 }
    :: atomic { asks_ < SAYS && nfull(to_holder) && token[2] -> asks_++; to_holder!RELAYED, 2, 3 }
    :: atomic { says < SAYS && nfull(to_home) -> says++; to_home!0 }
    :: atomic { says < SAYS && nfull(to_home) && proof[1] -> says++; to_home!1 }
    :: atomic { says < SAYS && nfull(to_home) && proof[2] -> says++; to_home!2 }
    :: break
    od;
end_dead:
    do
    :: to_middle?g
    :: to_asker?g
    od
}

/* Its client takes another copy, in the first generation. */
#ifdef FILLS
active proctype taker()
{
    bool good;
    filled = FILLED;
    do
    :: filled != FILLED || lost -> break
    :: else ->
        good = generation == 1; /* the home sends a part, or refuses it: that is on its way */
        atomic {
            if
            :: !good || filled != FILLED || lost -> filled = (filled == FILLED -> FREE : filled); break
            :: else -> parts++
            fi;
            good = false;
            if
            :: parts == PARTS -> filled = SHOWN; assert(!over); break
            :: else
            fi
        }
    od
}
#endif

inline hide(token, by)
{
    atomic {
#ifdef BROKEN_GENERATION
        shown = (shown == SHOWN && shown_of == token && by > token -> ENDED : shown);
#else
        shown = (shown == SHOWN && shown_of == token -> ENDED : shown);
#endif
        filled = (filled != FREE && token == 1 && parts >= 2 -> ENDED : filled)
    }
}

/* Nobody waits for room. */
inline say_proof(token)
{
    if
    :: atomic { nfull(to_asker) -> to_asker!PROOF(token) }
    :: full(to_asker)
    fi
}

active proctype holder()
{
    mtype how;
    byte token, by;
end:
    do
    :: to_holder?how, token, by ->
        if
        :: lost || (how == RELAYED && shown_of != token) /* it knows nothing of that */
        :: else ->
            if
            :: how == RELAYED ->
                assert(token < generation);
#ifdef BROKEN_EARLY
                say_proof(token);
                hide(token, by)
#else
                hide(token, by);
                say_proof(token)
#endif
            :: else ->
                atomic {
                    shown = (shown == SHOWN && shown_of <= token -> ENDED : shown);
                    filled = (filled != FREE -> ENDED : filled);
                    answered = token
                }
            fi
        fi
    od
}

active proctype killer()
{
    if
    :: atomic { lost = true; shown = FREE; filled = FREE }
    :: true
    fi
}
