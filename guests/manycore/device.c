/* SPDX-License-Identifier: MIT */
/*
 * device.c - a hostile kernel of a cluster that has a virtio card. It makes each call for devices (docs/boards.md) with
 * right and wrong arguments, names all memory that is not its own, and prints a line for each answer that is not as it
 * must be. Then the card still answers, into the memory that was named and no other. The second cluster, which has no
 * device, is refused each call, and looks whether its memory is as it was.
 */
#include "guest.h"

#define DEVICES 0x0a00414d
enum { KIND, CONFIG, RESET, START, SUBMIT, DONE, CONNECT, MASK, RAISED, FUNCTIONS };
enum { OK = 0, FAILED = -1, NOT_SUPPORTED = -2, INVALID_PARAM = -3, DENIED = -4, INVALID_ADDRESS = -5 };
enum { COMES = 0, GOES = 1, WRITES = 4, MORE = 8 };
#define EXTERNAL   (1ul << 9) /* in sie and sip */
#define FRAME      1526u      /* the longest, with the card's head of 12 bytes */
#define PIECE_MOST 0x40000ul
#define DONE_SHIFT 25 /* docs/boards.md, function 5 */

static u32 pattern[4096];
static struct {
    u32 before[64];
    u8 frame[FRAME + 10];
    u32 behind[64];
} in;
static u8 out[12 + 42];
static unsigned wrong, asked;

static struct sbi call(ulong function, ulong a0, ulong a1, ulong a2, ulong a3)
{
    return sbi_call(DEVICES, function, a0, a1, a2, a3);
}

static void expect(const char *what, struct sbi result, long error)
{
    asked++;
    if (result.error == error)
        return;
    wrong++;
    say("WRONG: %s: %d\n", what, (int)result.error);
}

static bool is_filled(const u32 *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (words[i] != 0x5a5a0000 + i)
            return false;
    return true;
}

static void fill(u32 *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        words[i] = 0x5a5a0000 + i;
}

static void await_word(u32 cluster, u32 value)
{
    while (*outbox(cluster) != value)
        sleep_until(csr_read(time) + 1000);
}

static void stranger(void)
{
    static const ulong devices[] = { 0, 1, 7, 8, ~0ul };
    fill(pattern, 4096);
    for (ulong function = 0; function <= FUNCTIONS; function++)
        for (unsigned i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
            expect("a stranger's call", call(function, devices[i], 0, (ulong)pattern, 64),
                   function == RAISED ? OK : INVALID_PARAM);
    *outbox(1) = 1;
    await_word(0, 1);
    say("%u calls, %u wrong, memory %s\n", asked, wrong, is_filled(pattern, 4096) ? "as it was" : "CHANGED");
    *outbox(1) = 2;
    for (;;)
        wfi();
}

static void states(void)
{
    expect("kind", call(KIND, 0, 0, 0, 0), OK);
    expect("submit, not started", call(SUBMIT, 0, COMES | WRITES, (ulong)in.frame, FRAME), DENIED);
    expect("done, not started", call(DONE, 0, COMES, 0, 0), DENIED);
    expect("connect a foreign master", call(CONNECT, 0, board.around[1].master, 0, 0), INVALID_PARAM);
    expect("connect behind the last", call(CONNECT, 0, own_hart(board.n_harts), 0, 0), INVALID_PARAM);
    expect("connect none", call(CONNECT, 0, ~0ul, 0, 0), INVALID_PARAM);
    expect("connect", call(CONNECT, 0, board.master, 0, 0), OK);
    expect("start", call(START, 0, 0, 0, 0), OK);
    expect("start twice", call(START, 0, 0, 0, 0), DENIED);
    expect("reset", call(RESET, 0, 0, 0, 0), OK);
    expect("start again", call(START, 0, 0, 0, 0), OK);
    expect("function 9", call(FUNCTIONS, 0, 0, 0, 0), NOT_SUPPORTED);
    expect("another device", call(KIND, 1, 0, 0, 0), INVALID_PARAM);
    expect("no device", call(RESET, ~0ul, 0, 0, 0), INVALID_PARAM);
    expect("done nothing", call(DONE, 0, COMES, 0, 0), FAILED);
    expect("done of queue 2", call(DONE, 0, 2, 0, 0), DENIED);
    expect("done of queue ~0", call(DONE, 0, ~0ul, 0, 0), DENIED);
    for (ulong at = 0; at < 0x110; at++)
        for (ulong width = 0; width < 9; width++)
            expect("config", call(CONFIG, 0, at, width, 0),
                   at < 0x100 && (width == 1 || width == 2 || width == 4) && at % width == 0 ? OK : INVALID_PARAM);
    expect("config at ~3", call(CONFIG, 0, ~3ul, 4, 0), INVALID_PARAM);
}

static void addresses(void)
{
    ulong end = board.memory + board.memory_size;
    const struct {
        ulong at, n;
    } foreign[] = {
        { end, 64 },
        { end - 63, 64 },
        { board.memory - 1, 64 },
        { board.memory - 64, 64 },
        { end + 4096, 64 },
        { 0x80000000, 64 },
        { 0x80100000, 2048 },
        { 0x80200000, 64 },
        { board.noc, 64 },
        { board.outbox, 64 },
        { 0x10000000, 64 },
        { 0x10001000, 64 },
        { 0x0c000000, 64 },
        { 0x02000000, 64 },
        { board.doorbells, 64 },
        { 0, 64 },
        { ~0ul, 64 },
        { board.memory, ~0ul },
        { board.memory + 64, ~0ul - 63 },
        { board.memory, 0 },
        { board.memory, board.memory_size + 1 },
        { board.memory, PIECE_MOST + 1 },
    };
    for (ulong how = 0; how < 32; how++)
        expect("no head", call(SUBMIT, 0, how, (ulong)in.frame, 11), how & 18 ? DENIED : INVALID_ADDRESS);
    for (ulong how = 0; how < 8; how++) /* the emulator would end by the frame that comes to such a request */
        if (!(how & 2)) {
            expect("one direction", call(SUBMIT, 0, how | MORE, (ulong)in.frame, 12), OK);
            expect("the other one", call(SUBMIT, 0, how ^ WRITES, (ulong)in.frame, 1), INVALID_ADDRESS);
        }
    for (ulong how = 0; how < 32; how++)
        for (unsigned i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
            if (!(how & 18)) /* the last one of two: the request that it belongs to goes with it */
                expect("own first", call(SUBMIT, 0, (how & (GOES | WRITES)) | MORE, (ulong)in.frame, 64), OK);
            expect("foreign", call(SUBMIT, 0, how, foreign[i].at, foreign[i].n), how & 18 ? DENIED : INVALID_ADDRESS);
        }
}

/* A request for the gateway's address (RFC 826), whose answer comes into `in.frame`. */
static void ask(void)
{
    static const u8 request[] = { 8, 6, 0, 1, 8, 0, 6, 4, 0, 1 }, us[] = { 10, 0, 2, 15 }, gateway[] = { 10, 0, 2, 2 };
    u8 *frame = out + 12;
    for (unsigned i = 0; i < 6; i++) {
        frame[i] = 255;
        frame[6 + i] = frame[22 + i] = (u8)call(CONFIG, 0, i, 1, 0).value;
    }
    for (unsigned i = 0; i < sizeof(request); i++)
        frame[12 + i] = request[i];
    for (unsigned i = 0; i < 4; i++) {
        frame[28 + i] = us[i];
        frame[38 + i] = gateway[i];
    }
    expect("offer", call(SUBMIT, 0, COMES | WRITES, (ulong)in.frame, FRAME), OK);
    expect("send", call(SUBMIT, 0, GOES, (ulong)out, sizeof(out)), OK);
}

/* Returns the bytes that came. An interrupt may be of the frame that was sent. The last one has masked the device. */
static ulong answer(void)
{
    csr_set(sie, EXTERNAL);
    for (;;) {
        expect("unmask", call(MASK, 0, 0, 0, 0), OK);
        while (!(csr_read(sip) & EXTERNAL))
            wfi();
        struct sbi raised = call(RAISED, 0, 0, 0, 0);
        expect("raised", (struct sbi){ (long)raised.value, 0 }, 1);
        expect("raised, asked again", (struct sbi){ (long)(csr_read(sip) & EXTERNAL), 0 }, 0);
        struct sbi done = call(DONE, 0, COMES, 0, 0);
        if (!done.error)
            return done.value & ((1ul << DONE_SHIFT) - 1);
    }
}

/* A device that has interrupted does not do so again before it is unmasked. */
static void masked(void)
{
    ask();
    while (call(DONE, 0, COMES, 0, 0).error)
        sleep_until(csr_read(time) + 1000);
    expect("masked", (struct sbi){ (long)(csr_read(sip) & EXTERNAL), 0 }, 0);
    expect("masked, raised", (struct sbi){ (long)call(RAISED, 0, 0, 0, 0).value, 0 }, 0);
}

static void begin_and_wait(void)
{
    call(CONNECT, 0, board.master, 0, 0);
    call(START, 0, 0, 0, 0);
    ask();
    say("begun, %u wrong\n", wrong);
    for (;;)
        wfi();
}

void guest_hart(ulong hart) { (void)hart; }

void guest_main(ulong hart, ulong start_number)
{
    (void)hart;
    if (board.number)
        stranger();
    if (!start_number && argument("killed", 0)) /* while the device has a request */
        begin_and_wait();
    fill(in.before, 64);
    fill(in.behind, 64);
    await_word(1, 1);
    states();
    addresses();
    ask();
    ulong n = answer();
    masked();
    bool kept = is_filled(in.before, 64) && is_filled(in.behind, 64);
    say("%u calls, %u wrong, %lu bytes from %x:%x, memory beside them %s\n", asked, wrong, n, in.frame[12 + 6],
        in.frame[12 + 7], kept ? "as it was" : "CHANGED");
    *outbox(0) = 1;
    await_word(1, 2);
    power_off(wrong);
}
