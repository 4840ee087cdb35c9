/* SPDX-License-Identifier: MIT */
/*
 * power.c - recognizes writes by which Linux makes the machine sleep, reset or power off. A CPU that wakes from sleep
 * starts bare at Linux's address, and memory survives sleep and a warm reset.
 *
 * The module reads the registers from ACPI at load, when Linux is trusted; they cannot be changed later. Ports that
 * every PC has are listed here, and the mirror of PM1 in AMD's chipsets: their AcpiMmio region shows the ACPI registers
 * from 0xfed80800 on (PPR, "AcpiMmio space allocation").
 */
#include <attach/upcalls.h>
#include <errors.h>
#include <hal/attach.h>

#define SLP_EN         0x20
#define SLP_TYPE(byte) ((byte) >> 2 & 7)

#define CONFIG_ADDRESS 0xcf8 /* with 32 bits; single bytes are other registers */
#define RESET_CONTROL  0xcf9
#define RESET_CPU      0x04
#define FAST_RESET     0x92
#define FAST_RESET_NOW 0x01
#define KEYBOARD       0x64
#define KEYBOARD_OUT   0xd1 /* the next byte to port 0x60 is the output port, whose bit 0 is the reset line */
#define KEYBOARD_PULSE 0xf0 /* bits 0-3: lines that are not pulsed; bit 0 is the reset line */

#define MIRROR 0xfed80805ul /* the byte of PM1a's control with SLP_EN */
#define NO_OFF 8            /* a sleep type that no write has */

#define N_SLEEP (ATTACH_SLEEP + 1)

static struct attach_power power;
static struct attach_register sleep[N_SLEEP]; /* power.sleep and the mirror */

static bool exists(const struct attach_register *r) { return r->space != ATTACH_NO_REGISTER; }

static bool is_valid(const struct attach_register *r)
{
    return !exists(r) || (r->space == ATTACH_IN_PORTS && r->address <= 0xffff) ||
           (r->space == ATTACH_IN_MEMORY && r->address >= PAGE_SIZE && r->address < physical_limit());
}

__init_text int attach_power_init(const struct attach_power *p)
{
    power = *p;
    for (unsigned i = 0; i < ATTACH_SLEEP; i++) {
        sleep[i] = power.sleep[i];
        if (!is_valid(&sleep[i]))
            return -EINVAL;
    }
    sleep[ATTACH_SLEEP] = (struct attach_register){ .address = MIRROR,
                                                    .space = ATTACH_IN_MEMORY,
                                                    .value = exists(&sleep[0]) ? sleep[0].value : NO_OFF };
    return is_valid(&power.reset) ? 0 : -EINVAL;
}

/* A write by Linux. */
struct store {
    unsigned space, size;
    u64 at, value;
};

/* Returns whether the write includes that byte, and its value in *byte. */
static bool byte_of(const struct store *s, unsigned space, u64 at, u8 *byte)
{
    if (s->space != space || at - s->at >= s->size)
        return false;
    *byte = (u8)(s->value >> 8 * (at - s->at));
    return true;
}

static enum attach_power_write sleeps(const struct store *s)
{
    enum attach_power_write what = POWER_NOTHING;
    u8 byte;
    for (unsigned i = 0; i < N_SLEEP; i++) {
        const struct attach_register *r = &sleep[i];
        if (byte_of(s, r->space, r->address, &byte) && byte & SLP_EN)
            what = MAX(what, SLP_TYPE(byte) == r->value ? POWER_OFF : POWER_REFUSED);
    }
    if (power.s4bios && byte_of(s, ATTACH_IN_PORTS, power.smi_command, &byte) && byte == power.s4bios)
        what = POWER_REFUSED;
    return what;
}

static enum attach_power_write resets(const struct store *s)
{
    u8 byte;
    bool reset = byte_of(s, power.reset.space, power.reset.address, &byte) && byte == power.reset.value;
    if (byte_of(s, ATTACH_IN_PORTS, KEYBOARD, &byte)) {
        if (byte == KEYBOARD_OUT)
            /* the next write, which resets, is to a port that the keyboard's driver uses all the time */
            return POWER_REFUSED;
        reset |= byte >= KEYBOARD_PULSE && !(byte & 1);
    }
    if (byte_of(s, ATTACH_IN_PORTS, FAST_RESET, &byte))
        reset |= byte & FAST_RESET_NOW;
    if (byte_of(s, ATTACH_IN_PORTS, RESET_CONTROL, &byte))
        reset |= !!(byte & RESET_CPU);
    return reset ? POWER_RESET : POWER_NOTHING;
}

enum attach_power_write attach_power_write(unsigned space, u64 at, unsigned size, u64 value)
{
    struct store s = { space, size, at, value };
    if (space == ATTACH_IN_PORTS && at == CONFIG_ADDRESS && size == 4)
        return POWER_NOTHING; /* the address of a PCI register */
    enum attach_power_write sleep = sleeps(&s), reset = resets(&s);
    return MAX(sleep, reset);
}

void attach_power_ports(void (*trap)(u16 port))
{
    for (unsigned i = 0; i < N_SLEEP; i++)
        if (sleep[i].space == ATTACH_IN_PORTS)
            trap((u16)sleep[i].address);
    if (power.reset.space == ATTACH_IN_PORTS)
        trap((u16)power.reset.address);
    if (power.s4bios)
        trap(power.smi_command);
    trap(KEYBOARD);
    trap(FAST_RESET);
    trap(RESET_CONTROL);
}

static const struct attach_register *in_memory(unsigned i)
{
    const struct attach_register *r = i < N_SLEEP ? &sleep[i] : &power.reset;
    return r->space == ATTACH_IN_MEMORY ? r : NULL;
}

paddr_t attach_power_page(unsigned n)
{
    for (unsigned i = 0; i <= N_SLEEP; i++)
        if (in_memory(i) && !n--)
            return ALIGN_DOWN(in_memory(i)->address, PAGE_SIZE);
    return 0;
}

/* Write the upper bytes of PM1a and PM1b: some chipsets need both. */
void attach_power_off(void (*out)(u16 port, u8 value))
{
    for (unsigned i = 0; i < 2; i++) {
        const struct attach_register *r = &sleep[i];
        if (r->space == ATTACH_IN_PORTS && r->value < NO_OFF)
            out((u16)r->address, (u8)(SLP_EN | r->value << 2));
    }
}
