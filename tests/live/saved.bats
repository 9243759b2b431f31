#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# save writes the settings to a file, and apply restores them, all or nothing.

# shellcheck disable=SC2154 # set by bats and helper/live.bash
load ../helper/live

params="debug subsystem_debug printk debug_mb debug_filter"

# Lists the filters. The numbers of those on all events also count events that other tests create and remove meanwhile:
# such an event is off, and once it is gone it lacks the fields of the filter.
filters()
{
	dktrace filter list --json | jq -c '.filters[] | if .events == "all" then del(.off, .without) else . end'
}

@test "save names the file that it chooses, and a directory that it creates" {
	need_namespace
	lctl set_param debug=ioctl
	expect 0 "" "dktrace: the directory $tmp/new is new" dktrace save "$tmp/new/conf"
	expect 0 "" "" dktrace save "$tmp/new/conf"
	expect 0 "" "dktrace: the directory /etc/dktrace is new
dktrace: the settings are in /etc/dktrace/dktrace.conf" apart sh -c 'mount -t tmpfs none /etc && exec dktrace save'
}

@test "save writes the settings that apply restores" {
	local before

	set_param debug=+rpctrace+ioctl-error subsystem_debug='osd llite' printk=emerg+warning debug_mb=6 \
		debug_filter='common_pid != 0 && COMM != "a = b"' 2>/dev/null
	# shellcheck disable=SC2086
	before=$(lctl get_param $params)
	expect 0 "" "" dktrace save "$tmp/conf"
	cat "$tmp/conf"
	dktrace reset
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	# shellcheck disable=SC2086
	expect 0 "$before" "" lctl get_param $params
	# A mask without the floor, all, and 0 have no names that say it.
	for mask in 0 all 0x5 -1; do
		set_param debug=$mask subsystem_debug=$mask 2>/dev/null
		before=$(lctl get_param debug subsystem_debug)
		dktrace save "$tmp/conf"
		set_param debug=inode subsystem_debug=mds
		dktrace apply "$tmp/conf" 2>/dev/null
		expect 0 "$before" "" lctl get_param debug subsystem_debug
	done
}

@test "save keeps comments and the order of lines" {
	printf '%s\n' '# of this site' 'debug_mb = 99' '' '# masks' 'debug = all' 'real_lctl = /sbin/lctl' \
		"instance = $DKTRACE_INSTANCE" 'debug_filter = a == 1' >"$tmp/conf"
	set_param debug=ioctl
	expect 0 "" "" dktrace save "$tmp/conf"
	same "# of this site

# masks
debug = ioctl warning error emerg console
real_lctl = /sbin/lctl
instance = $DKTRACE_INSTANCE
debug_filter = none
subsystem_debug = all
printk = warning error emerg console" "$(cat "$tmp/conf")" "the file"
	# An invalid file is not overwritten.
	echo 'debg = 1' >"$tmp/conf"
	run -1 --separate-stderr dktrace save "$tmp/conf"
	has "$stderr" "conf:1:1: unknown setting 'debg'; did you mean debug?"
	same "debg = 1" "$(cat "$tmp/conf")" "the file"
}

@test "the environment overrides the instance that the file names" {
	local name=$DKTRACE_INSTANCE

	printf 'instance = %s\ndebug = ioctl\n' "$name" >"$tmp/conf"
	run -0 env -u DKTRACE_INSTANCE dktrace apply "$tmp/conf"
	has "$(dktrace get_param debug)" "debug=ioctl"
	printf 'instance = %s-other\ndebug = inode\n' "$name" >"$tmp/conf"
	run -0 dktrace apply "$tmp/conf"
	has "$(dktrace get_param debug)" "debug=inode"
	gone "$instance-other"
}

@test "apply changes nothing if a part fails" {
	local before after line

	set_param debug=ioctl debug_mb=4 debug_filter='common_pid != 0' 2>/dev/null
	before=$(knobs; cat "$state/settings")
	for line in 'subsystem_debug = osd,nosuch' 'printk = +' 'debug_mb = many' 'debug_filter = cmd == ' 'debg = 1'; do
		printf 'debug = +vfstrace\ndebug_mb = 8\n' | grep -v "^${line%% *} " >"$tmp/conf"
		echo "$line" >>"$tmp/conf"
		run ! dktrace apply "$tmp/conf"
		has "$output" "$tmp/conf:"
		after=$(knobs; cat "$state/settings")
		same "$before" "$after" "what is set after $line"
	done
	expect 22 "" "dktrace: $tmp/conf:2:10: unknown mask 'vfstrac'; did you mean vfstrace?" \
		sh -c 'printf "#\ndebug = +vfstrac\n" >"$0"; dktrace apply "$0"' "$tmp/conf"
	expect 2 "" "dktrace: open $tmp/none: No such file or directory" dktrace apply "$tmp/none"
	# Nothing is made for one that fails.
	dktrace reset
	run ! dktrace apply "$tmp/conf"
	gone "$instance"
}

@test "save and apply restore filters and triggers after a reset" {
	local before

	only vfstrace 2>/dev/null
	dktrace filter set 'sched:sched_process_*' 'comm ~ "dk*" && pid > 1'
	dktrace filter set module 'name == "x # y"' || dktrace filter set info 'comm == "x # y"'
	dktrace filter set --cpu 0
	dktrace filter set --comm 'dkt*'
	dktrace trigger add sched:sched_process_exec traceoff:1 --filter 'comm == dkt-none || pid == -1'
	dktrace trigger add 'sched:sched_process_*' stacktrace
	dktrace trigger add sched:sched_process_fork 'enable_event:sched:sched_switch:5' --filter 'child_pid == 7'
	before=$(filters; dktrace trigger list; knobs; dktrace status | grep -E '^(filter|trigger|cpus)')
	has "$before" "stacktrace"
	has "$before" "x # y"
	expect 0 "" "" dktrace save "$tmp/conf"
	grep -E '^(cpus|filter|trigger) = ' "$tmp/conf"
	grep -Fqx 'cpus = 0' "$tmp/conf"
	grep -Fqx 'filter = sched:sched_process_* comm ~ "dk*" && pid > 1' "$tmp/conf"
	grep -Fqx 'trigger = sched:sched_process_exec traceoff:1 if comm == "dkt-none" || pid == -1' "$tmp/conf"
	dktrace reset
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	has "$output" 'filter=sched:sched_process_* comm ~ "dk*" && pid > 1'
	same "$before" "$(filters; dktrace trigger list; knobs; dktrace status | grep -E '^(filter|trigger|cpus)')" "after reset and apply"
	# A second time nothing is new, and saving it gives the same file.
	cp "$tmp/conf" "$tmp/first"
	run -0 dktrace apply "$tmp/conf"
	same "$before" "$(filters; dktrace trigger list; knobs; dktrace status | grep -E '^(filter|trigger|cpus)')" "after one more apply"
	expect 0 "" "" dktrace save "$tmp/conf"
	same "$(cat "$tmp/first")" "$(cat "$tmp/conf")" "the file"
	# A removed setting is removed from the file.
	dktrace trigger del 'sched:*' stacktrace
	dktrace filter clear
	expect 0 "" "" dktrace save "$tmp/conf"
	same "$(grep -c '^trigger' "$tmp/first") 2" "$(($(grep -c '^trigger' "$tmp/conf") + $(grep -c stacktrace "$tmp/first"))) $(grep -c '^trigger' "$tmp/conf")" "lines of triggers"
	no_line '^(filter|cpus) ' "$tmp/conf"
}

@test "save and apply restore probes, their filters and their triggers" {
	local before group=dkt_test_$$_$BATS_TEST_NUMBER program=$tmp/probe-target

	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	# Others may run the same programs, and probes are on all that run one.
	cp "$tools"/probe-target "$tools"/probe-target-O0 "$tmp"
	set_param debug=0
	dktrace probe add --enable -g "$group" -x "$program" target number 'outer->in->text *pos'
	dktrace probe add -g "$group" -x "$program" --name back target%return '$retval'
	dktrace probe add --enable -g "$group" -x "$program-O0" 'mai?'
	dktrace filter set "$group:target" 'number > 7'
	dktrace trigger add "$group:target" stacktrace
	before=$(grep "$group" $tracing/uprobe_events | sort; filters; dktrace trigger list; knobs)
	expect 0 "" "" dktrace save "$tmp/conf"
	sed -n 's/^probe = //p' "$tmp/conf"
	same "target number outer->in->text *pos --exec $program --group $group --name target
target%return \$retval --exec $program --group $group --name back --off
mai? --exec $program-O0 --group $group --name main" "$(sed -n 's/^probe = //p' "$tmp/conf")" "lines"
	dktrace reset
	same '' "$(grep "$group" $tracing/uprobe_events || true)" "after reset"
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	has "$output" "probe=target number outer->in->text *pos --exec"
	same "$before" "$(grep "$group" $tracing/uprobe_events | sort; filters; dktrace trigger list; knobs)" "after apply"
	run -0 "$program" 3
	same 'number=8 text="inner"' "$(dktrace show --style trace 2>/dev/null | grep -o 'number=8 text="[a-z]*"')" "records"
	# Applied and saved again, nothing changes. Events enabled by hand are set as in the file.
	dktrace probe disable 'targ*'
	run -0 dktrace apply "$tmp/conf"
	same "$before" "$(grep "$group" $tracing/uprobe_events | sort; filters; dktrace trigger list; knobs)" "after one more apply"
	cp "$tmp/conf" "$tmp/first"
	expect 0 "" "" dktrace save "$tmp/conf"
	same "$(cat "$tmp/first")" "$(cat "$tmp/conf")" "the file"
}

@test "apply creates a probe by its definition, and undoes everything if one fails" {
	local before group=dkt_test_$$_$BATS_TEST_NUMBER program=$tmp/probe-target line

	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	# Others may run the same programs, and probes are on all that run one.
	cp "$tools"/probe-target "$tools"/probe-target-O0 "$tmp"
	only ioctl
	line=$(dktrace probe add --dry-run -g "$group" -x "$program" target number)
	printf 'probe = %s --off\n' "$line" >"$tmp/conf"
	run -0 dktrace apply "$tmp/conf"
	has "$(cat $tracing/uprobe_events)" "p:$group/target "
	before=$(grep "$group" $tracing/uprobe_events; knobs; cat "$state/settings" "$state/probes")
	while IFS= read -r line; do
		printf 'debug = +vfstrace\nprobe = main --exec %s --group %s\n%s\n' "$program" "$group" "$line" >"$tmp/wrong"
		run ! dktrace apply "$tmp/wrong"
		has "$output" "$tmp/wrong:3:"
		same "$before" "$(grep "$group" $tracing/uprobe_events; knobs; cat "$state/settings" "$state/probes")" "after $line"
	done <<END
probe = target nosuch --exec $program --group $group
probe = target number --exec $program --group $group --nme x
probe = target number --group
probe = --off
probe = target outer->name --exec $program --group $group --name target
probe = p:$group/target $program:0x10 number=%di
filter = $group:target nofield == 1
pids = 1,x
graph = --depth 3
END
	# A line whose object may still come is skipped, kept by save, and set once the object exists.
	printf 'probe = target number --exec %s --group %s --name later\n' "$tmp/prog" "$group" >>"$tmp/conf"
	echo "filter = $group:later number == 8" >>"$tmp/conf"
	for _ in 1 2; do
		run -0 --separate-stderr dktrace apply "$tmp/conf"
		has "$stderr" "skipped: open $tmp/prog: No such file"
		has "$stderr" "skipped: '$group:later' is not a class"
		expect 0 "" "" dktrace save "$tmp/conf"
		same 2 "$(grep -c '^# Its object did not exist' "$tmp/conf")" comments
		same 1 "$(grep -c "^filter = $group:later number == 8" "$tmp/conf")" "lines kept"
		same 1 "$(grep -c "^probe = target .*--name later" "$tmp/conf")" "lines kept"
	done
	cp "$program" "$tmp/prog"
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	run ! grep "skipped" <<<"$stderr"
	has "$(cat $tracing/uprobe_events)" "p:$group/later $tmp/prog"
	has "$(dktrace filter list)" "$group:later"
	expect 0 "" "" dktrace save "$tmp/conf"
	no_line '^#' <(sed 1d "$tmp/conf")
}

@test "after kill -9 at any moment, the next apply sets everything, and reset leaves no probe" {
	local delay i group=dkt_test_$$_$BATS_TEST_NUMBER program=$tmp/probe-target

	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	# Others may run the same programs, and probes are on all that run one.
	cp "$tools"/probe-target "$tools"/probe-target-O0 "$tmp"
	for i in 1 2 3 4 5 6 7 8; do
		echo "probe = target number --exec $program --group $group --name p$i"
	done >"$tmp/conf"
	printf 'debug = +ioctl\nfilter = %s:p3 number > 7\n' "$group" >>"$tmp/conf"
	for delay in 0.005 0.01 0.02 0.04 0.08 0.15; do
		start dktrace apply "$tmp/conf"
		sleep $delay
		kill -9 "$pid" || true
		wait "$pid" || true
		run -0 dktrace apply "$tmp/conf"
		same 8 "$(grep -c "$group" $tracing/uprobe_events)" "probes after a kill at $delay s"
		same 8 "$(grep -c "^$group:p" "$instance/set_event")" "events that are on"
		dktrace reset
		same '' "$(grep "$group" $tracing/uprobe_events || true)" "left after $delay s"
	done
}

@test "saved processes are valid until they or the boot end" {
	start sleep 100000
	only ioctl
	dktrace filter set --pid "$pid" --children
	expect 0 "" "" dktrace save "$tmp/conf"
	same "pids = $pid --children --boot $(cat /proc/sys/kernel/random/boot_id)" "$(grep '^pids' "$tmp/conf")" "the line"
	dktrace filter clear pids
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	same "$pid" "$(cat "$instance/set_event_pid")" "set_event_pid"
	has "$(dktrace filter list)" "$pid"
	dktrace filter clear pids
	sed -i 's/--boot.*/--boot 0b5c/' "$tmp/conf"
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	has "$stderr" "skipped: its processes belong to another boot"
	same '' "$(cat "$instance/set_event_pid")" "set_event_pid"
	echo 'pids = 4194305' >"$tmp/other"
	run -0 --separate-stderr dktrace apply "$tmp/other"
	has "$stderr" "other:1: skipped: there is no process 4194305"
	dktrace filter set --pid "$pid"
	kill "$pid"
	wait "$pid" || true
	expect 0 "" "" dktrace save "$tmp/conf"
	no_line '^pids' "$tmp/conf"
}

@test "apply takes lines with several events, and skips objects that do not exist yet" {
	printf '%s\n' 'debug = ioctl' 'trigger =  sched:sched_process_ex*   stacktrace:3  if  pid > 2 ' \
		'filter = nosuch:thing a == 1' 'trigger = dkt_nosuch:event stacktrace' >"$tmp/conf"
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	same 'debug=ioctl trigger=sched:sched_process_ex*   stacktrace:3  if  pid > 2' "$(tr '\n' ' ' <<<"$output" | sed 's/ $//')" "what was set"
	has "$stderr" "conf:3: skipped: 'nosuch:thing' is not a class"
	has "$stderr" "conf:4: skipped: 'dkt_nosuch:event' is not a class"
	same 2 "$(dktrace trigger list | grep -c 'stacktrace *[0-3] *pid > 2$')" "triggers"
}

@test "apply changes nothing if a filter or trigger is invalid" {
	local before line

	only ioctl
	dktrace trigger add sched:sched_process_fork stacktrace:1
	dktrace filter set 'sched:*' 'pid == 1'
	before=$(knobs; cat "$state/settings")
	while read -r column line; do
		printf 'debug = +vfstrace\nfilter = sched:* pid == 3\n%s\n' "$line" >"$tmp/conf"
		run ! dktrace apply "$tmp/conf"
		has "$output" "$tmp/conf:3:$column: "
		same "$before" "$(knobs; cat "$state/settings")" "what is set after $line"
	done <<'END'
10 filter = sched
10 filter = sched:* pid ==
10 filter = sched:sched_switch nofield == 1
10 filter = nosuchclass pid == 1
11 trigger = sched:sched_switch
11 trigger = sched:sched_switch explode
11 trigger = sched:sched_switch stacktrace if nofield == 1
11 trigger = nosuchclass stacktrace
11 trigger = sched:sched_process_fork stacktrace:2
END
	printf 'debug = +vfstrace\ncpus = 0-x\n' >"$tmp/conf"
	run ! dktrace apply "$tmp/conf"
	has "$output" "0-x"
	same "$before" "$(knobs; cat "$state/settings")" "what is set after a wrong list of CPUs"
}

@test "boot-config prints the filters of the settings" {
	only vfstrace
	dktrace filter set sched:sched_process_exec 'pid == 1'
	dktrace filter set --cpu 0
	dktrace trigger add sched:sched_process_exit stacktrace:1
	run -0 --separate-stderr dktrace boot-config debug=0 debug=+info
	has "$output" "event.sched.sched_process_exec {
		enable
		filter = \"pid == 1\""
	has "$output" "# 1 trigger: left to dktrace apply"
	has "$output" "# CPUs 0: left to dktrace apply"
}
