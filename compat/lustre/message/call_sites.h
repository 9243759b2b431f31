/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the places where loaded modules call a function, in the machine code of the running kernel.
 */
#pragma once

#include "compat/lustre/message/cdebug.h"

/* Finds calls of target in code that is loaded at address. Returns their number, up to most. */
size_t dkl_call_sites_in(enum cdebug_machine machine, const uint8_t *code, size_t len,
			 uint64_t address, uint64_t target, uint32_t *offsets, size_t most);

/*
 * Finds the calls of the callee in those of the callers that are in loaded modules. *places is a
 * list of "MODULE:FUNCTION+0xOFFSET" that ends with NULL, to be freed by dkl_call_sites_free(). It is
 * empty if there are no such calls, or if this process cannot read the kernel's memory.
 */
int dkl_call_sites(const char *callee, const char *const *callers, size_t n, char ***places);

void dkl_call_sites_free(char **places);
