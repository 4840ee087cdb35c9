/* SPDX-License-Identifier: MIT */
/*
 * table.c - checks that this is the partition table (partition/table.h) as the host's compiler wrote it, which has
 * checked the system. table_records.c checks the contents.
 */
#include <partition/pt.h>

/* Without CONFIG_TABLE_CHECK a table with the right CRC is taken to be the host compiler's. */
__optional int table_records_check(void) { return 0; }

#define IMAGE_MAX 0x10000000u

/* IEEE 802.3, bit by bit, because this runs once. The bytes of the CRC itself count as zero. */
static __init_text u32 table_crc(const u8 *p, u32 n)
{
    u32 crc = 0xffffffffu;
    for (u32 i = 0; i < n; i++) {
        crc ^= i - offsetof(struct pt_header, crc32) < 4 ? 0 : p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

__init_text int table_check(void)
{
    const struct pt_header *h = pt();

    if (h->magic != PT_MAGIC || h->version != PT_VERSION || h->header_size != sizeof(*h) || h->image_size > IMAGE_MAX ||
        h->table_size > h->image_size || h->table_size < sizeof(*h))
        return 1;
    if (table_crc((const u8 *)h, h->table_size) != h->crc32)
        return 2;
    return table_records_check();
}
