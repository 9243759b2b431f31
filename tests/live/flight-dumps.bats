#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# flight: every record is in one dump or counted as lost, also after kill -9 and on a full disk.
# shellcheck disable=SC2154

load ../helper/live

# By another name, as other tests can generate numbers at the same time.
name=gen-$$
shell=sh-$$
sequence=$BATS_RUN_TMPDIR/$name
numbers="syscalls:sys_enter_close[fd >= 1000000 && COMM == \"$name\"]"

flight()
{
	dktrace flight "$@"
}

recorder()
{
	flight status --json | jq -r .pid
}

# Creates the directory of the dumps, and the generator.
prepare()
{
	mkdir "$tmp/d"
	cp "$tools/gen-sequence" "$sequence"
	ln -s "$(command -v sh)" "$tmp/$shell"
}

teardown()
{
	umount "$tmp/small" 2>/dev/null || true
	end_test
}

# Prints "THREAD,NUMBER" of the sequence in a file.
numbers()
{
	dktrace report "$1" --style csv --fields pid,fd -e sys_enter_close 2>/dev/null | grep '^[0-9]' || true
}

lost()
{
	dktrace info "$1" --json | jq .lost
}

# Names of the dumps, the oldest first.
dumps()
{
	flight status --json | jq -r '.dumps[].file' | sed "s|^|$tmp/d/|"
}

# Checks that no number is in two dumps, and that those that are missing within a dump are counted in it. A
# dump may also count what was overwritten since the one before, and the record with its reason. Prints how
# many were seen.
adds_up()
{
	local file

	for file; do
		echo "dump $(lost "$file")"
		numbers "$file"
	done | awk -F , 'function finish() {
			if (n && (lost < within || (n > 1 && lost > since + 1))) {
				print "dump " n ": " lost " are counted as lost, " within " are missing in it, " \
					since " since the one before"
				bad = 1
			}
			within = since = 0
			delete here
		}
		/^dump/ { finish(); n++; lost = substr($0, 6) + 0; next }
		{
			seen++
			if ($1 in last && $2 <= last[$1]) { print "dump " n ": " $2 " again"; bad = 1; exit }
			if ($1 in last) since += $2 - last[$1] - 1
			if ($1 in here) within += $2 - here[$1] - 1
			here[$1] = last[$1] = $2
		}
		END { finish(); print seen + 0; exit bad }'
}

# Makes dumps until a process has ended, and the last one. usage: dump_beside PID
dump_beside()
{
	while kill -0 "$1" 2>/dev/null; do
		flight dump >/dev/null
	done
	wait "$1"
	flight dump >/dev/null
}

# Records the generator, makes dumps meanwhile, and checks them. usage: dump_all EVENTS SIZE
dump_all()
{
	local all

	flight start -e "$1" --size "$2" --dir "$tmp/d" 3>&-
	start "$sequence" 2 400000
	dump_beside "$pid"
	mapfile -t all < <(dumps)
	run adds_up "${all[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	flight stop
}

@test "flight: no number is in two dumps, and what a dump lacks is counted in it" {
	prepare
	dump_all "$numbers" 64M
	same 800000 "$output" "all of them are there"
	# The exclusion of the recorder's own work, which other events need, must exclude nothing else.
	dump_all "$numbers,sched:sched_process_exec" 64M
	same 800000 "$output" "all of them are there beside other events"
	# The generators overtake the dumps.
	dump_all "$numbers" 256K
}

@test "flight: after kill -9 at random, also within a dump, its records are in files" {
	local round rounds=${DKT_TEST_KILLS:-3} all load

	prepare
	for ((round = 0; round < rounds; round++)); do
		rm -f "$tmp/d"/*
		flight start -e "$numbers" --size 64M --dir "$tmp/d" 3>&-
		pid_of_recorder=$(recorder)
		start "$sequence" 2 200000
		load=${pids[-1]}
		# One dump after the other, until the kill ends one of them.
		touch "$tmp/go"
		# shellcheck disable=SC2016
		start sh -c 'while [ -e "$0" ]; do dktrace flight dump; done' "$tmp/go" >/dev/null 2>&1
		at_random 600
		kill -9 "$pid_of_recorder"
		rm "$tmp/go"
		wait "$load"
		wait "${pids[-1]}" || true
		run -0 flight dump 'the rest'
		mapfile -t all < <(dumps)
		at_least 1 "${#all[@]}" "dumps"
		[ -z "$(find "$tmp/d" -name '.flight*')" ]
		for file in "${all[@]}"; do
			dktrace info "$file" >/dev/null
		done
		run adds_up "${all[@]}"
		echo "round $round: $output of 400000 in ${#all[@]} dumps"
		[ "$status" -eq 0 ]
		flight stop
	done
}

@test "flight: a full disk costs no records, and says so until there is room" {
	prepare
	mkdir "$tmp/small"
	mount -t tmpfs -o size=8m none "$tmp/small" || skip "cannot mount a tmpfs"
	flight start -e "$numbers" --size 4M --dir "$tmp/small" 3>&-
	"$sequence" 1 1000
	run -1 flight dump
	has "$output" "MB are free, and it can take"
	run -0 flight status
	has "$output" "the last dump failed: dump to $tmp/small"
	"$sequence" 1 1000
	mount -o remount,size=200m "$tmp/small"
	run -0 --separate-stderr flight dump
	same 2000 "$(numbers "$output" | wc -l)" "numbers in the dump"
	flight stop
}

@test "flight: --after records on, and --keep deletes old dumps" {
	prepare
	# The machine's clock may be set meanwhile, but not by years.
	touch -d '20 years ago' "$tmp/d/flight-20200101-000000.dat"
	touch -d '5 years ago' "$tmp/d/flight-20200101-000001.dat"
	flight start -e "$numbers" --size 4M --dir "$tmp/d" --keep 3650d --after 2 \
		--when "syscalls:sys_enter_chdir[COMM == \"$shell\"]" 3>&-
	"$sequence" 1 100
	read -r before _ </proc/uptime
	"$tmp/$shell" -c 'cd /'
	one() { [ "$(flight status --json | jq '.dumps | length')" -eq 1 ]; }
	until_true one
	[ ! -e "$tmp/d/flight-20200101-000000.dat" ]
	[ -e "$tmp/d/flight-20200101-000001.dat" ]
	# The last record of the dump is its reason, written when it is made.
	dktrace report "$(dumps)" --style json | jq -s --argjson before "$before" \
		'.[-1] | .fields.buf, (.ts / 1e9 - $before >= 2)' >"$tmp/last"
	has "$(cat "$tmp/last")" "flight dump: "
	has "$(cat "$tmp/last")" true
	flight stop

	# With more time than the test takes, the dump has all numbers from after the incident.
	flight start -e "$numbers" --size 4M --dir "$tmp/d" --after 1h \
		--when "syscalls:sys_enter_chdir[COMM == \"$shell\"]" 3>&-
	"$sequence" 1 100
	merged()
	{
		"$tmp/$shell" -c 'cd /'
		[ "$(flight status --json | jq .merged)" -gt 0 ]
	}
	until_true merged
	"$sequence" 1 200
	flight stop
	same 300 "$(numbers "$(find "$tmp/d" -name 'flight-2[0-9]*' -newer "$tmp/last")" | wc -l)" "numbers from before and after"
}

@test "flight: status has the span of the buffers, and how conditions are tested" {
	prepare
	flight start -e 'syscalls:sys_enter_close[fd < 1000100]' --group all="$numbers" \
		--filter "fd >= 1000000 && fd < 1050000 && COMM == $name" --size 64K --dir "$tmp/d" \
		--when 'fsync > 1h' --when 'syscalls:sys_enter_chdir[COMM == "no"]' 3>&- 2>"$tmp/said"
	same 0 "$(flight status --json | jq '.groups[0].span')" "span of an empty buffer, ns"
	"$sequence" 1 100000
	run -0 flight status --json
	same 100 "$(jq '.groups[0].records' <<<"$output")" "records that match both filters"
	# The other group has overwritten all but its last records.
	[ "$(jq '.groups[0].span > .groups[1].span and .groups[1].span > 0' <<<"$output")" = true ]
	[ "$(jq '.groups[1].records + .groups[1].overwritten' <<<"$output")" -eq 50000 ]
	same 0 "$(jq '.groups[1].lost' <<<"$output")" "lost"
	run -0 flight status
	has "$output" 'fsync > 1h: the '
	has "$(cat "$tmp/said")" 'fsync > 1h: the '
	has "$output" 'the kernel tests each record'
	flight stop
}

@test "flight start refuses a directory in which it cannot create a file" {
	need_namespace
	mkdir "$tmp/d"
	# shellcheck disable=SC2016
	run -1 --separate-stderr apart sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" &&
		exec dktrace flight start --dir "$0" -c ioctl' "$tmp/d"
	same "dktrace: create a file in $tmp/d: Read-only file system; name another directory with --dir" \
		"$stderr" "words"
	run -1 dktrace flight status
}

@test "a link in the place of an unfinished dump is removed, and its target stays" {
	prepare
	echo target >"$tmp/target"
	ln -s "$tmp/target" "$tmp/d/.flight-unfinished-$DKTRACE_INSTANCE"
	flight start --dir "$tmp/d" -c ioctl
	flight dump why
	flight stop
	same target "$(cat "$tmp/target")" "target"
	same 1 "$(find "$tmp/d" -mindepth 1 | wc -l)" "files"
}
