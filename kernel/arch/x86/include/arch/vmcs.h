/* SPDX-License-Identifier: MIT */
/*
 * arch/vmcs.h (x86) - the fields of a VMCS by the SDM's names (Intel SDM vol. 3, appendix B).
 *
 * An encoding says what the field is: bits 14-13 its width, bits 11-10 its kind, bits 9-1 its number among these.
 */
#ifndef AMALGAM_ARCH_VMCS_H
#define AMALGAM_ARCH_VMCS_H

#include <types.h>

enum vmcs_width { VMCS_16, VMCS_64, VMCS_32, VMCS_NATURAL };
enum vmcs_kind { VMCS_CONTROL, VMCS_EXIT_INFORMATION, VMCS_GUEST, VMCS_HOST }; /* the second is read only */

#define VMCS_FIELD(width, kind, number) ((u32)(width) << 13 | (u32)(kind) << 10 | (u32)(number) << 1)

static inline enum vmcs_width vmcs_width(u32 field) { return field >> 13 & 3; }
static inline enum vmcs_kind vmcs_kind(u32 field) { return field >> 10 & 3; }

/* F(name, width, kind, number) of each field that a guest with EPT, VPID and unrestricted guest needs. */
#define VMCS_FIELDS(F)                                                                                                 \
    F(VPID, 16, CONTROL, 0)                                                                                            \
    F(GUEST_ES, 16, GUEST, 0)                                                                                          \
    F(GUEST_CS, 16, GUEST, 1)                                                                                          \
    F(GUEST_SS, 16, GUEST, 2)                                                                                          \
    F(GUEST_DS, 16, GUEST, 3)                                                                                          \
    F(GUEST_FS, 16, GUEST, 4)                                                                                          \
    F(GUEST_GS, 16, GUEST, 5)                                                                                          \
    F(GUEST_LDTR, 16, GUEST, 6)                                                                                        \
    F(GUEST_TR, 16, GUEST, 7)                                                                                          \
    F(HOST_ES, 16, HOST, 0)                                                                                            \
    F(HOST_CS, 16, HOST, 1)                                                                                            \
    F(HOST_SS, 16, HOST, 2)                                                                                            \
    F(HOST_DS, 16, HOST, 3)                                                                                            \
    F(HOST_FS, 16, HOST, 4)                                                                                            \
    F(HOST_GS, 16, HOST, 5)                                                                                            \
    F(HOST_TR, 16, HOST, 6)                                                                                            \
    F(IO_BITMAP_A, 64, CONTROL, 0)                                                                                     \
    F(IO_BITMAP_B, 64, CONTROL, 1)                                                                                     \
    F(MSR_BITMAP, 64, CONTROL, 2)                                                                                      \
    F(EXIT_MSR_STORE, 64, CONTROL, 3)                                                                                  \
    F(EXIT_MSR_LOAD, 64, CONTROL, 4)                                                                                   \
    F(ENTRY_MSR_LOAD, 64, CONTROL, 5)                                                                                  \
    F(TSC_OFFSET, 64, CONTROL, 8)                                                                                      \
    F(VIRTUAL_APIC, 64, CONTROL, 9)                                                                                    \
    F(EPT_POINTER, 64, CONTROL, 13)                                                                                    \
    F(GUEST_PHYSICAL, 64, EXIT_INFORMATION, 0)                                                                         \
    F(LINK_POINTER, 64, GUEST, 0)                                                                                      \
    F(GUEST_DEBUGCTL, 64, GUEST, 1)                                                                                    \
    F(GUEST_PAT, 64, GUEST, 2)                                                                                         \
    F(GUEST_EFER, 64, GUEST, 3)                                                                                        \
    F(HOST_PAT, 64, HOST, 0)                                                                                           \
    F(HOST_EFER, 64, HOST, 1)                                                                                          \
    F(PIN_CONTROLS, 32, CONTROL, 0)                                                                                    \
    F(PROC_CONTROLS, 32, CONTROL, 1)                                                                                   \
    F(EXCEPTION_BITMAP, 32, CONTROL, 2)                                                                                \
    F(PAGE_FAULT_MASK, 32, CONTROL, 3)                                                                                 \
    F(PAGE_FAULT_MATCH, 32, CONTROL, 4)                                                                                \
    F(CR3_TARGETS, 32, CONTROL, 5)                                                                                     \
    F(EXIT_CONTROLS, 32, CONTROL, 6)                                                                                   \
    F(EXIT_MSR_STORES, 32, CONTROL, 7)                                                                                 \
    F(EXIT_MSR_LOADS, 32, CONTROL, 8)                                                                                  \
    F(ENTRY_CONTROLS, 32, CONTROL, 9)                                                                                  \
    F(ENTRY_MSR_LOADS, 32, CONTROL, 10)                                                                                \
    F(ENTRY_EVENT, 32, CONTROL, 11)                                                                                    \
    F(ENTRY_ERROR_CODE, 32, CONTROL, 12)                                                                               \
    F(ENTRY_LENGTH, 32, CONTROL, 13)                                                                                   \
    F(TPR_THRESHOLD, 32, CONTROL, 14)                                                                                  \
    F(PROC2_CONTROLS, 32, CONTROL, 15)                                                                                 \
    F(INSTRUCTION_ERROR, 32, EXIT_INFORMATION, 0)                                                                      \
    F(EXIT_REASON, 32, EXIT_INFORMATION, 1)                                                                            \
    F(EXIT_EVENT, 32, EXIT_INFORMATION, 2)                                                                             \
    F(EXIT_ERROR_CODE, 32, EXIT_INFORMATION, 3)                                                                        \
    F(VECTORING_EVENT, 32, EXIT_INFORMATION, 4)                                                                        \
    F(VECTORING_ERROR_CODE, 32, EXIT_INFORMATION, 5)                                                                   \
    F(EXIT_LENGTH, 32, EXIT_INFORMATION, 6)                                                                            \
    F(EXIT_INSTRUCTION, 32, EXIT_INFORMATION, 7)                                                                       \
    F(GUEST_ES_LIMIT, 32, GUEST, 0)                                                                                    \
    F(GUEST_CS_LIMIT, 32, GUEST, 1)                                                                                    \
    F(GUEST_SS_LIMIT, 32, GUEST, 2)                                                                                    \
    F(GUEST_DS_LIMIT, 32, GUEST, 3)                                                                                    \
    F(GUEST_FS_LIMIT, 32, GUEST, 4)                                                                                    \
    F(GUEST_GS_LIMIT, 32, GUEST, 5)                                                                                    \
    F(GUEST_LDTR_LIMIT, 32, GUEST, 6)                                                                                  \
    F(GUEST_TR_LIMIT, 32, GUEST, 7)                                                                                    \
    F(GUEST_GDTR_LIMIT, 32, GUEST, 8)                                                                                  \
    F(GUEST_IDTR_LIMIT, 32, GUEST, 9)                                                                                  \
    F(GUEST_ES_RIGHTS, 32, GUEST, 10)                                                                                  \
    F(GUEST_CS_RIGHTS, 32, GUEST, 11)                                                                                  \
    F(GUEST_SS_RIGHTS, 32, GUEST, 12)                                                                                  \
    F(GUEST_DS_RIGHTS, 32, GUEST, 13)                                                                                  \
    F(GUEST_FS_RIGHTS, 32, GUEST, 14)                                                                                  \
    F(GUEST_GS_RIGHTS, 32, GUEST, 15)                                                                                  \
    F(GUEST_LDTR_RIGHTS, 32, GUEST, 16)                                                                                \
    F(GUEST_TR_RIGHTS, 32, GUEST, 17)                                                                                  \
    F(GUEST_INTERRUPTIBILITY, 32, GUEST, 18)                                                                           \
    F(GUEST_ACTIVITY, 32, GUEST, 19)                                                                                   \
    F(GUEST_SYSENTER_CS, 32, GUEST, 21)                                                                                \
    F(HOST_SYSENTER_CS, 32, HOST, 0)                                                                                   \
    F(CR0_MASK, NATURAL, CONTROL, 0)                                                                                   \
    F(CR4_MASK, NATURAL, CONTROL, 1)                                                                                   \
    F(CR0_SHADOW, NATURAL, CONTROL, 2)                                                                                 \
    F(CR4_SHADOW, NATURAL, CONTROL, 3)                                                                                 \
    F(EXIT_QUALIFICATION, NATURAL, EXIT_INFORMATION, 0)                                                                \
    F(GUEST_LINEAR, NATURAL, EXIT_INFORMATION, 5)                                                                      \
    F(GUEST_CR0, NATURAL, GUEST, 0)                                                                                    \
    F(GUEST_CR3, NATURAL, GUEST, 1)                                                                                    \
    F(GUEST_CR4, NATURAL, GUEST, 2)                                                                                    \
    F(GUEST_ES_BASE, NATURAL, GUEST, 3)                                                                                \
    F(GUEST_CS_BASE, NATURAL, GUEST, 4)                                                                                \
    F(GUEST_SS_BASE, NATURAL, GUEST, 5)                                                                                \
    F(GUEST_DS_BASE, NATURAL, GUEST, 6)                                                                                \
    F(GUEST_FS_BASE, NATURAL, GUEST, 7)                                                                                \
    F(GUEST_GS_BASE, NATURAL, GUEST, 8)                                                                                \
    F(GUEST_LDTR_BASE, NATURAL, GUEST, 9)                                                                              \
    F(GUEST_TR_BASE, NATURAL, GUEST, 10)                                                                               \
    F(GUEST_GDTR_BASE, NATURAL, GUEST, 11)                                                                             \
    F(GUEST_IDTR_BASE, NATURAL, GUEST, 12)                                                                             \
    F(GUEST_DR7, NATURAL, GUEST, 13)                                                                                   \
    F(GUEST_RSP, NATURAL, GUEST, 14)                                                                                   \
    F(GUEST_RIP, NATURAL, GUEST, 15)                                                                                   \
    F(GUEST_RFLAGS, NATURAL, GUEST, 16)                                                                                \
    F(GUEST_PENDING_DEBUG, NATURAL, GUEST, 17)                                                                         \
    F(GUEST_SYSENTER_ESP, NATURAL, GUEST, 18)                                                                          \
    F(GUEST_SYSENTER_EIP, NATURAL, GUEST, 19)                                                                          \
    F(HOST_CR0, NATURAL, HOST, 0)                                                                                      \
    F(HOST_CR3, NATURAL, HOST, 1)                                                                                      \
    F(HOST_CR4, NATURAL, HOST, 2)                                                                                      \
    F(HOST_FS_BASE, NATURAL, HOST, 3)                                                                                  \
    F(HOST_GS_BASE, NATURAL, HOST, 4)                                                                                  \
    F(HOST_TR_BASE, NATURAL, HOST, 5)                                                                                  \
    F(HOST_GDTR_BASE, NATURAL, HOST, 6)                                                                                \
    F(HOST_IDTR_BASE, NATURAL, HOST, 7)                                                                                \
    F(HOST_SYSENTER_ESP, NATURAL, HOST, 8)                                                                             \
    F(HOST_SYSENTER_EIP, NATURAL, HOST, 9)                                                                             \
    F(HOST_RSP, NATURAL, HOST, 10)                                                                                     \
    F(HOST_RIP, NATURAL, HOST, 11)

#define VMCS_ENCODING(name, width, kind, number) VMCS_##name = VMCS_FIELD(VMCS_##width, VMCS_##kind, number),
enum vmcs_field { VMCS_FIELDS(VMCS_ENCODING) };
#undef VMCS_ENCODING

/* Fields that not all of these processors have: of PAUSE loops. */
#define VMCS_PAUSE_GAP    VMCS_FIELD(VMCS_32, VMCS_CONTROL, 16)
#define VMCS_PAUSE_WINDOW VMCS_FIELD(VMCS_32, VMCS_CONTROL, 17)

/* Some as appendix B prints them. */
_Static_assert(VMCS_GUEST_RIP == 0x681e && VMCS_HOST_RIP == 0x6c16 && VMCS_EPT_POINTER == 0x201a &&
                   VMCS_EXIT_REASON == 0x4402 && VMCS_GUEST_PHYSICAL == 0x2400 && VMCS_PROC2_CONTROLS == 0x401e &&
                   VMCS_GUEST_SYSENTER_CS == 0x482a && VMCS_EXIT_QUALIFICATION == 0x6400,
               "SDM vol. 3, appendix B");

#endif
