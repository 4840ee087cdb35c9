/* SPDX-License-Identifier: MIT */
/*
 * frames.h with a hostile neighbour: each three bytes are something that it writes, into the words of either end, into
 * a slot's length, or a step of the honest end. Nothing outside the memory is touched, a frame has the length of one,
 * and one look takes at most a ring.
 */
#include <frames.h>
#include <stdlib.h>

#define SIZE (FRAMES_SLOTS_AT + 8 * FRAMES_SLOT_SIZE)

static void step(struct frames *f, const uint8_t p[3])
{
    size_t length;
    uint32_t before = f->taken;
    const uint8_t *at;
    uint8_t *to;
    switch (p[0] % 3) {
    case 0:
        at = frames_look(f, &length);
        if (at && (length < FRAMES_SHORTEST || length > FRAMES_LONGEST))
            abort();
        if (!f->emptied_in && f->taken - before > f->slots)
            abort();
        for (size_t i = 0; at && i < length; i++)
            ((volatile uint8_t *)(uintptr_t)at)[i];
        if (at)
            frames_taken(f);
        break;
    case 1:
        if ((to = frames_room(f)))
            memset(to, p[1], FRAMES_LONGEST);
        if (to)
            frames_put(f, p[1] | (size_t)p[2] << 8);
        break;
    default: frames_bell(f), frames_sleep(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frames f;
    uint8_t *memory = aligned_alloc(64, SIZE); /* of that size exactly: ASan has its end */
    memset(memory, 0, SIZE);
    if (size && !frames_begin(&f, memory, SIZE, data[0] & 1))
        abort();
    for (size_t i = 1; i + 2 < size; i += 3) {
        uint32_t *words = (uint32_t *)memory, value = data[i + 2];
        if (data[i] < 96)
            words[data[i + 1] % (FRAMES_SLOTS_AT / 4)] = data[i] < 32   ? f.put + value - 4
                                                         : data[i] < 64 ? f.taken + value
                                                                        : value << 24;
        else if (data[i] < 128)
            f.in[data[i + 1] % f.slots].length = (uint16_t)(value * 257);
        else
            step(&f, data + i);
    }
    free(memory);
    return 0;
}
