/* SPDX-License-Identifier: MIT */
/*
 * uart.c - the 16550A serial port (National PC16550D data sheet).
 *
 * The line is infinitely fast: the transmitter always reads as empty. A byte written costs about 30 instructions,
 * because it only goes into a line buffer. The buffer is flushed to the console at a newline, when full, when the
 * driver writes a control register (Linux does at the end of each transmission), or FLUSH_NS after its first byte by a
 * timer that is armed once for each buffer. While the console takes nothing (console_offer), a byte that would flush is
 * repeated, the timer is armed again, and a control register leaves the text to the timer.
 *
 * What is typed waits in a ring until the receive FIFO, 16 deep or, switched off, 1, has room; so it does not overrun.
 * In loopback mode the line is cut: the FIFO gets what is sent, and typed input stays in the ring. Fewer bytes than the
 * trigger level count as timed out at once.
 */
#include <core/console.h>
#include <core/timer.h>
#include <errors.h>
#include <string.h>
#include <vm/devices.h>
#include <vm/system_part.h>

#define FLUSH_NS  2000000
#define TX_SIZE   64
#define RX_SIZE   256 /* a power of two */
#define FIFO_SIZE 16  /* a power of two */

enum { THR, IER, FCR, LCR, MCR, LSR, MSR, SCR }; /* RBR is THR, IIR is FCR; DLL and DLM share 0 and 1 */
enum { IER_RDA = 1, IER_THRE = 2, IER_LINE = 4, IER_MODEM = 8 };
enum { FCR_ENABLE = 1, FCR_CLEAR_RX = 2 };
enum { LCR_DLAB = 0x80, MCR_OUT2 = 8, MCR_LOOP = 0x10 };
enum { LSR_READY = 1, LSR_OVERRUN = 2, LSR_EMPTY = 0x60 };
enum { IIR_NONE = 1, IIR_MODEM = 0, IIR_THRE = 2, IIR_RDA = 4, IIR_LINE = 6, IIR_TIMEOUT = 12, IIR_FIFO = 0xc0 };
#define MSR_CONNECTED 0xb0 /* carrier, data set ready, clear to send */

struct uart {
    struct vdev dev;
    struct timer flush_timer;
    u8 reg[8]; /* LSR: only the error bits */
    u8 divisor[2];
    bool thr_empty; /* the THRE interrupt is pending */
    bool line;
    u8 tx_n;
    u8 fifo_at, fifo_n;   /* next byte to be read (not reduced modulo FIFO_SIZE), and number of bytes */
    u16 rx_head, rx_tail; /* not reduced modulo RX_SIZE */
    char tx[TX_SIZE];
    u8 fifo[FIFO_SIZE];
    u8 rx[RX_SIZE]; /* typed */
};

_Static_assert(sizeof(struct uart) <= PAGE_SIZE, "one page a port");

static unsigned pending(const struct uart *u)
{
    static const u8 trigger[4] = { 1, 4, 8, 14 };
    unsigned n = u->fifo_n;
    if ((u->reg[IER] & IER_LINE) && u->reg[LSR])
        return IIR_LINE;
    if ((u->reg[IER] & IER_RDA) && n)
        return !(u->reg[FCR] & FCR_ENABLE) || n >= trigger[u->reg[FCR] >> 6] ? IIR_RDA : IIR_TIMEOUT;
    if ((u->reg[IER] & IER_THRE) && u->thr_empty)
        return IIR_THRE;
    return (u->reg[IER] & IER_MODEM) && (u->reg[MSR] & 15) ? IIR_MODEM : IIR_NONE;
}

/* Set the interrupt line; OUT2 enables it, as a PC is wired. */
static void uart_update(struct uart *u)
{
    bool line = (u->reg[MCR] & MCR_OUT2) && pending(u) != IIR_NONE;
    if (line != u->line) {
        u->line = line;
        vm_irq_line(u->dev.vm, u->dev.gsi, line);
    }
}

/* Offer the buffer to the console. Returns whether all of it was taken. */
static bool flush(struct uart *u)
{
    size_t taken = u->tx_n ? vm_console_offer(u->dev.vm, u->tx, u->tx_n) : 0;
    u->tx_n -= taken;
    memmove(u->tx, u->tx + taken, u->tx_n);
    return !u->tx_n;
}

static void flush_late(void *arg)
{
    struct uart *u = arg;
    unsigned long flags = spin_lock_irqsave(&u->dev.lock);
    if (!flush(u))
        timer_arm(&u->flush_timer, time_after(FLUSH_NS));
    spin_unlock_irqrestore(&u->dev.lock, flags);
}

static bool fifo_full(const struct uart *u) { return u->fifo_n == (u->reg[FCR] & FCR_ENABLE ? FIFO_SIZE : 1); }

static void receive(struct uart *u, u8 byte)
{
    if (fifo_full(u))
        u->reg[LSR] |= LSR_OVERRUN;
    else
        u->fifo[(u8)(u->fifo_at + u->fifo_n++) % FIFO_SIZE] = byte;
}

/* Receive what was typed, unless the line is cut. */
static void receive_typed(struct uart *u)
{
    while (!(u->reg[MCR] & MCR_LOOP) && !fifo_full(u) && u->rx_head != u->rx_tail)
        receive(u, u->rx[u->rx_tail++ % RX_SIZE]);
}

bool uart_open(struct vm *vm)
{
    const struct uart *u = pc_parts(vm)->uart;
    return u && (READ_ONCE(u->reg[IER]) & IER_RDA);
}

void uart_input(struct vm *vm, u8 byte)
{
    struct uart *u = pc_parts(vm)->uart;
    if (!u)
        return;
    unsigned long flags = spin_lock_irqsave(&u->dev.lock);
    if ((u16)(u->rx_head - u->rx_tail) < RX_SIZE)
        u->rx[u->rx_head++ % RX_SIZE] = byte;
    else
        u->reg[LSR] |= LSR_OVERRUN;
    receive_typed(u);
    uart_update(u);
    spin_unlock_irqrestore(&u->dev.lock, flags);
}

static void transmit(struct uart *u, u8 byte)
{
    if (unlikely(u->reg[MCR] & MCR_LOOP)) {
        receive(u, byte);
        u->thr_empty = true;
        uart_update(u);
        return;
    }
    u->tx[u->tx_n++] = byte;
    if (byte == '\n' || u->tx_n == TX_SIZE) {
        if (!flush(u)) {
            u->tx_n--; /* the guest writes this byte again */
            u->dev.again = true;
            return;
        }
    } else if (u->tx_n == 1) {
        timer_arm(&u->flush_timer, time_after(FLUSH_NS));
    }
    if (!u->thr_empty) {
        u->thr_empty = true;
        if (u->reg[IER] & IER_THRE)
            uart_update(u);
    }
}

static void set_modem_lines(struct uart *u, u8 v)
{
    static const u8 crossed[4] = { 0, 0x20, 0x10, 0x30 };
    u8 old = u->reg[MSR] & 0xf0, now = MSR_CONNECTED;
    if (v & MCR_LOOP) /* DTR, RTS, OUT1, OUT2 are read back as DSR, CTS, RI, DCD */
        now = crossed[v & 3] | (v & 0xc) << 4;
    u8 changed = old ^ now;
    if (now & 0x40)
        changed &= ~0x40; /* the ring indicator's change counts when it ends */
    u->reg[MSR] = (u->reg[MSR] & 15) | now | changed >> 4;
}

static void uart_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    static const u8 kept[8] = { [IER] = 0xf, [FCR] = 0xc9, [LCR] = 0xff, [MCR] = 0x1f, [SCR] = 0xff };
    struct uart *u = container_of(d, struct uart, dev);
    u8 v = value;
    if (likely(offset == THR && !(u->reg[LCR] & LCR_DLAB))) {
        transmit(u, v);
        return;
    }
    flush(u); /* what the console does not take now goes out by the timer */
    if (offset <= IER && (u->reg[LCR] & LCR_DLAB)) {
        u->divisor[offset] = v;
        return;
    }
    if (offset == IER && (~u->reg[IER] & v & IER_THRE))
        u->thr_empty = true; /* enabling the interrupt with the transmitter empty raises it */
    if (offset == FCR && ((v & FCR_CLEAR_RX) || ((v ^ u->reg[FCR]) & FCR_ENABLE)))
        u->fifo_n = 0;
    if (offset == MCR)
        set_modem_lines(u, v);
    if (kept[offset])
        u->reg[offset] = v & kept[offset];
    receive_typed(u);
    uart_update(u);
}

static u8 read_data(struct uart *u)
{
    if (!u->fifo_n)
        return 0;
    u8 byte = u->fifo[u->fifo_at++ % FIFO_SIZE];
    u->fifo_n--;
    receive_typed(u);
    return byte;
}

static u8 read_identification(struct uart *u)
{
    unsigned id = pending(u);
    if (id == IIR_THRE)
        u->thr_empty = false;
    return id | (u->reg[FCR] & FCR_ENABLE ? IIR_FIFO : 0);
}

static u64 uart_read(struct vdev *d, u32 offset, unsigned size)
{
    struct uart *u = container_of(d, struct uart, dev);
    u8 v = u->reg[offset];
    if (offset <= IER && (u->reg[LCR] & LCR_DLAB))
        return u->divisor[offset];
    switch (offset) {
    case THR: v = read_data(u); break;
    case FCR: v = read_identification(u); break;
    case LSR:
        v |= LSR_EMPTY | (u->fifo_n ? LSR_READY : 0);
        u->reg[LSR] = 0;
        break;
    case MSR: u->reg[MSR] &= 0xf0; break;
    default: return v;
    }
    uart_update(u);
    return v;
}

static void uart_reset(struct vdev *d)
{
    struct uart *u = container_of(d, struct uart, dev);
    timer_cancel(&u->flush_timer);
    vm_console_write(u->dev.vm, u->tx, u->tx_n);
    u->tx_n = 0;
    memset(u->reg, 0, sizeof(u->reg));
    memset(u->divisor, 0, sizeof(u->divisor));
    u->reg[MSR] = MSR_CONNECTED;
    u->thr_empty = false;
    u->rx_tail = u->rx_head;
    u->fifo_n = 0;
    uart_update(u);
}

static const struct vdev_ops uart_ops = { "uart", uart_read, uart_write, uart_reset, 1 };

__init_text int uart_create(struct vm *vm, const struct sys_device *conf)
{
    static const u16 port[4] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };
    if (conf->slot >= ARRAY_SIZE(port))
        return -ERANGE;
    struct uart *u = vm_device_alloc(vm);
    if (!u)
        return -ENOMEM;
    u->dev.ops = &uart_ops;
    u->dev.vm = vm;
    u->dev.gsi = 4 - (conf->slot & 1);
    timer_init(&u->flush_timer, flush_late, u);
    uart_reset(&u->dev);
    if (!pc_parts(vm)->uart)
        pc_parts(vm)->uart = u;
    return vm_claim_pio(vm, port[conf->slot], 8, &u->dev);
}
