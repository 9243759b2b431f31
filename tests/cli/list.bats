#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# list, status and doctor on a recorded tree, as text and as JSON.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	export DKTRACE_ROOT=$capture DKTRACE_INSTANCE=dkt-test-cli-$$
}

@test "list classes prints all 32 with their masks" {
	run -0 dktrace list classes
	same 33 "${#lines[@]}" "lines"
	has "${lines[0]}" "NAME"
	same "trace 00000001" "$(echo "${lines[1]}" | awk '{ print $1, $2 }')" "first"
	same "vfstrace 00200000" "$(printf '%s\n' "$output" | awk '$1 == "vfstrace" { print $1, $2 }')" "vfstrace"
	run -0 dktrace list classes 'rpc*' IOCTL
	same 3 "${#lines[@]}" "lines chosen"
	run -0 dktrace list --json classes
	echo "$output" | jq -e '.classes | length == 32 and all(.[]; (.events | type) == "number" and (.mask | type) == "number")'
	echo "$output" | jq -e '.classes | map(select(.name == "vfstrace").mask) == [2097152]'
	run -0 dktrace list classes trace --csv
	same 'name,mask,events,description' "${lines[0]}" "head"
	has "${lines[1]}" 'trace,1,'
}

@test "every class lists its events or says that it has none" {
	run -0 dktrace list classes --json
	echo "$output" | jq -e '.classes | all(.[]; .description | length > 10)'
}

@test "list subsystems prints all with their masks" {
	run -0 dktrace list subsystems -J
	echo "$output" | jq -e '.subsystems | map(.name) | index("ldlm") != null and index("osd") != null'
}

@test "list events and list fields select by glob" {
	run -0 dktrace list events 'syscalls:*_ioctl'
	same "syscalls:sys_enter_ioctl syscalls:sys_exit_ioctl" \
		"$(printf '%s\n' "$output" | awk 'NR > 1 { print $1 }' | sort | paste -sd' ')" "events"
	run -0 dktrace list -J events 'syscalls:*_ioctl'
	echo "$output" | jq -e '.events | all(.[]; .classes | contains("ioctl"))'
	run -0 dktrace list fields syscalls:sys_enter_ioctl --json
	echo "$output" | jq -e '.fields | map(.field) | index("cmd") and index("common_pid")'
	echo "$output" | jq -e '.fields[] | select(.field == "common_pid") | .signed == true and .offset == 4 and .size == 4'
	expect 0 "" "dktrace: nothing matches" dktrace list events 'no:such*'
	run -0 dktrace list fields syscalls:sys_enter_ioctl --csv
	has "$output" "
syscalls:sys_enter_ioctl,common_pid,int,4,4,true"
	expect 0 event,classes,subsystems,description "" dktrace list events 'no:such*' --csv
	run -0 dktrace list events 'no:such*' --json
	echo "$output" | jq -e '.events == []'
}

@test "list counts prints each ready-made count once, with what the kernel lacks" {
	run -0 dktrace list counts
	has "$output" "fsyncs        common_pid.execname,event"
	run -0 dktrace list counts --json
	echo "$output" | jq -e '.counts | map(.name) | length > 15 and length == (unique | length)'
	echo "$output" | jq -e '.counts[] | select(.name == "nfs-calls") | .description | contains("does not have the events")'
	# The kernel of the tree lacks the first events of this name.
	echo "$output" | jq -e '.counts[] | select(.name == "calls") | .events == "syscalls:sys_enter_*"'
	run -0 dktrace list counts 'disk-*' --csv
	same 4 "${#lines[@]}" "lines chosen"
}

@test "no ready-made count has the name of a class, a subsystem or a system of events" {
	dktrace list counts --csv | sed '1d; s/,.*//' | sort >"$BATS_TEST_TMPDIR/counts"
	{
		dktrace list classes --csv | sed '1d; s/,.*//'
		dktrace list subsystems --csv | sed '1d; s/,.*//'
		sed 's/:.*//' "$top"/tests/fixture/available_events-*
	} | sort -u >"$BATS_TEST_TMPDIR/taken"
	at_least 100 "$(wc -l <"$BATS_TEST_TMPDIR/taken")" "names"
	same "" "$(comm -12 "$BATS_TEST_TMPDIR/counts" "$BATS_TEST_TMPDIR/taken")" "names that mean two things"
}

@test "status of a log that was never started says so" {
	run -0 dktrace status
	same "instance         $DKTRACE_INSTANCE (not started: set_param debug=... starts it)" "${lines[0]}" "first line"
	run -0 dktrace status --json
	echo "$output" | jq -e --arg name "$DKTRACE_INSTANCE" \
		'.instance == $name and .started == false and .cpus == [] and .interrupted == false and .debug_filter == "none" and .debug_mb > 0'
	run -0 dktrace status --csv
	same "key,value
instance,$DKTRACE_INSTANCE
started,false" "$(printf '%s\n' "${lines[@]:0:3}")" "CSV"
}

@test "doctor reports tracefs, privileges, features and Lustre" {
	run -0 dktrace doctor
	has "${lines[0]}" "WHAT"
	has "$output" "lustre loaded"
	run -0 dktrace doctor --json
	echo "$output" | jq -e '.checks | length > 10 and all(.[]; .ok | type == "boolean")'
	echo "$output" | jq -e '.checks[] | select(.what == "tracefs") | .ok'
	run -0 dktrace doctor --csv
	same "tracefs,true,$DKTRACE_ROOT" "${lines[1]}" "CSV"
}

@test "list fails if DKTRACE_ROOT is not a tracefs" {
	export DKTRACE_ROOT=$BATS_TEST_TMPDIR/none
	expect 1 "" "dktrace: open $DKTRACE_ROOT: No such file or directory" dktrace list events
	mkdir "$DKTRACE_ROOT"
	run -1 --separate-stderr dktrace list events
	has "$stderr" "dktrace: list events: open $DKTRACE_ROOT/available_events: No such file or directory"
	run -0 dktrace doctor
}

@test "a class map that cannot be read is named with its line" {
	mkdir "$BATS_TEST_TMPDIR/classes.d"
	printf 'classes:\n  nosuchclass:\n    - events: [x:y]\n' >"$BATS_TEST_TMPDIR/classes.d/bad.yaml"
	DKTRACE_CLASSES=$BATS_TEST_TMPDIR/classes.d run -1 --separate-stderr dktrace list classes
	has "$stderr" "bad.yaml:2:"
	DKTRACE_CLASSES=$BATS_TEST_TMPDIR/classes.d run -1 --separate-stderr dktrace dk --input "$capture"
	has "$stderr" "bad.yaml:2:"
}
