/* SPDX-License-Identifier: MIT */
/* coherence_mesh.h - see coherence_mesh.c. */
#ifndef AMALGAM_COHERENCE_MESH_H
#define AMALGAM_COHERENCE_MESH_H

#include <stdbool.h>
#include <stdint.h>

#define MESH_CORES 48

/* Read an option, mpb= or dram=. Returns false if it is none, cannot be, or the board has `cores` that the chip has
 * not. */
bool mesh_option(const char *word, unsigned cores);
/* Returns what a fill of the line at `at` costs the core, in its cycles; `otherwise`, if no option has that address. */
uint64_t mesh_fill(unsigned core, uint64_t at, uint64_t otherwise);

#endif
