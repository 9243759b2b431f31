/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the places where loaded modules call a function, in the machine code of the running kernel.
 */
#pragma once

#include "lustre/message/cdebug.h"

/* Offsets of the calls of target in code that lies at the address; at most that many. */
size_t call_sites_in(enum cdebug_machine machine, const uint8_t *code, size_t len, uint64_t address,
		     uint64_t target, uint32_t *offsets, size_t most);

/*
 * Calls of libcfs's function in those of the named functions that are in loaded modules, as
 * "MODULE:FUNCTION+0xOFFSET" in a list that ends with NULL; the caller frees it and its strings.
 * An empty list if there are none, or if the kernel does not let itself be read.
 */
int call_sites(const char *callee, const char *const *callers, size_t n, char ***places);

void call_sites_free(char **places);
