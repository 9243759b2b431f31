#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# probe: events on a program whose arguments are known, on the running kernel.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

# The events of this test, in a group of its own.
group()
{
	echo "dkt_test_$$_$BATS_TEST_NUMBER"
}

probe()
{
	dktrace probe "$1" -g "$(group)" "${@:2}"
}

# Prints the texts of an event's records, and empties the log.
texts()
{
	dktrace dk --style trace 2>/dev/null | sed -n "s/.* $1: *([0-9a-f <-]*) //p"
}

eval "helper_$(declare -f setup)"

setup()
{
	helper_setup
	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	# Others may run the same programs, and probes are on all that run one.
	cp "$tools"/probe-target "$tools"/probe-target-O0 "$tools"/marker-target "$tmp"
	program=$tmp/probe-target
	set_param debug=0
}

@test "probed arguments have the values that the program passed" {
	probe add --enable -x "$program" target name number 'outer->in->text' 'outer->in->low' \
		'outer->in->high' 'outer->in->one' 'outer->name' 'outer->list[1].text' 'outer->grid[1]' \
		'*pos a5 a6 a7 last'
	run -0 "$program" 2
	same 'name="hello" number=7 text="inner" low=5 high=77 one=-9 name_2="outer" text_2="e1" grid_1={4,5,6} pos=99 a5=1 a6=2 a7=-3 last="last"
name="hello" number=8 text="inner" low=5 high=77 one=-9 name_2="outer" text_2="e1" grid_1={4,5,6} pos=155 a5=1 a6=2 a7=-3 last="last"' \
		"$(texts target)" records
}

@test "probes work without optimisation, and at a source line" {
	probe add --enable -x "$program-O0" target name number 'outer->in->text' last
	probe add --enable -x "$program-O0" --name line probe-target.c:20 local number target_counter '*pos'
	run -0 "$program-O0" 1
	log=$(dktrace show --style trace 2>/dev/null)
	has "$log" 'name="hello" number=7 text="inner" last="last"'
	has "$log" 'local=56 number=7 target_counter=42 pos=99'
}

@test "an inlined function can be probed at its lines, not at its entry" {
	run -1 --separate-stderr dktrace probe add --dry-run -x "$program" target_twice
	has "$stderr" 'target_twice is inlined into target'
	probe add --enable -x "$program-O0" --name inlined target_twice:2 v
	run -0 "$program-O0" 2
	same 'v=7
v=8' "$(texts inlined)" records
}

@test "a return probe records the returned value" {
	probe add --enable -x "$program" target%return 'ret=$retval:s32' --name back
	run -0 "$program" 2
	same 'ret=225
ret=226' "$(texts back)" records
	run -0 dktrace probe list --json "$(group):back"
	same '"uretprobe" 2 true true' \
		"$(jq -c '.probes[0] | .kind, .hits, .on, .ours' <<<"$output" | xargs -n 4 | sed 's/^\([a-z]*\)/"\1"/')" list
}

@test "a program without debug information is probed by registers and offsets" {
	cp "$program" "$tmp/plain"
	strip -g "$tmp/plain"
	probe add --enable -x "$tmp/plain" target 'arg1:string' 'arg2:s32' 'arg7:s32' 'x=+0(%di):u8' '$comm'
	run -0 "$tmp/plain"
	same 'arg1="hello" arg2=7 arg7=-3 x=104 comm="plain"' "$(texts target)" records
	run -1 --separate-stderr dktrace probe add --dry-run -x "$tmp/plain" target name
	has "$stderr" 'has no debug information'
}

@test "debug information in a separate file is found by the program's link or by --debug-file" {
	cp "$program" "$tmp/split"
	mkdir "$tmp/.debug" "$tmp/elsewhere"
	objcopy --only-keep-debug "$tmp/split" "$tmp/elsewhere/split.debug"
	strip "$tmp/split"
	run -1 --separate-stderr dktrace probe add --dry-run -x "$tmp/split" target name
	has "$stderr" 'has no symbols of functions'
	run -0 dktrace probe add --dry-run -x "$tmp/split" --debug-file "$tmp/elsewhere/split.debug" target name
	has "$output" 'name=+0('
	run -1 --separate-stderr dktrace probe add --dry-run -x "$tmp/split" --debug-file "$program-O0" target name
	has "$stderr" 'is from another build than'
	mv "$tmp/elsewhere/split.debug" "$tmp/.debug/"
	(cd "$tmp/.debug" && objcopy --add-gnu-debuglink=split.debug ../split)
	run -0 dktrace probe add --dry-run -x "$tmp/split" target name
	has "$output" 'name=+0('
}

@test "--pid probes a program as a process in another mount namespace sees it" {
	need_namespace
	mkdir "$tmp/root"
	cp "$program" "$tmp/root/prog"
	# shellcheck disable=SC2016
	# Not by the function: its process is another one.
	start "$top/tests/tools/apart" sh -c 'mount --bind "$0/root" /mnt && exec sleep 100000' "$tmp"
	until_true test -e "/proc/$pid/root/mnt/prog"
	run -1 --separate-stderr dktrace probe add --dry-run -x /mnt/prog target name
	has "$stderr" 'No such file'
	probe add --enable --pid "$pid" -x /mnt/prog target name
	run -0 "$tmp/root/prog"
	same 'name="hello"' "$(texts target)" records
	probe add --dry-run --pid "$pid" 'nosuch*' 2>"$tmp/err" || true
	has "$(cat "$tmp/err")" "/proc/$pid/root"
}

@test "status lists a probe, and reset removes it but no probe of another program" {
	probe add -x "$program" target
	name=$(group)
	run -0 dktrace status
	has "$output" "$name:target (disabled)"
	run -0 dktrace status --json
	same false "$(jq ".probes[] | select(.probe == \"$name:target\").on" <<<"$output")" on
	echo "p:$name/theirs $program:0x$(nm "$program" | awk '$3 == "target" { sub("^0*", "", $1); print $1 }')" \
		>>$tracing/uprobe_events
	run -1 --separate-stderr dktrace probe del "$name:theirs"
	has "$stderr" 'was not created by dktrace'
	run -1 --separate-stderr dktrace probe add -g "$name" --name theirs -x "$program" main
	has "$stderr" "event $name:theirs already exists"
	run -0 dktrace reset
	same "$name/theirs" "$(sed -n "s,^p:\($name/[a-z]*\) .*,\1,p" $tracing/uprobe_events)" 'left'
	echo "-:$name/theirs" >>$tracing/uprobe_events
}

@test "a probe that another tool has replaced is not removed" {
	probe add -x "$program" target
	name=$(group)
	echo "-:$name/target" >>$tracing/uprobe_events
	echo "p:$name/target /bin/sh:0x$(readelf -lW /bin/sh | awk '$1 == "LOAD" && /R E/ { sub("0x0*", "", $2); print $2 }')" \
		>>$tracing/uprobe_events
	run -0 dktrace probe list "$name:*" --json
	same false "$(jq '.probes[0].ours' <<<"$output")" ours
	run -0 dktrace reset
	has "$(cat $tracing/uprobe_events)" "p:$name/target "
	echo "-:$name/target" >>$tracing/uprobe_events
}

# True if the log has a record of the event.
has_record()
{
	dktrace show --style trace 2>/dev/null | grep -q " $1: "
}

@test "what a probe has recorded is printed after it was removed, also if another one gets its ID" {
	probe add --enable -x "$program" target number
	run -0 "$program" 3
	lctl mark kept
	id=$(cat "$tracing/events/$(group)/target/id")
	run -0 --separate-stderr dktrace probe del "$(group):target"
	same '1 probe is removed' "$output" output
	gone "$tracing/events/$(group)/target"
	probe add --enable -x "$program" --name other target last
	same "$id" "$(cat "$tracing/events/$(group)/other/id")" "the ID, which the kernel gives again"
	run -0 "$program" 1
	# The same name, too.
	run -0 dktrace probe del "$(group):other"
	probe add --enable -x "$program" target name
	run -0 "$program" 1
	log=$(dktrace show --style trace 2>/dev/null | sed -n 's/.* \(target\|other\): *([0-9a-f]*) /\1 /p')
	same 'target number=7
target number=8
target number=9
other last="last"
target name="hello"' "$log" records
	same 4 "$(dktrace show --style json -e "$(group):target" 2>/dev/null | wc -l)" "selected by the name of both"
	same 1 "$(dktrace show --style json -e "$(group):other" 2>/dev/null | wc -l)" "of the one that is gone"
	# The newer probe of the name lacks the field.
	same 2 "$(dktrace show --style json -e "$(group):target" --filter 'number > 7' 2>/dev/null | wc -l)" "--filter by a field of the one that is gone"
	# A filter in brackets lets events without its fields pass.
	same 3 "$(dktrace show --style json -e "$(group):target[number > 7]" 2>/dev/null | wc -l)" "a filter in brackets"
	run -1 dktrace show -e "$(group):target" --filter 'nosuch > 7'
	has "$(dktrace dk --style trace)" 'number=9'
	gone "$state/spool/retired"
	same '' "$(texts target)" "left"
}

@test "a probe that fires all the time is removed at once" {
	probe add --enable -x "$program" target number
	start "$program" 2000000000 >/dev/null
	until_true has_record target
	run -0 dktrace probe del "$(group):target"
	gone "$tracing/events/$(group)/target"
	has_record target
	kill "$pid"
}

@test "probe del names who has a probe enabled, and leaves it enabled" {
	probe add --enable -x "$program" target number
	dktrace record -e "$(group):target" -o "$tmp/x.dat" -- sleep 100000 3>&- &
	recorder=$!
	pids+=("$recorder")
	until_true eval '[ -n "$(own)" ] && [ "$(cat "$(own)/events/$(group)/target/enable")" = 1 ]'
	run -1 --separate-stderr dktrace probe del "$(group):target"
	same "dktrace: remove $(group):target: it is enabled in the instance $(basename "$(own)"), which process $recorder has created" \
		"$stderr" message
	same 1 "$(cat "$instance/events/$(group)/target/enable")" "in the log"
	kill "$recorder"
	wait "$recorder" || true
	start dktrace follow >/dev/null
	until_true eval 'grep -qx "$pid follows" "$state/spool/lock"'
	run -1 --separate-stderr dktrace probe del "$(group):target"
	has "$stderr" "process $pid is reading these buffers"
	same 1 "$(cat "$instance/events/$(group)/target/enable")" "in the log"
	kill "$pid"
	wait "$pid" || true
	run -0 "$program" 1
	run -0 dktrace probe del "$(group):target"
	has_record target
}

@test "probes on static markers record arguments, cover all places and set the semaphore" {
	markers=$tmp/marker-target
	run -0 dktrace probe list -x "$markers" --json
	same 'target:twice target:twice target:entry target:small target:none target:guarded' \
		"$(jq -r '[.markers[].marker] | join(" ")' <<<"$output")" markers
	probe add --enable -x "$markers" 'target:twice'
	probe add --enable -x "$markers" target:entry 'arg1 name=arg2:string arg3:x64 number'
	probe add --enable -x "$markers" target:small arg1 arg2
	# Without a probe, the program does not execute the marker.
	run -0 "$markers" 2
	same 0 "$output" "guarded calls"
	probe add --enable -x "$markers" target:guarded
	has "$(cat $tracing/uprobe_events)" "p:$(group)/target_guarded $markers:0x"
	has "$(dktrace probe list "$(group):target_guarded")" '(0x'
	run -0 "$markers" 2
	same 2 "$output" "guarded calls"
	same 'arg1=7
arg1=8
arg1=7
arg1=8' "$(dktrace show --style trace 2>/dev/null | sed -n "s/.* target_twice: *([0-9a-f]*) //p")" "records of the first place"
	log=$(dktrace show --style trace 2>/dev/null)
	has "$log" 'arg1=-8 arg2=-5'
	has "$log" 'arg1=7 name="hello" arg3=0x10000000007 number=7'
	has "$log" 'arg1=-7 arg2=249'
	same 2 "$(grep -c target_guarded <<<"$log")" "records of the one that was switched on"
	dktrace reset
	run -0 "$markers" 2
	same 0 "$output" "guarded calls"
}

@test "if one probe cannot be created, the others are removed" {
	name=$(group)
	# The third of them has a place already.
	offset=$(dktrace probe add --dry-run -x "$program" main | sed 's/.*:0x//')
	echo "p:$name/target $program:0x$offset" >>$tracing/uprobe_events
	run -1 --separate-stderr dktrace probe add -g "$name" --enable -x "$program" '[mt]a*'
	has "$stderr" "event $name:target already exists"
	same "p:$name/target" "$(sed -n "s,^\(p:$name/[a-z]*\) .*,\1,p" $tracing/uprobe_events)" left
	echo "-:$name/target" >>$tracing/uprobe_events
	mkdir "$state/settings.tmp"
	run -1 dktrace probe add -g "$name" --enable -x "$program" '[mt]a*'
	rmdir "$state/settings.tmp"
	same '' "$(grep "$name" $tracing/uprobe_events || true)" left
	run -0 --separate-stderr dktrace probe list "$name:*"
	has "$stderr" 'there is no probe'
}

@test "after kill -9 at any moment, reset removes every probe" {
	name=$(group)
	cp /bin/bash "$tmp/bash"
	for delay in 0.01 0.03 0.06 0.1 0.15; do
		start dktrace probe add -g "$name" --enable -x "$tmp/bash" 'a*'
		sleep $delay
		kill -9 "$pid" || true
		wait "$pid" || true
		run -0 dktrace reset
		same '' "$(grep "$name" $tracing/uprobe_events || true)" "left after $delay s"
	done
}

@test "probe reports that the kernel does not support a kind of probe" {
	if [ ! -e $tracing/kprobe_events ]; then
		run -1 --separate-stderr dktrace probe add vfs_read
		same "dktrace: this kernel has no probes on its functions: there is no $tracing/kprobe_events" \
			"$stderr" words
	fi
	if [ ! -e $tracing/synthetic_events ]; then
		run -1 --separate-stderr dktrace probe add --kind synthetic slow 'u64 lat'
		has "$stderr" "this kernel has no synthetic events"
	fi
	run --separate-stderr dktrace probe add -g "$(group)" --kind event sched:sched_switch next_pid
	if [ "$status" -ne 0 ]; then
		has "$stderr" 'it has no probes on events (CONFIG_EPROBE_EVENTS)'
	fi
	if [ -e /sys/kernel/btf/vmlinux ]; then
		run -0 dktrace probe add --dry-run vfs_read 'count pos=*pos'
		same 'p:dktrace/vfs_read vfs_read count=$arg3:u64 pos=+0($arg4):s64' "$output" definition
	fi
}

@test "probe add --enable on a new log records the probe and nothing else" {
	dktrace probe add --enable --name "first_$$" -x "$tools/probe-target" main
	same "dktrace:first_$$" "$(cat "$instance/set_event")" "events"
	"$tools/probe-target" >/dev/null 2>&1 || :
	dktrace probe del "dktrace:first_$$"
	set_param debug=+ioctl
	same ioctl "$(dktrace get_param -n debug | tr ' ' '\n' | grep -x ioctl)" "debug"
}

# The process that reads the program is confined, and /run is empty after a boot.
@test "probe add on a program creates the state of the log" {
	need_namespace
	run -0 apart sh -c 'mount -t tmpfs none /run && dktrace probe add -B "$DKTRACE_INSTANCE-new" -g "$1" -x "$2" target &&
		dktrace probe del -B "$DKTRACE_INSTANCE-new" -g "$1" "*" && dktrace reset -B "$DKTRACE_INSTANCE-new" && ls -A /run' \
		sh "$(group)" "$program"
	lacks "$output" dktrace:
}
