# SPDX-License-Identifier: LGPL-2.1-or-later
# append: memmap=8192K$0x30000000 trace_instance=last-boot^traceoff@0x30000000:8192K
# reboots: 1
# machine: x86_64 other machines cannot keep memory across a reboot by memmap=
# programs: bash
# python: tests/tools/examples
# files: man/dktrace*.1 tests/live/examples.cases share/classes.d/* share/intervals.d/*
# The memory is at an address, where no kernel that moves at boot can overwrite it.
# The kernel crashes, boots again, and last-boot shows what it recorded until then.
# shellcheck shell=sh disable=SC2154

run dktrace boot-config --persistent 8M --address 0x30000000
status_is 0 "boot-config --persistent"
cp "$out" words
cp "$err" advice
has_line "dktrace last-boot --start" advice "says what to do after each boot"
kept=$tracing/instances/last-boot

if [ ! -e "$kept/last_boot_info" ]; then
	has_line 'this kernel ignores these parameters: buffers across reboots: not in this kernel' advice "an old kernel is told"
	run dktrace last-boot
	status_is 1 "last-boot without such an instance"
	has_line "^dktrace: no instance has buffers that survive a reboot; 'dktrace boot-config --persistent SIZE'" "$err" "which is said"
	run dktrace doctor
	has_line '^buffers across reboots +no ' "$out" "doctor tells"
	exit
fi
same "$(cat words)" "$(sed 's/.*\(memmap=\)/\1/' /proc/cmdline)" "the words are those of this boot"
no_line 'ignores' advice "which this kernel knows"
run dktrace doctor
has_line '^buffers across reboots +yes ' "$out" "doctor tells"

# The first boot: nothing is left of an earlier one. Record, then crash.
run dktrace last-boot
if grep -q 'has no records' "$err"; then
	status_is 1 "an exit status for it"
	has_line "^dktrace: the instance 'last-boot' has no records of the boot before this one$" "$err" "nothing is left"
	# Later kernels say nothing of memory that they use for the first time.
	grep -q 'delta' $kept/last_boot_info &&
		has_line "^dktrace: the kernel's log: Ring buffer .*meta.* mismatch.*; it emptied the buffer of cpu 1$" "$err" "and the kernel says why"
	same 0 "$(cat $kept/tracing_on)" "the instance begins stopped"
	run dktrace last-boot --start
	status_is 0 "record this boot"
	has_line "no event is enabled in 'last-boot'; 'dktrace -B last-boot set_param debug=" "$err" "which needs events"
	same 1 "$(cat $kept/tracing_on)" "it records"
	run dktrace -B last-boot set_param debug=0 debug=+ioctl
	status_is 0 "chosen by class"
	echo stacktrace >$kept/events/sched/sched_process_exec/trigger
	echo 1 >$kept/events/sched/sched_process_exec/enable
	dktrace -B last-boot mark 'the last words'
	/bin/true
	stty -F /dev/ttyS0 >/dev/null
	[ "$vm_failed" -eq 0 ] || exit
	echo c >/proc/sysrq-trigger
	sleep 60
	fail "the kernel crashes"
	exit
fi

# The second boot.
status_is 0 "last-boot"
cp "$out" first
cp "$err" first.err
has_line 'the last words' first "the mark before the crash"
has_line 'sys_enter_ioctl\(\)' first "events of that boot"
no_line "clock of that boot" first.err "with wall-clock times"
run dktrace last-boot --style json -e print
has_line '"wall":"2' "$out" "in JSON too"
run dktrace last-boot --since "$(date -d "@$(($(date +%s) - 600))" '+%Y-%m-%d %H:%M:%S')"
has_line 'the last words' "$out" "which can be selected"
run dktrace last-boot --since "$(date -d "@$(($(date +%s) + 600))" '+%Y-%m-%d %H:%M:%S')"
no_line 'the last words' "$out" "and left out"
run dktrace last-boot
cmp -s first "$out"
same 0 $? "the same again"
run dktrace last-boot --style trace
has_line 'the last words' "$out" "in another style"
has_line ' dktrace-[0-9].*the last words' "$out" "a process has the name that its records tell"
has_line '<\.\.\.>-[0-9]' "$out" "and no name of this boot's"
has_line 'bprm_execve|do_execve' "$out" "a stack of that boot has the names of functions"
cp "$out" trace
# The kernel moved: the names are not those of the addresses as they are now.
run dktrace last-boot --style json -e kernel_stack
has_line '__x64_sys_exec' "$out" "the stack in another style"
run dktrace last-boot --filter 'cmd == 0x5401' -e sys_enter_ioctl
has_line 'cmd: 0x00005401' "$out" "a filter"
no_line 'the last words' "$out" "leaves the rest out"
run dktrace last-boot --format trace.dat last.dat
status_is 0 "kept in a file"
run dktrace report --style trace last.dat
has_line 'the last words' "$out" "which has the records"
has_line 'bprm_execve|do_execve' "$out" "and names"

run_examples vm/t-last-boot.sh /vm/tree/man/dktrace-last-boot.1 /vm/tree/man/dktrace.1

# Recording this boot does not touch what was read.
run dktrace last-boot --start
status_is 0 "record this boot"
run dktrace -B last-boot set_param debug=0 debug=+ioctl
status_is 0 "with these events"
run dktrace -B last-boot mark 'of this boot'
run dktrace last-boot
has_line 'the last words' "$out" "the last boot's records are still there"
no_line 'of this boot' "$out" "without those of this boot"
run dktrace -B last-boot show
has_line 'of this boot' "$out" "show prints this boot's"
no_line 'the last words' "$out" "and only these"
run dktrace last-boot --clear
has_line 'the last words' "$out" "printed once more"
run dktrace last-boot
status_is 1 "nothing is left"
has_line "has no records of the boot before this one$" "$err" "after --clear"
run dktrace -B last-boot show
has_line 'of this boot' "$out" "this boot's records are still there"
run dktrace -B last-boot snapshot take
status_is 1 "no snapshot of such an instance"
has_line "takes no snapshots of 'last-boot', whose buffers survive a reboot" "$err" "which is said"
run dktrace -B last-boot set_param debug=+vfstrace
status_is 0 "a change of it"
run dktrace -B last-boot status
run dktrace -B last-boot reset
status_is 1 "reset cannot remove it"
has_line "the kernel made 'last-boot' at boot and does not remove it" "$err" "which is said"
