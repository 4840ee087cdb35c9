/* SPDX-License-Identifier: MIT */
/*
 * probe - executes commands that a test sends to its console (tests/system/ppc405/probe.py). A command is a line with a
 * letter and hexadecimal numbers:
 *   r ADDRESS COUNT            reads words, one access each:   = WORD...
 *   b ADDRESS COUNT            reads bytes
 *   w ADDRESS WORD...          writes words; those within CODE can be executed then
 *   s ADDRESS BYTE...          writes bytes
 *   x PC MSR R3 R4 R5 R11      runs from PC to the first exception:   = VECTOR PC MSR CR ESR DEAR R3 R4 R5 R11
 *   n VECTOR [ADDRESS]         counts that exception from now on, instead of ending, also in the word at ADDRESS
 * (VECTOR 0: external interrupts but the serial port's) c                          prints the count:   = COUNT
 * TICKS-OF-THE-LAST t                          the time base:   = LOW Between commands it sleeps in MSR[WE] until its
 * serial port interrupts, and takes other interrupts there, too. If an access ends with an exception it prints   !
 * VECTOR PC ESR DEAR.
 */
#include <guest.h>

#define CODE     0x00080000u /* the page for code */
#define CODE_END 0x00081000u
#define WORDS    8

static volatile u32 counted, last;
static volatile u32 *shown; /* the word that also gets the count, or NULL */

static void count_one(void)
{
    counted++;
    last = ticks();
    if (shown)
        *shown = counted;
}

static void count(struct frame *f)
{
    count_one();
    if (f->vector == VEC_PIT || f->vector == VEC_FIT)
        mtspr(SPR_TSR, f->vector == VEC_PIT ? TSR_PIS | TSR_ENW : TSR_FIS);
    else if (f->vector == VEC_WDT)
        mtspr(SPR_TSR, TSR_WIS);
    else
        mtdcr(DCR_UIC + UIC_SR, ~UART_INPUT);
    f->msr &= ~MSR_WE;
}

/* For the serial port: wake up; the main loop reads it. Other inputs, which the test may have enabled, are counted. */
static void external(struct frame *f)
{
    u32 others = mfdcr(DCR_UIC + UIC_MSR) & ~UART_INPUT;
    if (others) {
        count_one();
        mtdcr(DCR_UIC + UIC_SR, others);
    }
    f->msr &= ~(MSR_WE | MSR_EE);
}

static void refused(struct frame *f)
{
    print("! %x %x %x %x\n", f->vector, f->pc, f->esr, f->dear);
    f->pc += 4; /* skip the access, which had no effect */
}

static char get_char(void)
{
    while (!(load8(UART_LSR) & 1)) {
        mtdcr(DCR_UIC + UIC_ER, mfdcr(DCR_UIC + UIC_ER) | UART_INPUT); /* which a test may have disabled */
        mtmsr(MSR_EE | MSR_CE | MSR_WE);
        mtmsr(0);
    }
    return (char)load8(UART_DATA);
}

/* Read up to `max` numbers to the end of the line. Returns how many there are. */
static u32 get_numbers(u32 *number, u32 max)
{
    u32 n = 0;
    bool digits = false;
    for (;;) {
        char c = get_char();
        if (c == ' ' || c == '\n' || c == '\r') {
            n += digits;
            digits = false;
            if (c != ' ')
                return n;
        } else if (n < max) {
            number[n] = (digits ? number[n] << 4 : 0) | (u32)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
            digits = true;
        }
    }
}

static void read_memory(u32 address, u32 count, u32 size)
{
    print("=");
    for (u32 i = 0; i < count; i++, address += size)
        print(" %x", size == 1 ? *(volatile u8 *)address : *(volatile u32 *)address);
    print("\n");
}

static void write_memory(u32 address, const u32 *value, u32 count, u32 size)
{
    for (u32 i = 0; i < count; i++)
        if (size == 1)
            ((volatile u8 *)address)[i] = (u8)value[i];
        else
            ((volatile u32 *)address)[i] = value[i];
    if (address - CODE < CODE_END - CODE)
        code_changed((void *)address, count * size);
    print("=\n");
}

static void run(const u32 *number)
{
    struct frame f = { .pc = number[0], .msr = number[1] };
    f.gpr[3] = number[2];
    f.gpr[4] = number[3];
    f.gpr[5] = number[4];
    f.gpr[11] = number[5];
    try(&f);
    print("= %x %x %x %x %x %x %x %x %x %x\n", f.vector, f.pc, f.msr, f.cr, f.esr, f.dear, f.gpr[3], f.gpr[4], f.gpr[5],
          f.gpr[11]);
}

static void command(char letter, u32 *number, u32 n)
{
    switch (letter) {
    case 'r': read_memory(number[0], number[1], 4); break;
    case 'b': read_memory(number[0], number[1], 1); break;
    case 'w': write_memory(number[0], number + 1, n - 1, 4); break;
    case 's': write_memory(number[0], number + 1, n - 1, 1); break;
    case 'x': run(number); break;
    case 'n':
        on_exception(number[0], count);
        counted = 0;
        shown = (volatile u32 *)number[1];
        print("=\n");
        break;
    case 'c': print("= %x %x\n", counted, last); break;
    case 't': print("= %x\n", ticks()); break;
    default: print("? %c\n", letter);
    }
}

void guest_main(void)
{
    uic_init();
    on_exception(VEC_EXTERNAL, external);
    on_exception(VEC_DSI, refused);
    on_exception(VEC_MCHECK, refused);
    store8(UART_IER, 1);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    print("probe: ready\n");
    for (;;) {
        u32 number[1 + WORDS] = { 0 };
        char letter = get_char();
        if (letter > ' ')
            command(letter, number, get_numbers(number, ARRAY_SIZE(number)));
    }
}
