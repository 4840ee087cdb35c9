/* SPDX-License-Identifier: MIT */
/*
 * Three name servers that do not know of each other, and clients that ask all of them (user/servers/name/table.c,
 * user/nanvix/lib/name_client.c). Two clients link the same name, link it again while they have it (a beat), and take it
 * back; a reader looks it up. Each question is answered in one step; between two questions anything may happen. At most one
 * server at a time is dead or learns; it loses its names when it dies, and the last one stays dead. It learns until each owner's beat has come by, and
 * no link or lookup takes as long as that: a link during which a server has ended learning fails (`late`).
 * With -DLOSSES a question of a link gets no answer in time so often, although its server lives.
 * Claims: the name never has two owners; who has it all the time while it is looked up is found, with losses perhaps only
 * after the next beat, but never is it said to be nobody's or another one's; the model has no invalid end state.
 * -DBROKEN_BEAT lets a server count before the owner's beat has come by.
 * -DBROKEN_TAKEN links by two grants although the third server refused.
 * -DBROKEN_SLOW links however long it took.
 * -DBROKEN_BACK takes a link that failed back from whoever has the name.
 * With -DLOSSES=2:
 * -DBROKEN_MAJORITY links by one grant.
 * -DBROKEN_FIRST looks up at one server that counts.
 */
#define SERVERS  3
#define CLIENTS  2
#ifndef ATTEMPTS
#define ATTEMPTS 1
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#define NOBODY   0 /* clients are 1, 2 */
#define UNKNOWN  9

byte has[SERVERS];                 /* who has the name there */
bool up[SERVERS], counts[SERVERS]; /* it answers; its word counts */
bool beaten[6];                    /* server * 2 + client - 1: that client has linked there since the server began again */
byte owner[3];                     /* owner[c]: client c has the name */
bool linking[3], late[3];
byte losses;
bool stable, reader_late;          /* the name has had one owner since the reader began */

#ifdef BROKEN_MAJORITY
#define ENOUGH 1
#else
#define ENOUGH 2
#endif

inline link_at(c, s)
{
    atomic {
        if
        :: !up[s] -> skip
        :: linking[c] && losses < LOSSES -> losses++
        :: up[s] && (has[s] == NOBODY || has[s] == c) ->
            has[s] = c;
            beaten[s * 2 + c - 1] = true;
            if
            :: counts[s] -> granted++
            :: else -> skip
            fi
        :: up[s] && has[s] != NOBODY && has[s] != c -> taken = true
        fi
    }
}

inline unlink_at(c, s)
{
    atomic {
        if
#ifdef BROKEN_BACK
        :: up[s] -> has[s] = NOBODY
#else
        :: up[s] && has[s] == c -> has[s] = NOBODY
#endif
        :: else -> skip
        fi
    }
}

proctype client(byte c)
{
    byte attempt, s, granted;
    bool taken;
    do
    :: attempt == ATTEMPTS -> break
    :: attempt < ATTEMPTS ->
        attempt++;
        atomic { late[c] = false; linking[c] = true }
        do
        :: s == SERVERS -> break
#ifdef BROKEN_TAKEN
        :: s < SERVERS -> link_at(c, s); s++
#else
        :: s < SERVERS && !taken -> link_at(c, s); s++
        :: s < SERVERS && taken -> break
#endif
        od;
        atomic {
            linking[c] = false;
            if
#ifdef BROKEN_TAKEN
            :: granted >= ENOUGH && !late[c] -> owner[c] = 1
#elif defined(BROKEN_SLOW)
            :: granted >= ENOUGH && !taken -> owner[c] = 1
#else
            :: granted >= ENOUGH && !taken && !late[c] -> owner[c] = 1
#endif
            :: else -> skip
            fi;
            assert(owner[1] + owner[2] <= 1);
            granted = 0;
            taken = false;
            late[c] = false;
            s = 0
        }
        /* A link that failed, or one that is taken back; or the owner keeps it. */
        if
        :: owner[c] && c == 1 -> break
        :: atomic { stable = stable && !owner[c]; owner[c] = 0 };
            s = 0;
            do
            :: s == SERVERS -> break
            :: s < SERVERS -> unlink_at(c, s); s++
            od;
            s = 0
        fi
    od;
    /* The first client may keep it, and then links it again and again. */
    do
    :: owner[c] -> s = 0;
        do
        :: s == SERVERS -> break
        :: s < SERVERS -> link_at(c, s); s++
        od;
        atomic { granted = 0; taken = false; s = 0 };
end_keeps: (owner[c] && !(beaten[c - 1] && beaten[2 + c - 1] && beaten[4 + c - 1]))
    :: !owner[c] -> break
    od
}

proctype fate()
{
    byte deaths, s;
    do
    :: deaths == DEATHS -> break
    :: deaths < DEATHS ->
        atomic {
            deaths++;
            if
            :: s = 0
            :: s = 1
            :: s = 2
            fi;
            up[s] = false;
            counts[s] = false;
            has[s] = NOBODY;
            beaten[s * 2] = false;
            beaten[s * 2 + 1] = false
        }
        if
        :: deaths == DEATHS -> break
        :: else -> up[s] = true
        fi;
        atomic {
#ifndef BROKEN_BEAT
            (!owner[1] || beaten[s * 2]) && (!owner[2] || beaten[s * 2 + 1]) ->
#endif
            counts[s] = true;
            late[1] = late[1] || linking[1];
            late[2] = late[2] || linking[2];
            reader_late = true
        }
    od
}

proctype reader()
{
    byte s, who, none, votes[3], result;
    atomic {
        stable = owner[1] + owner[2] == 1;
        reader_late = false;
        who = (owner[1] -> 1 : 2);
        s = 0
    }
    do
    :: s == SERVERS -> break
    :: s < SERVERS ->
        atomic {
            if
            :: up[s] && counts[s] && has[s] == NOBODY -> none++
            :: up[s] && counts[s] && has[s] != NOBODY -> votes[has[s]]++
            :: else -> skip
            fi;
            s++;
#ifdef BROKEN_FIRST
            if
            :: none + votes[1] + votes[2] -> break
            :: else -> skip
            fi
#endif
        }
    od;
    atomic {
#ifdef BROKEN_FIRST
        result = (votes[1] -> 1 : (votes[2] -> 2 : (none -> NOBODY : UNKNOWN)));
#else
        result = (votes[1] >= 2 -> 1 : (votes[2] >= 2 -> 2 : (none >= 2 -> NOBODY : UNKNOWN)));
#endif
        assert(!stable || reader_late || result == who || (losses && result == UNKNOWN))
    }
}

init
{
    atomic {
        up[0] = true; up[1] = true; up[2] = true;
        counts[0] = true; counts[1] = true; counts[2] = true;
        run client(1); run client(2); run fate(); run reader()
    }
}
