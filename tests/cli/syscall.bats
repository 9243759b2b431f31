#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The name of a system call is that of its number on the machine that recorded it.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# Makes a trace.dat of the saved log's fsync calls, number 74, as if the named machine had recorded it.
# usage: recorded_on MACHINE FILE
recorded_on()
{
	dktrace convert -e 'syscalls:sys_*_fsync' "$capture" here.dat
	python3 - "Linux - - $(uname -m)" "$1" "$2" <<-'END'
		import sys
		own, machine, name = sys.argv[1:]
		data = open("here.dat", "rb").read()
		assert data.count(own.encode()) == 1
		other = f"L - - {machine}".encode().ljust(len(own), b"\n")
		assert len(other) == len(own)
		open(name, "wb").write(data.replace(own.encode(), other))
	END
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	recorded_on aarch64 arm.dat
	recorded_on s390x s390.dat
	recorded_on vax vax.dat
}

# The first column of the second line. usage: call COMMAND...
call()
{
	"$@" --csv | sed -n '2s/,.*//p'
}

@test "hist and latency name a call by the table of the file's machine" {
	same signalfd4 "$(call dktrace latency syscall --input arm.dat)" latency
	for file in arm.dat:signalfd4 s390.dat:sethostname 'vax.dat:syscall 74'; do
		same "${file#*:}" "$(call dktrace hist syscalls:sys_enter_fsync -k __syscall_nr.syscall \
			--input "${file%:*}")" "${file%:*}"
	done
}

@test "a filter takes the names of the file's machine and no others" {
	for call in signalfd4:1 fsync:0; do
		run -0 dktrace report arm.dat -e sys_enter_fsync --filter "__syscall_nr == ${call%:*}"
		same "${call#*:}" "${#lines[@]}" "records of ${call%:*}"
	done
	expect 1 '' "dktrace: filter: fsync is not a number, nor the name of one for __syscall_nr
  __syscall_nr == fsync
                  ^" dktrace report vax.dat -e sys_enter_fsync --filter '__syscall_nr == fsync'
}

@test "a converted file still knows its machine" {
	dktrace convert arm.dat again.dat
	same signalfd4 "$(call dktrace latency syscall --input again.dat)" latency
	# An unknown release is not printed.
	run -0 dktrace info again.dat
	lacks "$output" kernel
}

@test "a merged file has names if all its records are of one machine" {
	cp arm.dat again.dat
	dktrace merge --format trace.dat --output both.dat arm.dat again.dat
	same signalfd4 "$(call dktrace hist syscalls:sys_enter_fsync -k __syscall_nr.syscall --input both.dat)" one
	dktrace merge --format trace.dat --output both.dat arm.dat s390.dat
	same 'syscall 74' "$(call dktrace hist syscalls:sys_enter_fsync -k __syscall_nr.syscall --input both.dat)" two
}
