#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks every model exhaustively, and that each breaks when its -DBROKEN_... is set: a model that cannot fail proves nothing.
# run.sh [MODEL...]: all where none is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/../../build/model}

# check MODEL EXPECT [-DFLAG...]: EXPECT is 0 (no errors) or 1 (at least one). Each check has a folder of its own: spin always
# writes pan.c, and models are checked beside each other. Partial order reduction, spin's default, keeps every assertion
# and every invalid end state. Most of the time is the compiler's: a search that ends at its first error, or that has less than
# a million states, is over before the compiler has optimized anything; those of `large` are checked soonest with -O1. The table of
# states (-w) is of the size that goes with that.
large="caps_tree lane lock names pages portal_long request_end svm_keep svm_meet svm_move svm_owner"
check() {
    case "$2 $large " in
    1*) compile=-O0 states=-w18 ;;
    *" $1 "*) compile=-O1 states=-w24 ;;
    *) compile=-O0 states=-w22 ;;
    esac
    work=$out/$1$(printf %s "${3:-}" | tr -c 'A-Za-z0-9' -)
    mkdir -p "$work"
    # shellcheck disable=SC2086 # several flags
    if ! (cd "$work" && spin ${3:-} -a "$here/$1.pml" && gcc $compile -w -DSAFETY -o pan pan.c && ./pan $states -m100000) >"$work/log" 2>&1; then
        echo "FAIL $1 ${3:-}: a step did not run; the end of $work/log:"; tail -n 20 "$work/log"; exit 1
    fi
    errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' "$work/log")
    if grep -q 'max search depth too small' "$work/log" || [ -z "$errors" ]; then
        echo "FAIL $1 ${3:-}: the search was not complete"; exit 1
    fi
    if [ "$2" = 0 ] && [ "$errors" != 0 ]; then
        echo "FAIL $1: $errors errors, see $work/log"; exit 1
    fi
    if [ "$2" = 1 ] && [ "$errors" = 0 ]; then
        echo "FAIL $1 ${3:-}: broken on purpose and not noticed"; exit 1
    fi
    echo "ok $1 ${3:-}"
}

all_of() {
    case $1 in
    caps)
        check caps 0
        check caps 1 -DBROKEN_ORDER
        check caps 1 -DBROKEN_SENT
        check caps 1 -DBROKEN_RECORD
        check caps 1 -DBROKEN_LOOK
        check caps 1 -DBROKEN_ANSWER
        check caps 1 -DBROKEN_SILENT
        check caps 1 -DBROKEN_LOST
        check caps 1 -DBROKEN_LIFE
        ;;
    caps_tree)
        check caps_tree 0
        check caps_tree 1 -DBROKEN_TRUST
        check caps_tree 1 -DBROKEN_EARLY
        check caps_tree 1 -DBROKEN_GENERATION
        check caps_tree 1 -DBROKEN_AGE
        check caps_tree 1 -DBROKEN_SEAL
        check caps_tree 1 -DBROKEN_WAIT
        check caps_tree 0 "-DFILLS -DROUNDS=1"
        check caps_tree 1 "-DFILLS -DROUNDS=1 -DBROKEN_PARTS"
        ;;
    gic_mask)
        check gic_mask 0
        check gic_mask 1 -DBROKEN_AGAIN
        check gic_mask 1 -DBROKEN_LOOK
        check gic_mask 1 -DBROKEN_ORDER
        check gic_mask 1 -DBROKEN_BITS
        ;;
    lane)
        check lane 0
        check lane 1 -DBROKEN_ACCEPT
        check lane 1 -DBROKEN_READ
        check lane 1 -DBROKEN_ANEW
        check lane 1 -DBROKEN_NEWS
        check lane 1 -DBROKEN_LATE
        check lane 1 -DBROKEN_ONCE
        check lane 1 -DBROKEN_CLEAR
        check lane 1 -DBROKEN_COPY
        check lane 1 -DBROKEN_NUMBER
        ;;
    lane_slots)
        check lane_slots 0
        check lane_slots 1 -DBROKEN_TELL
        check lane_slots 1 -DBROKEN_LEFT
        check lane_slots 1 -DBROKEN_PLACE
        check lane_slots 1 -DBROKEN_LEAVE
        check lane_slots 1 -DBROKEN_ORDER
        check lane_slots 1 -DBROKEN_AGAIN
        ;;
    signal_word)
        check signal_word 0
        check signal_word 1 -DBROKEN_RING
        check signal_word 1 -DBROKEN_BIND
        check signal_word 1 -DBROKEN_NAME
        check signal_word 1 -DBROKEN_READ
        check signal_word 1 -DBROKEN_ROOM
        check signal_word 1 -DBROKEN_FORGET
        ;;
    exit_word)
        check exit_word 0
        check exit_word 1 -DBROKEN_FENCE
        check exit_word 1 -DBROKEN_ACQUIRE
        ;;
    portal_data)
        check portal_data 0
        check portal_data 1 -DBROKEN_GONE
        check portal_data 1 -DBROKEN_EARLY
        check portal_data 1 -DBROKEN_ORDER
        check portal_data 1 -DBROKEN_QUOTA
        check portal_data 1 -DBROKEN_ZERO
        check portal_data 1 -DBROKEN_CLEAR
        check portal_data 1 -DBROKEN_MIX
        check portal_data 1 -DBROKEN_WAIT
        check portal_data 1 -DBROKEN_LEFT
        check portal_data 1 -DBROKEN_KEEP
        ;;
    portal_long)
        check portal_long 0
        check portal_long 1 -DBROKEN_EARLY
        check portal_long 1 -DBROKEN_DONE
        check portal_long 1 -DBROKEN_DROP
        check portal_long 1 -DBROKEN_LOOK
        check portal_long 1 -DBROKEN_PUT
        ;;
    p9_link)
        check p9_link 0
        check p9_link 1 -DBROKEN_PEER
        check p9_link 1 -DBROKEN_COUNT
        check p9_link 1 -DBROKEN_BELL
        check p9_link 1 -DBROKEN_LOOK
        check p9_link 1 -DBROKEN_LIFE
        ;;
    pager)
        check pager 0
        check pager 1 -DBROKEN_IDLE
        check pager 1 -DBROKEN_ADD
        check pager 1 -DBROKEN_TOLD
        check pager 1 -DBROKEN_RESUME
        check pager 1 -DBROKEN_KEEP
        check pager 1 -DBROKEN_SEEN
        ;;
    ticket_lock)
        check ticket_lock 0
        check ticket_lock 1 -DBROKEN_DRAW
        ;;
    bakery)
        check bakery 0
        check bakery 0 "-DN=2 -DROUNDS=4 -DLIMIT=13"
        check bakery 1 -DBROKEN_CHOOSING
        check bakery 1 -DBROKEN_ORDER
        check bakery 1 "-DN=2 -DROUNDS=4 -DLIMIT=13 -DBROKEN_LIMIT"
        ;;
    semaphore)
        check semaphore 0
        check semaphore 1 -DBROKEN_CLEAR
        check semaphore 1 -DBROKEN_FREE
        ;;
    ready)
        check ready 0
        check ready 1 -DBROKEN_RECHECK
        check ready 1 -DBROKEN_TAKE
        check ready 1 -DBROKEN_GIVE
        ;;
    partition_order)
        check partition_order 0
        check partition_order 1 -DBROKEN_CLEAR
        check partition_order 1 -DBROKEN_WORD
        check partition_order 1 -DBROKEN_NUMBER
        ;;
    bakery_order)
        check bakery_order 0
        check bakery_order 1 -DBROKEN_A
        check bakery_order 1 -DBROKEN_B
        ;;
    self_switch)
        check self_switch 0
        check self_switch 0 -DREFUSE
        check self_switch 0 "-DN=3 -DUSES=1 -DLATES=0 -DREFUSE"
        check self_switch 1 -DBROKEN_COUNT
        check self_switch 1 -DBROKEN_ORDER
        check self_switch 1 "-DREFUSE -DBROKEN_WAIT"
        check self_switch 1 "-DREFUSE -DBROKEN_UNDO"
        check self_switch 1 -DBROKEN_ROUND
        check self_switch 1 -DBROKEN_RETRY
        ;;
    request)
        check request 0
        check request 1 -DBROKEN_CALLER
        check request 1 -DBROKEN_MASTER
        check request 1 -DBROKEN_LEAVE
        check request 1 -DBROKEN_LINK
        ;;
    request_end)
        check request_end 0
        check request_end 0 -DPARTS=2
        check request_end 1 -DBROKEN_ALONE
        check request_end 1 -DBROKEN_NAMED
        check request_end 1 -DBROKEN_LATE
        check request_end 1 -DBROKEN_ORDER
        check request_end 1 -DBROKEN_CLEAR
        check request_end 1 -DBROKEN_FIRST
        check request_end 1 "-DPARTS=2 -DBROKEN_BEGUN"
        ;;
    request_queued)
        check request_queued 0
        check request_queued 1 -DBROKEN_WAITS
        check request_queued 1 -DBROKEN_LEAVE
        check request_queued 1 -DBROKEN_LIST
        check request_queued 1 -DBROKEN_VALUE
        check request_queued 1 -DBROKEN_FIRST
        check request_queued 1 -DBROKEN_CLEAR
        check request_queued 1 -DBROKEN_ORDER
        check request_queued 1 -DBROKEN_LATE
        check request_queued 0 "-DTAKERS=1 -DCLOSES -DSTOPS"
        check request_queued 1 "-DTAKERS=1 -DCLOSES -DSTOPS -DBROKEN_BUSY"
        check request_queued 1 "-DTAKERS=1 -DCLOSES -DSTOPS -DBROKEN_END"
        check request_queued 0 "-DTAKERS=1 -DREADS"
        check request_queued 1 "-DTAKERS=1 -DREADS -DBROKEN_EITHER"
        ;;
    mail_sleep)
        check mail_sleep 0
        check mail_sleep 1 -DBROKEN_LOOK
        check mail_sleep 1 -DBROKEN_SEND
        ;;
    mail_lives)
        check mail_lives 0
        check mail_lives 1 -DBROKEN_FREE
        check mail_lives 1 -DBROKEN_FULL
        check mail_lives 1 -DBROKEN_ONCE
        check mail_lives 1 -DBROKEN_MEET
        ;;
    mail_order)
        check mail_order 0
        check mail_order 1 -DBROKEN_OTHER
        check mail_order 1 -DBROKEN_BIT
        check mail_order 1 -DBROKEN_KEEP
        ;;
    mail_taken)
        check mail_taken 0
        check mail_taken 1 -DBROKEN_FREE
        check mail_taken 1 -DBROKEN_AGAIN
        check mail_taken 1 -DBROKEN_PLACE
        check mail_taken 1 -DBROKEN_COUNT
        ;;
    svm_owner)
        check svm_owner 0
        check svm_owner 1 -DBROKEN_ORDER
        check svm_owner 1 -DBROKEN_DRAIN
        check svm_owner 1 -DBROKEN_INVALIDATE
        check svm_owner 1 -DBROKEN_WORD
        check svm_owner 1 -DBROKEN_WATCH
        ;;
    svm_keep)
        check svm_keep 0
        check svm_keep 1 -DBROKEN_KEEP
        check svm_keep 1 -DBROKEN_WAIT
        check svm_keep 1 -DBROKEN_AGE
        check svm_keep 1 -DBROKEN_NEW
        check svm_keep 1 -DBROKEN_CLOCK
        check svm_keep 1 -DBROKEN_BEGIN
        check svm_keep 1 -DBROKEN_RETIRE
        check svm_keep 0 -DN=3
        check svm_keep 1 "-DN=3 -DBROKEN_KEEP"
        check svm_keep 1 "-DN=3 -DBROKEN_NEW"
        ;;
    svm_once)
        check svm_once 0
        check svm_once 1 -DBROKEN_ORDER
        check svm_once 1 -DBROKEN_DRAIN
        check svm_once 1 -DBROKEN_INVALIDATE
        check svm_once 1 -DBROKEN_LATE
        ;;
    svm_twins)
        check svm_twins 0
        check svm_twins 1 -DBROKEN_WHOLE
        check svm_twins 1 -DBROKEN_KEEP
        check svm_twins 1 -DBROKEN_LOSE
        check svm_twins 1 -DBROKEN_LATE
        ;;
    svm_meet)
        check svm_meet 0
        check svm_meet 1 -DBROKEN_SIGNAL
        check svm_meet 1 -DBROKEN_TURN
        check svm_meet 1 -DBROKEN_LOST
        check svm_meet 1 -DBROKEN_LEFT
        check svm_meet 1 -DBROKEN_STAY
        check svm_meet 0 "-DENDS=1 -DFAILS=0 -DLAST=1"
        check svm_meet 1 "-DENDS=1 -DFAILS=0 -DLAST=1 -DBROKEN_GONE"
        check svm_meet 1 "-DENDS=1 -DFAILS=0 -DLAST=1 -DBROKEN_FIRST"
        check svm_meet 1 "-DENDS=1 -DFAILS=0 -DLAST=1 -DBROKEN_LOOK"
        check svm_meet 0 "-DLIVES=1 -DFAILS=0 -DLAST=1"
        check svm_meet 1 "-DLIVES=1 -DFAILS=0 -DLAST=1 -DBROKEN_AGAIN"
        check svm_meet 1 "-DLIVES=1 -DFAILS=0 -DLAST=1 -DBROKEN_EARLY"
        check svm_meet 1 "-DLIVES=1 -DFAILS=0 -DLAST=1 -DBROKEN_STALE"
        check svm_meet 1 "-DLIVES=1 -DFAILS=0 -DLAST=1 -DBROKEN_SAMPLE"
        ;;
    svm_move)
        check svm_move 0
        check svm_move 1 -DBROKEN_FREE
        check svm_move 1 -DBROKEN_INVALIDATE
        check svm_move 1 -DBROKEN_ACCESS
        check svm_move 1 -DBROKEN_HOME
        check svm_move 1 -DBROKEN_CLAIM
        ;;
    spawn)
        check spawn 0
        check spawn 1 -DBROKEN_CLAIM
        check spawn 1 -DBROKEN_BUSY
        check spawn 1 -DBROKEN_CONSOLE
        check spawn 1 -DBROKEN_LEFT
        check spawn 1 -DBROKEN_KILL
        ;;
    handle)
        check handle 0
        check handle 1 -DBROKEN_ORDER
        check handle 1 -DBROKEN_LOOK
        check handle 1 -DBROKEN_PUT
        check handle 1 -DBROKEN_VIEWERS
        check handle 1 -DBROKEN_FLUSH
        check handle 1 -DBROKEN_PLACE
        check handle 1 -DBROKEN_CLOSE
        check handle 1 -DBROKEN_RUNS
        ;;
    pages)
        check pages 0
        check pages 1 -DBROKEN_GIVE
        check pages 1 -DBROKEN_LINK
        check pages 1 -DBROKEN_REVOKE
        check pages 1 -DBROKEN_MARK
        check pages 1 -DBROKEN_LIFE
        check pages 1 -DBROKEN_USERS
        check pages 1 -DBROKEN_VIEWER
        ;;
    life)
        check life 0
        check life 1 -DBROKEN_COUNT
        check life 1 -DBROKEN_UP
        check life 1 -DBROKEN_SEAL
        check life 1 -DBROKEN_TELL
        check life 0 -DPAGES
        check life 1 "-DPAGES -DBROKEN_COPY"
        check life 1 "-DPAGES -DBROKEN_CLEAR"
        check life 1 "-DPAGES -DBROKEN_NAME"
        check life 0 -DDOMAIN
        check life 1 "-DDOMAIN -DBROKEN_LATER"
        check life 1 "-DDOMAIN -DBROKEN_OFF"
        check life 1 "-DDOMAIN -DBROKEN_LIFE"
        ;;
    names)
        check names 0
        check names 1 -DBROKEN_BEAT
        check names 1 -DBROKEN_TAKEN
        check names 1 -DBROKEN_SLOW
        check names 1 -DBROKEN_BACK
        check names 0 "-DLOSSES=2 -DDEATHS=1"
        check names 1 "-DLOSSES=2 -DDEATHS=1 -DBROKEN_MAJORITY"
        check names 1 "-DLOSSES=2 -DDEATHS=1 -DBROKEN_FIRST"
        ;;
    wakeup)
        check wakeup 0
        check wakeup 1 -DBROKEN_BLOCK
        check wakeup 1 -DBROKEN_WAKE
        ;;
    process_wait)
        check process_wait 0
        check process_wait 1 -DBROKEN_READ
        check process_wait 1 -DBROKEN_GIVE_UP
        ;;
    remote_wait)
        check remote_wait 0
        check remote_wait 1 -DBROKEN_COUNT
        check remote_wait 1 -DBROKEN_ORDER
        check remote_wait 1 -DBROKEN_LATE
        ;;
    lock)
        check lock 0
        check lock 1 -DBROKEN_WOKEN
        check lock 1 -DBROKEN_LOOK
        check lock 1 -DBROKEN_DROP
        ;;
    counter)
        check counter 0
        check counter 1 -DBROKEN_ORDER
        check counter 1 -DBROKEN_LOOK
        check counter 1 -DBROKEN_LATE
        ;;
    rwlock)
        check rwlock 0
        check rwlock 1 -DBROKEN_GIVE_UP
        check rwlock 1 -DBROKEN_TURN
        check rwlock 1 -DBROKEN_SIGNAL
        check rwlock 1 -DBROKEN_UNLOCK
        check rwlock 1 -DBROKEN_LOOK
        check rwlock 1 -DBROKEN_PASS
        ;;
    process_bell)
        check process_bell 0
        check process_bell 1 -DBROKEN_LOOK
        check process_bell 1 -DBROKEN_GIVE_UP
        check process_bell 1 -DBROKEN_WITHDRAW
        check process_bell 1 -DBROKEN_LOST
        check process_bell 1 -DBROKEN_TWICE
        ;;
    frames)
        check frames 0
        check frames 1 -DBROKEN_BELL
        check frames 1 -DBROKEN_LOOK
        check frames 1 -DBROKEN_ORDER
        check frames 1 -DBROKEN_FULL
        check frames 1 -DBROKEN_EARLY
        check frames 1 -DBROKEN_CLEAR
        ;;
    *)
        echo "FAIL $1: run.sh does not know how to check this model"
        exit 1
        ;;
    esac
}

[ $# -gt 0 ] || set -- ticket_lock wakeup bakery bakery_order semaphore ready self_switch process_wait remote_wait process_bell
for model in "$@"; do all_of "$model"; done
