#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands that help prints for tasks work as printed: now, to record, and on the file.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# Writes the commands of each task: now, to record, later, with a tab between.
setup_file()
{
	dktrace help tasks | sed '/^$/,$d' | while read -r question; do
		dktrace help "$question" | awk -v question="$question" '
			/^[^ ]/ { of_it = $0 == question }
			of_it && sub(/^  now: */, "") { now = $0 }
			of_it && sub(/^  record: */, "") { record = $0 }
			of_it && sub(/^  later: */, "") { later = $0 }
			END { print now "\t" record "\t" later }'
	done >"$BATS_FILE_TMPDIR/rows"
}

# Some of the work that tasks ask about. A new file has a page in the cache.
work()
{
	sh -c 'cat /nonexistent; rm -f "$0"; echo >"$0"; sync -d "$0"; kill -URG $$' "$tmp/file" 2>/dev/null || true
}

# Starts the command in a directory of its own, without input or output to a terminal.
begin()
{
	mkdir -p "$1"
	(cd "$1" && exec bash -c "exec $2" >out 2>err </dev/null 3>&-) &
	pids+=($!)
}

# True if the command of each directory records, or has ended.
all_begun()
{
	local i

	for i in "${!pids[@]}"; do
		! kill -0 "${pids[i]}" 2>/dev/null || grep -q 'until Ctrl-C' "${dirs[i]}/err" || return 1
	done
}

# Ends the commands: each has done its work, or this kernel lacks its events.
end_all()
{
	local i status

	for i in "${!pids[@]}"; do
		kill -INT "${pids[i]}" 2>/dev/null || true
		status=0
		wait "${pids[i]}" || status=$?
		case $status in
		0 | 3) ;;
		1) has_line 'this kernel has no event|no event matches' "${dirs[i]}/err" ;;
		*) same 0 "$status" "status of ${commands[i]}: $(cat "${dirs[i]}/err")" ;;
		esac
	done
	pids=() dirs=() commands=()
}

# Runs commands until they have seen the work, some at a time.
run_all()
{
	local command n=0

	dirs=() commands=()
	while read -r command; do
		commands+=("$command")
		dirs+=("$tmp/$1-$n")
		begin "$tmp/$1-$((n++))" "$command"
		[ ${#pids[@]} -lt 4 ] || finish_some
	done
	finish_some
}

finish_some()
{
	until_true all_begun
	work
	end_all
}


@test "each question finds its task" {
	at_least 30 "$(wc -l <"$BATS_FILE_TMPDIR/rows")" "tasks"
	no_line '^.?.?$' "$BATS_FILE_TMPDIR/rows"
}

@test "the commands for now print their answer until Ctrl-C" {
	touch "$tmp/file"
	cut -f 1 "$BATS_FILE_TMPDIR/rows" | grep -vE '^(lctl|dktrace (daemon|flight|follow|graph|last-boot|probe|report|reset|save|set_param|show|status|top$|trigger))' | sort -u >"$tmp/now"
	at_least 15 "$(wc -l <"$tmp/now")" "commands"
	run_all now <"$tmp/now"
	same '' "$(own)" 'left behind'
	grep -q 'syscalls:sys_enter_fdatasync' "$tmp"/now-*/out
}

@test "the commands that record make the file that the later ones read" {
	local record later dir

	touch "$tmp/file"
	cut -f 2- "$BATS_FILE_TMPDIR/rows" | grep '^dktrace record' | sort -u >"$tmp/rows"
	at_least 15 "$(wc -l <"$tmp/rows")" "tasks"
	cut -f 1 "$tmp/rows" | sort -u >"$tmp/record"
	run_all record <"$tmp/record"
	while IFS=$'\t' read -r record later; do
		dir=$tmp/record-$(($(grep -nxF "$record" "$tmp/record" | cut -d : -f 1) - 1))
		# This kernel may lack the events.
		[ -e "$dir/trace.dat" ] || continue
		(cd "$dir" && bash -c "$later" >"$tmp/out" 2>"$tmp/err") || same 0 $? "$later: $(cat "$tmp/err")"
	done <"$tmp/rows"
	at_least 5 "$(find "$tmp"/record-* -name trace.dat | wc -l)" "recordings"
}
