#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that look like the dump of a kernel, but are none that can be read. tests/vm has real ones.

# shellcheck disable=SC2154 # set by bats
load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# Writes bytes given in hexadecimal.
hex()
{
	# shellcheck disable=SC2059 # the escapes are the format
	printf "$(echo "$*" | tr -d ' ' | sed 's/../\\x&/g')"
}

# refuse FILE WORDS: report fails with these words. Skips if the tool cannot read dumps at all.
refuse()
{
	run --separate-stderr dktrace report "$1"
	[ "$status" -eq 1 ]
	[[ $stderr != *"is read with libkdumpfile, which"* ]] || skip "$stderr"
	echo "$stderr"
	[ "$stderr" = "dktrace: $2" ]
	[ -z "$output" ]
}

# core TYPE: an ELF core with one note of that type, and a page of memory.
core()
{
	hex 7f454c46 02 01 01 00 0000000000000000 0400 3e00 01000000 0000000000000000
	hex 4000000000000000 0000000000000000 00000000 4000 3800 0200 0000 0000 0000
	hex 04000000 00000000 b000000000000000 0000000000000000 0000000000000000
	hex 1800000000000000 1800000000000000 0000000000000000
	hex 01000000 00000000 0010000000000000 0000000000000000 0000000000000000
	hex 0010000000000000 0010000000000000 0010000000000000
	hex 05000000 04000000 "$1" 434f524500000000 00000000
	head -c 8000 /dev/zero
}

@test "the core file of a program is refused" {
	core 06000000 >core
	refuse core "read core: it is the core file of a program, not of a kernel"
}

@test "a core without VMCOREINFO is refused" {
	core 78563412 >core
	refuse core "read core: it has no VMCOREINFO note, which says where the kernel is in memory; a dump by qemu has one if the guest has -device vmcoreinfo and the module qemu_fw_cfg"
}

@test "a core with tables beyond its end is refused" {
	core 78563412 >core
	hex eb | dd of=core bs=1 seek=45 conv=notrunc status=none
	refuse core "read core: the ELF header is invalid, or the file is truncated before its tables"
	core 78563412 | head -c 20 >core
	run --separate-stderr dktrace report core
	[ "$status" -eq 1 ]
	core 78563412 | head -c 100 >core
	refuse core "read core: the ELF header is invalid, or the file is truncated before its tables"
}

@test "a compressed dump that ends within its header is refused" {
	printf 'KDUMP   ' >dump
	head -c 92 /dev/zero >>dump
	run --separate-stderr dktrace report dump
	[ "$status" -eq 1 ]
	[[ $stderr == "dktrace: read dump: "* ]]
	head -c 8092 /dev/zero >>dump
	run --separate-stderr dktrace report dump
	[ "$status" -eq 1 ]
	[[ $stderr == "dktrace: read dump: "* ]]
}

@test "a flattened dump that is cut or has invalid pieces is refused" {
	printf 'makedumpfile' >flat
	head -c 4084 /dev/zero >>flat
	refuse flat "the file is truncated: read flat: Unknown file format"
	cp flat bad
	hex 0000000000000000 fffffffffffffff0 >>bad
	refuse bad "read bad: invalid piece at byte 4096"
	hex fffffffffffffff0 0000000000000001 >>flat
	refuse flat "read flat: invalid piece at byte 4096"
}

@test "a flattened dump needs a directory for its copy" {
	printf 'makedumpfile' >flat
	head -c 4084 /dev/zero >>flat
	TMPDIR=/nowhere refuse flat "create a file in /nowhere: No such file or directory"
}
