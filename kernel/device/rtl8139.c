/* SPDX-License-Identifier: MIT */
/*
 * rtl8139.c - what drivers of RTL8139 network cards may do (RTL8139C(L) data sheet 1.4, chapter 5).
 *
 * A card is told addresses by RBSTART, where its ring of received frames is, and by TSAD0 to TSAD3, where frames to
 * send are; and sizes by RCR, the ring's, and by TSD0 to TSD3, a frame's. Each of them is checked alone, so that any
 * two are right together, at any time:
 *
 *   RBSTART  an offset at which a ring of 64 KiB + 16 fits
 *   RCR      that ring only: a shorter one is written past its end, with WRAP
 *   TSADn    an offset at which the longest frame fits
 *   TSDn     at most the longest frame, 1,792 bytes (5.4)
 *
 * A reset makes the first three 0. So before the receiver or the sender is enabled they are written anew, with what is
 * remembered. C+ mode, with descriptors and a dump of counters at any address, is entered by registers that are not in
 * the table; the EEPROM and the registers that it locks (9346CR, CONFIGn, IDRn to be written) are not, either.
 */
#include <board/image.h>
#include <errors.h>
#include <string.h>

#include "class.h"

enum {
    IDR0 = 0x00, /* the card's address: six bytes */
    MAR0 = 0x08, /* a filter of multicast addresses: eight */
    TSD0 = 0x10,
    TSAD0 = 0x20,
    RBSTART = 0x30,
    CR = 0x37,
    CAPR = 0x38,
    CBR = 0x3a,
    IMR = 0x3c,
    ISR = 0x3e,
    TCR = 0x40,
    RCR = 0x44,
    TCTR = 0x48, /* a counter, which interrupts when it is TIMERINT */
    MPC = 0x4c,
    TIMERINT = 0x54,
    MSR = 0x58,
    TSAS = 0x60,
    BMSR = 0x64,
};

#define CR_TE  0x04u
#define CR_RE  0x08u
#define CR_RST 0x10u

#define RCR_RING      0x00001800u /* of 64 KiB + 16 */
#define RCR_PERMITTED 0x0f00ff3fu /* what is received, bursts, thresholds; not WRAP, nothing for tests */
#define TCR_PERMITTED 0x03070700u /* bursts, loopback, CRC, gaps; not CLRABT, which sends again */
#define TSD_SIZE      0x00001fffu
#define TSD_PERMITTED 0x003f0000u /* threshold; not OWN, which is the card's */

#define FRAME 1792u
#define RING  (64 * KIB + 16)
#define ALIGN 4u

enum { R1 = 1, R2 = 2, R4 = 4, W1 = 1 << DEVICE_WRITES, W2 = 2 << DEVICE_WRITES, W4 = 4 << DEVICE_WRITES };

/* Returns whether `size` bytes from `offset` on are pinned memory. */
static bool fits(u32 offset, u32 size)
{
    return !(offset % ALIGN) && offset <= device_rtl8139.memory && size <= device_rtl8139.memory - offset;
}

static void put(const struct hal_device *d, u32 at, u64 value) { hal_device_write(d, at, 4, (u32)value); }

/* Tell the card again what a reset may have made it forget. */
static void tell(const struct hal_device *d, const struct device_state *s)
{
    put(d, RBSTART, bus_address(s->memory + s->receive));
    put(d, RCR, s->receive_mode);
    for (u32 i = 0; i < 4; i++)
        put(d, TSAD0 + 4 * i, bus_address(s->memory + s->send[i]));
}

static bool is_reset(const struct hal_device *d) { return !(hal_device_read(d, CR, 1) & CR_RST); }

/* Nothing is received from the first write on. */
static void reset(const struct hal_device *d, struct device_state *s)
{
    s->receive = 0;
    s->receive_mode = RCR_RING;
    memset(s->send, 0, sizeof(s->send));
    put(d, RCR, RCR_RING);
    hal_device_write(d, CR, 1, CR_RST);
}

/* Some cards take RCR only while they receive, so it is written again then. */
static int command(const struct hal_device *d, struct device_state *s, u32 value)
{
    if (value == CR_RST) {
        reset(d, s);
        return 0;
    }
    if (value & ~(CR_TE | CR_RE))
        return -EINVAL;
    if (!is_reset(d))
        return -EBUSY;
    tell(d, s);
    hal_device_write(d, CR, 1, value);
    put(d, RCR, s->receive_mode);
    return 0;
}

static int receive_at(const struct hal_device *d, struct device_state *s, u32 offset)
{
    if (!fits(offset, RING))
        return -EINVAL;
    s->receive = offset;
    put(d, RBSTART, bus_address(s->memory + offset));
    return 0;
}

static int receive_mode(const struct hal_device *d, struct device_state *s, u32 value)
{
    if (value & ~RCR_PERMITTED || (value & RCR_RING) != RCR_RING)
        return -EINVAL;
    s->receive_mode = value;
    put(d, RCR, value);
    return 0;
}

static int send_from(const struct hal_device *d, struct device_state *s, u32 at, u32 offset)
{
    if (!fits(offset, FRAME))
        return -EINVAL;
    s->send[(at - TSAD0) / 4] = offset;
    put(d, at, bus_address(s->memory + offset));
    return 0;
}

static int send(const struct hal_device *d, u32 at, u32 value)
{
    if (value & ~(TSD_PERMITTED | TSD_SIZE) || (value & TSD_SIZE) > FRAME)
        return -EINVAL;
    put(d, at, value);
    return 0;
}

static int write(const struct hal_device *d, struct device_state *s, u32 at, u32 width, u32 value)
{
    if (at >= TSD0 && at < TSAD0)
        return send(d, at, value);
    if (at >= TSAD0 && at < RBSTART)
        return send_from(d, s, at, value);
    switch (at) {
    case RBSTART: return receive_at(d, s, value);
    case CR: return command(d, s, value);
    case RCR: return receive_mode(d, s, value);
    case TCR:
        if (value & ~TCR_PERMITTED)
            return -EINVAL;
    }
    hal_device_write(d, at, width, value);
    return 0;
}

const struct device_class device_rtl8139 = {
    .kind = { "rtl8139", .pci = 0x813910ecu },
    .memory = 76 * KIB, /* the ring, rounded up to pages, and four frames of 2 KiB */
    .access = {
        [IDR0 ... IDR0 + 5] = R1,
        [MAR0] = R4 | W4, [MAR0 + 4] = R4 | W4,
        [TSD0] = R4 | W4, [TSD0 + 4] = R4 | W4, [TSD0 + 8] = R4 | W4, [TSD0 + 12] = R4 | W4,
        [TSAD0] = W4, [TSAD0 + 4] = W4, [TSAD0 + 8] = W4, [TSAD0 + 12] = W4,
        [RBSTART] = W4,
        [CR] = R1 | W1,
        [CAPR] = R2 | W2,
        [CBR] = R2,
        [IMR] = R2 | W2,
        [ISR] = R2 | W2,
        [TCR] = R4 | W4,
        [RCR] = R4 | W4,
        [TCTR] = R4 | W4,
        [MPC] = R4 | W4,
        [TIMERINT] = W4,
        [MSR] = R1,
        [TSAS] = R2,
        [BMSR] = R2,
    },
    .write = write,
    .reset = reset,
    .is_reset = is_reset,
};
DEVICE_CLASS(device_rtl8139);
