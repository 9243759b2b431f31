#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A command whose memory runs out reports it: each allocation of the tool fails in turn.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# bats file_tags=plain

# Allocations that the program itself asks for; those of other libraries succeed.
setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	! sanitized || skip "the sanitizer has an allocator of its own"
	cat >failing.c <<-'END'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <link.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		void *__libc_malloc(size_t n);
		void *__libc_calloc(size_t n, size_t size);
		void *__libc_realloc(void *old, size_t n);
		static char *begin, *end;
		static long left;
		static int find(struct dl_phdr_info *info, size_t size, void *data)
		{
			for (int i = 0; i < info->dlpi_phnum; i++)
				if (info->dlpi_phdr[i].p_flags & PF_X) {
					begin = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
					end = begin + info->dlpi_phdr[i].p_memsz;
				}
			return 1;
		}
		__attribute__((constructor)) static void start(void)
		{
			dl_iterate_phdr(find, NULL);
			left = atol(getenv("FAILING"));
		}
		__attribute__((destructor)) static void stop(void)
		{
			if (left > 0)
				fputs("enough\n", stderr);
		}
		#define FAILS(call) \
			((char *)__builtin_return_address(0) >= begin && \
			 (char *)__builtin_return_address(0) < end && !--left ? \
				 (errno = ENOMEM, (void *)0) : (call))
		void *malloc(size_t n)
		{
			return FAILS(__libc_malloc(n));
		}
		void *calloc(size_t n, size_t size)
		{
			return FAILS(__libc_calloc(n, size));
		}
		void *realloc(void *old, size_t n)
		{
			return FAILS(__libc_realloc(old, n));
		}
		char *strdup(const char *text)
		{
			size_t n = strlen(text) + 1;
			char *copy = FAILS(__libc_malloc(n));

			return copy ? memcpy(copy, text, n) : NULL;
		}
	END
	"${CC:-cc}" -shared -fPIC -o failing.so failing.c || skip "no compiler"
}

# Runs a command until it has enough memory. usage: fails_well COMMAND...
fails_well()
{
	for ((nr = 1; nr < 1000; nr++)); do
		run --separate-stderr env FAILING=$nr LD_PRELOAD=./failing.so "$@"
		[[ $stderr != *enough* ]] || break
		echo "allocation $nr: status $status: $stderr"
		((status < 128))
		((!status)) || [[ $stderr == *memory* ]]
	done
	((nr > 20 && nr < 1000))
}

@test "a command without memory reports it and does not crash" {
	fails_well dktrace report "$top/tests/fixture/text/graph-6.1.txt"
	fails_well dktrace info "$top/tests/fixture/text/graph-6.1.txt"
}
