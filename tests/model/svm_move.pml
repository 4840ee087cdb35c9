/* SPDX-License-Identifier: MIT */
/*
 * Frames of pages that move (kernel/svm/frame.c). That a page has one owner, who gets what the last one wrote, is
 * svm_owner.pml's: taking a page is one step here, and so is a store with its drain. There are three frames for two
 * pages. Who has taken a page may move it before its access: take a free frame, copy, write the home word, give the old
 * frame back.
 * Claims: who maps a page reads the value that was written to it last; no frame is two pages' home; both cores come to
 * their end.
 * -DBROKEN_FREE gives the old frame back before the copy: another page moves there.
 * -DBROKEN_INVALIDATE copies what an earlier turn has left in the cache.
 * -DBROKEN_ACCESS makes the access with what the cache has of the new frame, from another page's turn.
 * -DBROKEN_HOME writes the home word when the page may have left already.
 * -DBROKEN_CLAIM looks whether a frame is free and takes it in two steps.
 */
#define CORES  2
#define PAGES  2
#define FRAMES 3
#define TURNS  3

bool busy[PAGES];              /* a core has the page and has not made its access yet */
byte home[PAGES], last[PAGES]; /* its frame; what was written to it last */
bool used[FRAMES];
byte memory[FRAMES];
byte cache[CORES * FRAMES];
bool valid[CORES * FRAMES];

#define AT(frame) (me * FRAMES + (frame))

inline forget()
{
    valid[AT(0)] = false;
    valid[AT(1)] = false;
    valid[AT(2)] = false
}

inline load(frame)
{
    if
    :: !valid[AT(frame)] -> cache[AT(frame)] = memory[frame]; valid[AT(frame)] = true
    :: else -> skip
    fi;
    value = cache[AT(frame)]
}

inline store(frame)
{
    memory[frame] = value;
    if
    :: valid[AT(frame)] -> cache[AT(frame)] = value
    :: else -> skip
    fi
}

#ifdef BROKEN_CLAIM
#define CLAIM(f) !used[f] -> to = f; used[f] = true
#else
#define CLAIM(f) atomic { !used[f] -> used[f] = true; to = f }
#endif

inline move()
{
    to = FRAMES;
    if
    :: CLAIM(0)
    :: CLAIM(1)
    :: CLAIM(2)
    :: used[0] && used[1] && used[2] -> skip
    fi;
    if
    :: to < FRAMES ->
#ifdef BROKEN_FREE
        used[from] = false;
#endif
#ifndef BROKEN_INVALIDATE
        d_step { forget() };
#endif
        d_step { load(from) };
        d_step { store(to) };
#ifndef BROKEN_HOME
        d_step { home[page] = to; assert(home[0] != home[1]) };
#endif
#ifndef BROKEN_FREE
        used[from] = false;
#endif
        frame = to
    :: else -> skip
    fi
}

proctype core(byte me)
{
    byte turns, page, from, to, frame, value;
    bool moves;
    do
    :: turns == TURNS -> break
    :: turns < TURNS ->
        if
        :: page = 0
        :: page = 1
        fi;
        if
        :: moves = false
        :: moves = true
        fi;
        atomic { !busy[page] -> busy[page] = true };
        from = home[page];
        frame = from;
        if
        :: moves -> move()
        :: else -> skip
        fi;
        d_step {
#ifndef BROKEN_ACCESS
            forget();
#endif
            load(frame);
            assert(value == last[page]);
            value++;
            last[page] = value;
            store(frame)
        };
        busy[page] = false;
#ifdef BROKEN_HOME
        home[page] = frame;
#endif
        turns++
    od
}

init {
    atomic {
        home[1] = 1;
        used[0] = true;
        used[1] = true;
        last[1] = 100;
        memory[1] = 100;
        run core(0);
        run core(1)
    }
}
