#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# snapshot and last-boot where the kernel may have neither; tests/vm has the kernels that have them.
# shellcheck disable=SC2154

load ../helper/live

@test "a kernel without snapshots says so in one line" {
	[ ! -e "$tracing/snapshot" ] || skip "this kernel has snapshots"
	dktrace set_param debug=info
	for action in take show free; do
		run -1 --separate-stderr dktrace snapshot $action
		same "" "$output" "nothing is printed"
		has_line 'this kernel has no snapshots$' <(echo "$stderr")
		same 1 "$(wc -l <<<"$stderr")" "one line"
	done
	run -0 dktrace status
	lacks "$output" snapshot
}

@test "last-boot says that no instance survives a reboot" {
	run -1 --separate-stderr dktrace -B "$DKTRACE_INSTANCE" last-boot
	has "$stderr" "there is no instance '$DKTRACE_INSTANCE'"
	dktrace set_param debug=info
	run -1 --separate-stderr dktrace -B "$DKTRACE_INSTANCE" last-boot
	has "$stderr" "the buffers of the instance '$DKTRACE_INSTANCE' do not survive a reboot"
	ls "$tracing"/instances/*/last_boot_info 2>/dev/null && skip "an instance does"
	run -1 --separate-stderr dktrace last-boot
	has "$stderr" "no instance has buffers that survive a reboot; 'dktrace boot-config --persistent SIZE'"
}

@test "boot-config --persistent prints the parameters of an instance that survives a reboot" {
	run -0 --separate-stderr dktrace boot-config --persistent 8M
	same "reserve_mem=8192K:2M:dktrace trace_instance=last-boot^traceoff@dktrace" \
		"$output" "parameters"
	has "$stderr" "dktrace last-boot --start"
	run -0 --separate-stderr dktrace -B box boot-config --persistent 8M --address 0x284500000
	has "$output" "memmap=8192K\$0x284500000 trace_instance=box^traceoff@0x284500000:8192K"
}

@test "boot-config --persistent refuses sizes and addresses that cannot be used" {
	for size in 1 4095K 100000G x -1 0; do
		run ! --separate-stderr dktrace boot-config --persistent=$size
		same "" "$output" "nothing is printed for $size"
	done
	run -1 --separate-stderr dktrace boot-config --persistent 8M --address 12
	has "$stderr" "must be multiples of"
	run -2 --separate-stderr dktrace boot-config --persistent 8M --address nowhere
	has "$stderr" "--address: 'nowhere' is not an address"
	run -1 --separate-stderr dktrace -B 'a b' boot-config --persistent 8M
	has "$stderr" "'a b' cannot be the name of an instance made at boot"
	run -2 --separate-stderr dktrace boot-config --persistent 8M debug=+ioctl
	has "$stderr" "makes the kernel forget the records of the boot before"
	run -2 --separate-stderr dktrace boot-config --address 0x1000
	has "$stderr" "--address goes with --persistent"
}
