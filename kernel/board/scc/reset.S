/* SPDX-License-Identifier: MIT */
/*
 * reset.S - the start-up code: 64 KiB of ROM below 4 GiB, mapped also below 1 MiB. Core 0 begins at the reset vector,
 * the others at offset 0, to which their start-up IPI (vector 0xf0) points. As in MetalSVM's framework (paper, IV):
 * real mode, a minimal descriptor table, protected mode, the kernel at address 0x100000.
 *
 * A core of the chip sees its memory through its LUT from reset on. An emulated core has none, so the host has prepared
 * the LUT as a page directory in the core's memory: 16 MiB from 16 MiB * (number + 1) on.
 *
 * A kernel clears the information's first word when it has read it. So a core that is reset later finds none; it says
 * so in that word and waits until the host has loaded its memory again.
 *
 * In a fleet each core is a machine of its own, and its memory is all that there is, from 0 on, where the board of one
 * machine has nothing. Such a core prepares the device by which it sees the shared memory and rings others: PCI's
 * ivshmem-doorbell (QEMU, docs/specs/ivshmem-spec.rst), at the addresses that the host's information and LUT say. A
 * ring of another core arrives as the kernel's vector at this core's local APIC. A core without that device says so at
 * its second serial port, and ends.
 */
#define INFO      0x9000
#define MAGIC     0x30434353    /* board/scc.h */
#define WAITS     0x57434353
#define DIRECTORY 0x8000
#define LUT       (INFO + 32)
#define DOORBELL  (LUT + 1024)  /* struct scc_info's: where the device's registers shall be */
#define SHARED    (LUT + 4 * 128)
#define KERNEL    0x100000
#define LAPIC     0xfee00000
#define VEC_BELL  0xf3          /* arch/trap.h */
#define COM2      0x2f8

/* PCI 3.0, 3.2.2.3.2 and chapter 6: configuration space of the device in slot 4 (tools/amalgam/board/scc_fleet.py). */
#define CONFIG    (0x80000000 | 4 << 11)
#define ADDRESS   0xcf8
#define DATA      0xcfc
#define COMMAND   0x04          /* registers */
#define BAR(n)    (0x10 + 4 * n)
#define LIST      0x34
#define ON        6             /* COMMAND: memory, master */
#define MSIX      0x11          /* a capability */
#define MSIX_ON   0x80000000
#define IVSHMEM   0x11101af4
#define TABLE     0x1000        /* the interrupt table's page behind the registers */

    .code16
    .section .text
base:
    jmp reset
    .org 0x100, 0xf4
reset:
    cli
    cld
    lgdtl %cs:(gdtr - base)
    mov %cr0, %eax
    and $0x9fffffff, %eax       /* caches on: no CD, no NW */
    or $1, %al
    mov %eax, %cr0
    ljmpl $8, $(protected - base + 0xffff0000)

    .code32
protected:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    xor %ebx, %ebx
    cmpl $MAGIC, INFO
    je fleet
    mov LAPIC + 0x20, %eax      /* the local APIC's number is the core's */
    shr $24, %eax
    lea 1(%eax), %ebx
    shl $24, %ebx
    cmpl $MAGIC, INFO(%ebx)
    je 4f
    movl $WAITS, INFO(%ebx)
3:  pause
    cmpl $MAGIC, INFO(%ebx)     /* the host writes it last */
    jne 3b
4:  cmpl %eax, INFO + 4(%ebx)
    jne 1f
enter:
    mov %cr4, %eax
    or $0x10, %eax              /* pages of 4 MiB */
    mov %eax, %cr4
    lea DIRECTORY(%ebx), %eax
    mov %eax, %cr3
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    jmp 2f
2:  mov $INFO, %ebx
    mov $KERNEL, %eax
    jmp *%eax
1:  hlt                         /* the host has put another core's information here */
    jmp 1b

fleet:
    mov $DIRECTORY, %esp
    mov $0x30, %al              /* one short tick and no more of the PIT's channel 0, which nobody uses */
    out %al, $0x43
    out %al, $0x40
    out %al, $0x40
    xor %eax, %eax
    call read
    cmp $IVSHMEM, %eax
    jne nothing
    mov DOORBELL, %ebp
    mov $BAR(0), %eax
    mov %ebp, %ecx
    call write
    mov $BAR(1), %eax
    lea TABLE(%ebp), %ecx
    call write
    mov $BAR(2), %eax
    mov SHARED, %ecx            /* a LUT's entry has flags in its lowest bits, which are read-only in a BAR */
    call write
    mov $BAR(3), %eax
    xor %ecx, %ecx
    call write
    mov $COMMAND, %eax
    mov $ON, %ecx
    call write
    mov $LIST, %eax
    call read
    mov $48, %esi               /* capabilities that there can be */
1:  dec %esi
    jz nothing
    and $0xfc, %eax
    jz nothing
    mov %eax, %edi
    call read
    mov %eax, %ecx
    movzbl %ah, %eax            /* the next one */
    cmp $MSIX, %cl
    jne 1b
    movl $LAPIC, TABLE(%ebp)
    movl $0, TABLE + 4(%ebp)
    movl $VEC_BELL, TABLE + 8(%ebp)
    movl $0, TABLE + 12(%ebp)
    mov %edi, %eax
    or $MSIX_ON, %ecx
    call write
    jmp enter

read:                           /* the register eax, to eax */
    or $CONFIG, %eax
    mov $ADDRESS, %dx
    out %eax, %dx
    mov $DATA, %dx
    in %dx, %eax
    ret
write:                          /* ecx to the register eax */
    or $CONFIG, %eax
    mov $ADDRESS, %dx
    out %eax, %dx
    mov %ecx, %eax
    mov $DATA, %dx
    out %eax, %dx
    ret

nothing:
    mov $(why - base + 0xffff0000), %esi
    mov $COM2, %dx
1:  lodsb
    out %al, %dx
    cmp $'\n', %al
    jne 1b
    mov $0xfe, %al              /* the keyboard controller resets the machine, which ends it */
    out %al, $0x64
2:  hlt
    jmp 2b
why:
    .ascii "no shared memory: the device in slot 4 is no ivshmem with a doorbell\n"

    .balign 8
gdt:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdtr:
    .word gdtr - gdt - 1
    .long gdt - base + 0xffff0000

    .org 0xfff0, 0xf4
    .code16
    jmp reset
    .org 0x10000, 0xf4
