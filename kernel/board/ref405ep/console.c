/* SPDX-License-Identifier: MIT */
/*
 * console.c - the guests' consoles on this core's UART0.
 *
 * Tagged mode, for programs (tools/amalgam/board/tagged.py): 0xff and an id say whose bytes follow; 0xff 0xff is the
 * byte 0xff. Otherwise, for people: only the guest with the focus is heard and gets the input; Ctrl-] and a number move
 * the focus. The kernel itself is always heard.
 *
 * Nothing waits for the line. Text goes into a ring; the transmitter gets as much as its FIFO holds, and its interrupt
 * (transmitter empty) sends the next piece. Each VM may have QUOTA bytes in the ring, so no VM takes the room of
 * another. In the hardware's order the line's interrupt comes before the alarm's; console_poll() reverses that.
 *
 * A byte for a guest that runs on another core waits in the guest's ring until that core looks (partition_knock).
 */
#include <arch/cpu.h>
#include <board/board.h>
#include <board/console.h>
#include <partition/partition.h>
#include <partition/shared.h>
#include <partition/pt.h>
#include <wcet.h>

#define TAG       0xff
#define KEY_FOCUS 0x1d /* Ctrl-] */
#define RX_BURST  4
#define TX_FIFO   16     /* bytes that an empty transmitter takes */
#define TX_TRIES  100000 /* polls of a transmitter that takes nothing, at the end of a run */
#define QUOTA     64     /* the longest console_write, or four FIFOs */
#define RING      (PT_VMS * QUOTA + CONSOLE_KERNEL_QUOTA)

#define UART_IER     (UART0_BASE + 1)
#define UART_LSR     (UART0_BASE + 5)
#define LSR_DATA     0x01
#define LSR_THRE     0x20
#define LSR_TEMT     0x40
#define IER_RECEIVED 1
#define IER_EMPTY    2

static u8 focus __shared;
static u8 speaker = TAG; /* last tag sent */
u8 console_speaker =
    TAG; /* the same while the ring is empty, so that device.S writes to the line directly; otherwise TAG */
static u16 ring[RING];       /* id and byte */
static u16 head, tail;       /* of the ring: next to fill, next to send */
static u8 waits[PT_VMS + 1]; /* entries of each VM, and of the kernel */
static u8 roomy =
    TAG; /* a VM whose transmitter was full and has room now; at most one in each piece, as half of QUOTA is longer */
static bool half;         /* the tag of the entry at `tail` is sent, or the first of its two 0xff */
static bool asked;        /* the transmitter's interrupt is enabled */
static u8 listener = TAG; /* last tag received */
static bool escaped;      /* the last byte was a tag or Ctrl-] */

static bool tagged(void) { return pt()->flags & 1; }

static void disable_transmit(void)
{
    io_write8(UART_IER, IER_RECEIVED);
    asked = false;
}

void console_init(void)
{
    io_write8(UART0_BASE + 3, 3);    /* 8 bits, no parity */
    io_write8(UART0_BASE + 2, 1);    /* FIFO */
    io_write8(UART0_BASE + 4, 0x0b); /* OUT2 gates the interrupt */
    disable_transmit();
}

void console_focus(u32 id) { focus = id; }
u32 console_input(void) { return 0x80000000u >> UIC_UART0; }

static u32 slot_of(u32 id) { return MIN(id, (u32)PT_VMS); }
static u32 next(u32 at) { return at + 1 == RING ? 0 : at + 1; }

u32 console_room(u32 id) { return (id < PT_VMS ? QUOTA : CONSOLE_KERNEL_QUOTA) - waits[slot_of(id)]; }

static bool heard(u32 id) { return tagged() || id == focus || id == CONSOLE_KERNEL; }

bool console_putc(u32 id, u8 byte)
{
    if (!heard(id))
        return true;
    if (!console_room(id))
        return false;
    waits[slot_of(id)]++;
    ring[head] = (u16)(id << 8 | byte);
    head = (u16)next(head);
    return true;
}

u32 console_write(u32 id, const volatile u8 *bytes, u32 n)
{
    if (!heard(id))
        return n;
    n = MIN(n, console_room(id));
    waits[slot_of(id)] += (u8)n;
    u32 at = head;
    for (const volatile u8 *end = bytes + n; bytes < end; bytes++) {
        LOOP_BOUND(CONSOLE_LONGEST);
        ring[at] = (u16)(id << 8 | *bytes);
        at = next(at);
    }
    head = (u16)at;
    return n;
}

/* A VM that found its transmitter full has half of its quota free again: it may go on. */
static void report_room(void)
{
    struct vm *vm = vm_of(roomy);
    roomy = TAG;
    vm->uart.full = 0;
    if (vm == core.current)
        guest_input(vm);
    else
        partition_knock(vm);
    if (vm->state == VM_IDLE) { /* it may sleep in its own window, waiting for this */
        core.window_due = hal_now();
        hal_alarm_update();
    }
}

/* Return the next byte for the line. An entry has up to four: a tag, its id, 0xff twice. */
static u8 next_byte(void)
{
    u32 id = ring[tail] >> 8, byte = ring[tail] & 0xff;

    if (tagged() && !half && (id != speaker || byte == TAG)) {
        half = true;
        return TAG;
    }
    if (half && id != speaker) {
        half = false;
        return speaker = (u8)id;
    }
    half = false;
    tail = (u16)next(tail);
    if (--waits[slot_of(id)] == QUOTA / 2 && id < PT_VMS && vm_of(id)->uart.full)
        roomy = (u8)id;
    return (u8)byte;
}

void console_ask(void)
{
    if (!asked)
        io_write8(UART_IER, IER_RECEIVED | IER_EMPTY);
    asked = true;
}

void console_send(void)
{
    if (tail != head && (io_read8(UART_LSR) & LSR_THRE)) {
        u32 n = TX_FIFO;
        do {
            LOOP_BOUND(TX_FIFO);
            io_write8(UART0_BASE, next_byte());
        } while (--n && tail != head);
    }
    console_speaker = tail == head ? speaker : TAG;
    if (tail != head)
        console_ask();
    if (roomy != TAG)
        report_room();
}

void console_drain(void)
{
    for (u32 tries = TX_TRIES; tries && (tail != head || report_next() || !(io_read8(UART_LSR) & LSR_TEMT)); tries--) {
        u32 before = tail;
        console_send();
        if (tail != before)
            tries = TX_TRIES;
    }
}

static void give(u32 id, u8 byte)
{
    if (id >= PT_VMS || !vm_of(id)->conf)
        return;
    struct vm *vm = vm_of(id);
    struct vuart *u = &vm->uart;
    if ((u8)(u->rx_head + 1) == READ_ONCE(u->rx_tail))
        return; /* its ring is full: drop the byte, so that others' input goes on */
    u->rx[u->rx_head] = byte;
    mp_fence();
    u->rx_head++;
    if (vm == core.current)
        guest_input(vm);
    else
        partition_knock(vm);
}

static void received(u8 byte)
{
    u8 mark = tagged() ? TAG : KEY_FOCUS;
    if (!escaped && byte == mark) {
        escaped = true;
        return;
    }
    if (!escaped || byte == mark)
        give(mark == TAG ? listener : focus, byte);
    else if (mark == TAG)
        listener = byte;
    else if (byte - '0' < PT_VMS)
        focus = byte - '0';
    escaped = false;
}

void console_poll(void)
{
    for (u32 n = 0; n < RX_BURST && (io_read8(UART_LSR) & LSR_DATA); n++) { /* more bytes interrupt again */
        LOOP_BOUND(RX_BURST);
        received(io_read8(UART0_BASE));
    }
    if (!asked)
        return;
    if (mfspr(SPR_TSR) &
        TSR_PIS) { /* the alarm is pending, and a fast line would interrupt again before it: let the alarm come first */
        disable_transmit();
        core.window_due = hal_now(); /* the alarm then comes to C and enables the transmitter again */
    } else if (waits[PT_VMS] ||
               !report_next()) { /* a new line is enough for one interrupt, and the transmitter still requests */
        if (tail == head)
            disable_transmit();
        console_send();
    }
}

void console_alarm_passed(void)
{
    if (tail != head || report_waits())
        console_ask();
}
