/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of Lustre's RPCs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns "OST_READ" for 3; NULL: unknown. */
const char *dkl_opcode_name(uint32_t opcode);

/* Sets the number of "OST_READ" or "ost_read", or of a number. False: there is no such name. */
bool dkl_opcode_find(const char *text, uint32_t *opcode);

/* True for a request that a server sends to its client, such as LDLM_BL_CALLBACK. */
bool dkl_opcode_is_callback(uint32_t opcode);

#define OPCODE_TEXT_SIZE 32

/* The name, or the number. */
void dkl_opcode_text(uint32_t opcode, char text[OPCODE_TEXT_SIZE]);
