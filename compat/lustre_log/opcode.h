/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of Lustre's RPCs. */
#pragma once

#include <stdint.h>

/* Returns "OST_READ" for 3; NULL: unknown. */
const char *dkl_opcode_name(uint32_t opcode);

#define OPCODE_TEXT_SIZE 32

/* The name, or the number. */
void dkl_opcode_text(uint32_t opcode, char text[OPCODE_TEXT_SIZE]);
