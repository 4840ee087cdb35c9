/* SPDX-License-Identifier: MIT */
/*
 * tunnel - one end of a tunnel, without an operating system.
 *   role=pong (answers, default) | ping (asks rounds=1000 times, length=64 bytes) | left (prints that its peer has
 * ended) index=0 The doorbell is IOAPIC input 24 + index, edge-triggered.
 */
#include <guest.h>
#include <amalgam_calls.h>
#include <tunnel.h>

#define VECTOR     0x61
#define IOAPIC     0xfec00000u
#define MAX_ROUNDS 4096

static volatile uint64_t rings;
static uint64_t index;
static uint64_t sample[MAX_ROUNDS];

static void on_ring(struct trap_frame *f)
{
    (void)f;
    rings++;
    apic_eoi();
}

static void route(uint32_t gsi)
{
    trap_install(VECTOR, on_ring);
    mmio_write(IOAPIC, 0x11 + 2 * gsi);
    mmio_write(IOAPIC + 0x10, apic_id() << 24);
    mmio_write(IOAPIC, 0x10 + 2 * gsi);
    mmio_write(IOAPIC + 0x10, VECTOR); /* fixed, physical, edge-triggered, unmasked */
}

/* Halt until the box has another message than number `seen`. A ring between the check and HLT stays pending, because
 * interrupts are off. */
static void wait_for(const struct tunnel_box *box, uint32_t seen)
{
    while (tunnel_seq(box) == seen)
        wait_irq();
}

static void ping(struct tunnel_box *box, uint64_t rounds, uint32_t length)
{
    static uint8_t out[TUNNEL_BOX_DATA], back[TUNNEL_BOX_DATA];
    uint64_t wrong = 0;
    rounds = rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (uint64_t i = 0; i < rounds; i++) {
        for (uint32_t b = 0; b < length; b++)
            out[b] = i + b;
        uint32_t seen = tunnel_seq(&box[1]);
        uint64_t t0 = rdtsc();
        tunnel_put(&box[0], out, length);
        while (amalgam_tunnel_notify(index) < 0) /* until the peer runs */
            amalgam_yield();
        wait_for(&box[1], seen);
        bool good = tunnel_take(&box[1], back) == (int)length;
        sample[i] = rdtsc() - t0;
        for (uint32_t b = 0; good && b < length; b++)
            good = (back[b] ^ out[b]) == 0xff;
        wrong += !good;
    }
    sort_u64(sample, rounds);
    print("tunnel: ping n=%lu wrong=%lu rings=%lu min=%lu median=%lu max=%lu ns\n", rounds, wrong, rings,
          tsc_to_ns(sample[0]), tsc_to_ns(sample[rounds / 2]), tsc_to_ns(sample[rounds - 1]));
}

static void pong(struct tunnel_box *box)
{
    static uint8_t data[TUNNEL_BOX_DATA];
    uint32_t seen = tunnel_seq(&box[0]) ? tunnel_seq(&box[0]) - 1 : 0; /* answer a question that is there already */
    for (uint64_t n = 1;; n++) {
        wait_for(&box[0], seen);
        seen = tunnel_seq(&box[0]);
        int length = tunnel_take(&box[0], data);
        for (int b = 0; b < length; b++)
            data[b] = ~data[b];
        tunnel_put(&box[1], data, length < 0 ? 0 : length);
        int64_t error = amalgam_tunnel_notify(index);
        if (n == 1 || n % 1000 == 0 || error || length < 0)
            print("tunnel: pong n=%lu length=%d rings=%lu notify=%ld\n", n, length, rings, error);
    }
}

/* Halt while the peer runs. */
static void left(void)
{
    while (amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_RUNNING))
        wait_irq();
    print("tunnel: the peer has ended, rings=%lu\n", rings);
}

void guest_main(void)
{
    char role[8];
    arg_text("role", "pong", role, sizeof(role));
    index = arg_number("index", 0);
    apic_enable();
    int64_t gpa = amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_GPA);
    int64_t gsi = amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_GSI);
    int64_t size = amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_SIZE);
    if (gpa < 0 || gsi < 0 || size < 4096) {
        print("tunnel: no tunnel %lu here (gpa=%ld gsi=%ld size=%ld)\n", index, gpa, gsi, size);
        return;
    }
    print("tunnel: %s at %lx, %ld bytes, gsi %ld\n", role, gpa, size, gsi);
    route(gsi);
    uint64_t length = arg_number("length", 64);
    if (text_equal(role, "ping"))
        ping((struct tunnel_box *)gpa, arg_number("rounds", 1000), length > TUNNEL_BOX_DATA ? TUNNEL_BOX_DATA : length);
    else if (text_equal(role, "left"))
        left();
    else
        pong((struct tunnel_box *)gpa);
}
