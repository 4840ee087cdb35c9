/* SPDX-License-Identifier: MIT */
/*
 * Whatever a device on PCI says of itself: what virtio_parts_find() finds lies in a base address that the device
 * decodes, is as large as its users believe, at most what it may be, and was found in bounded time; the base addresses
 * are as before. The first bytes are sizes of base addresses, the others patches to a valid configuration.
 */
#include <stdlib.h>

#include "board/pc/pci_parts.h"
#include "fake_pci.h"
#include "patch.h"

#define MOST_ACCESSES 2000u

/* Returns whether the part lies in a base address as it stands there. */
static bool is_decoded(const struct virtio_part *p)
{
    for (u32 i = 0; i < FAKE_BARS; i++) {
        u32 low = fake_word(PCI_BAR0 + 4 * i);
        bool wide = (low & 6) == 4 && i < FAKE_BARS - 1;
        u64 base = (low & ~15u) | (wide ? (u64)fake_word(PCI_BAR0 + 4 * i + 4) << 32 : 0);
        u64 size = fake_pci.size[i] ? fake_pci.size[i] : base & -base; /* what cannot be set keeps its lowest bit */
        if (!(low & PCI_BAR_IS_IO) && base && p->at >= base && p->at - base <= size && p->size <= size - (p->at - base))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const u32 least[PARTS] = { [PART_CONFIG] = 4, [PART_COMMON] = 56, [PART_INTERRUPT] = 1, [PART_BELLS] = 2 };
    struct virtio_parts found;
    u8 bars[24];
    if (size < FAKE_BARS)
        return 0;
    fake_virtio_pci(0x100000000ull);
    for (u32 i = 0; i < FAKE_BARS; i++)
        fake_pci.size[i] = data[i] ? 1ull << (4 + data[i] % 36) : fake_pci.size[i];
    patch(fake_pci.space, sizeof(fake_pci.space), data + FAKE_BARS, size - FAKE_BARS);
    /* A base address holds no bit that its size forbids. */
    for (u32 i = 0; i < FAKE_BARS; i++)
        pci_write(0, PCI_BAR0 + 4 * i, fake_word(PCI_BAR0 + 4 * i));
    memcpy(bars, fake_pci.space + PCI_BAR0, sizeof(bars));
    bool is = !virtio_parts_find(0, &found);
    if (fake_pci.accesses > MOST_ACCESSES || memcmp(bars, fake_pci.space + PCI_BAR0, sizeof(bars)))
        abort();
    for (unsigned i = 0; is && i < PARTS; i++)
        if (found.part[i].size < least[i] || found.part[i].size > (i == PART_BELLS ? 65536u : 256u) ||
            !is_decoded(&found.part[i]))
            abort();
    return 0;
}
