/* SPDX-License-Identifier: MIT */
/* clocks.h - what the files of the plugin `clocks` share. */
#ifndef AMALGAM_PLUGIN_CLOCKS_H
#define AMALGAM_PLUGIN_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* What a hart has given: a ring, or a flag by its last store there. */
struct stamp {
    uint64_t path;
    unsigned from; /* the hart + 1; 0: nothing is there to take */
};

/* Take an option flag=LO:HI. Returns whether it is one. */
bool flag_option(const char *word);
/* Returns whether there was such an option. */
bool flags_given(void);
/* Returns the stamp of the word at a physical address; NULL: it is no flag. */
struct stamp *flag_at(uint64_t at);

/* Take an option store=LO:HI:EVERY. Returns whether it is one. */
bool store_option(const char *word);
/* Returns whether there was such an option, and whether a store to a physical address is one that is told. */
bool stores_told(void);
bool store_is_told(uint64_t at);

/* Returns the word at a physical address of the board's memory, which begins at `base` and lies in a memfd of this
 * process: the emulator's -object memory-backend-memfd. The interface for plugins tells no values (QEMU 7.2). What is
 * no such memory ends the emulator with a message. */
uint32_t memory_word(uint64_t base, uint64_t at);

#endif
