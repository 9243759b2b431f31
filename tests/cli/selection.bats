#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options that choose records: each with each command that reads them, of each kind of file.

# shellcheck disable=SC2154,SC2034 # set by bats, helper/common.bash and cells
load ../helper/common
load ../helper/selection

# The files, and of each a table of what is in it, by the styles csv and legacy: a line for each record.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	ln -s "$capture" tree
	dktrace convert tree trace.dat
	dktrace convert tree trace6.dat --format trace.dat-6
	cp "$top/tests/fixture/perfdata/plain.data" perf.data
	dktrace report tree >trace.txt
	dktrace report tree -S legacy >log.txt
	"$tools/gen-records" cpus 300 >dump
	for file in tree trace.dat trace6.dat perf.data trace.txt log.txt dump; do
		table "$file" dktrace report "$file"
	done
	tables_of_names
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	out=$BATS_TEST_TMPDIR
}

files=(tree trace.dat trace6.dat perf.data trace.txt log.txt dump)

count_of()
{
	dktrace report "$@" -S csv 2>/dev/null | awk '!/^system,event/ { n++ } END { print n + 0 }'
}

of_report()
{
	count_of "$@"
}

of_convert()
{
	dktrace convert "$1" "$out/some.dat" "${@:2}" 2>/dev/null || return
	count_of "$out/some.dat"
}

of_merge()
{
	dktrace merge "$1" -o "$out/merged.dat" "${@:2}" 2>/dev/null
	count_of "$out/merged.dat"
}

of_split()
{
	rm -f "$out"/part-*
	dktrace split "$1" "$out/part.dat" --count 50 "${@:2}" --csv 2>/dev/null |
		awk -F , 'NR > 1 { n += $2 } END { print n + 0 }'
}

of_info()
{
	dktrace info "$@" --json 2>/dev/null | sed -n 's/^ *"records": *\([0-9]*\),*/\1/p' | head -n 1
}

of_hist()
{
	dktrace hist all -k event --csv -i "$@" 2>/dev/null | awk -F , 'NR > 1 { n += $2 } END { print n + 0 }'
}

of_dk()
{
	dktrace dk -i "$@" | sed -n 's/^Debug log: .* lines, \([0-9]*\) kept.*/\1/p'
}

of_show()
{
	dktrace show -i "$@" | sed -n 's/^Debug log: .* lines, \([0-9]*\) kept.*/\1/p'
}

@test "the tables have what they are to test: some of each file is chosen, and some is not" {
	for file in "${files[@]}"; do
		n=$(wc -l <"$file.rows")
		[ "$n" -gt 50 ]
		[ "$(options "$file" | awk -v n="$n" '$1 > 0 && $1 < n' | wc -l)" -ge 5 ] || {
			options "$file"
			return 1
		}
	done
}

@test "report" {
	cells of_report "${files[@]}"
}

@test "convert" {
	cells of_convert "${files[@]}"
}

@test "merge" {
	cells of_merge "${files[@]}"
}

@test "split" {
	cells of_split "${files[@]}"
}

@test "info" {
	cells of_info "${files[@]}"
}

# "all" are the events that a kernel lists; those of the tracer itself are not among them.
@test "hist" {
	among='$1 != "ftrace"'
	cells of_hist "${files[@]}"
}

@test "dk and show of a saved tree" {
	cells of_dk tree
	cells of_show tree
}

# Pairs of what is chosen are those of a file with nothing else.
@test "latency" {
	bad=0
	for file in "${files[@]}"; do
		event=$(column "$file" 10 1):$(column "$file" 10 2)
		while read -r count option value; do
			dktrace convert "$file" "$out/some.dat" "$option" "$value" 2>/dev/null
			pairs=("$event" "$event" --key common_pid --csv)
			dktrace latency "${pairs[@]}" -i "$file" "$option" "$value" 2>/dev/null | tail -n +2 >"$out/have"
			dktrace latency "${pairs[@]}" -i "$out/some.dat" 2>/dev/null | tail -n +2 >"$out/wanted"
			cmp -s "$out/have" "$out/wanted" && continue
			echo "latency of $file $option $value:"
			diff "$out/wanted" "$out/have" || :
			bad=1
		done < <(options "$file")
	done
	same 0 "$bad"
}

@test "several options: records that all of them choose" {
	pid=$(column trace.dat 100 5) cpu=$(column trace.dat 100 4)
	event=$(column trace.dat 100 2)
	wanted=$(rows trace.dat "\$5 == $pid && \$4 == $cpu && \$2 == \"$event\"")
	for file in tree trace.dat trace.txt; do
		same "$wanted" "$(count_of "$file" -p "$pid" -C "$cpu" -e "$event")" "$file"
	done
	same "$wanted" "$(of_dk tree -p "$pid" -C "$cpu" -e "$event")" "dk"
}

# usage: refused COMMAND... OPTION: exit status 2, and the words name the option
refused()
{
	run -2 --separate-stderr dktrace "$@"
	has "$stderr" "${*: -1}"
}

@test "options that a command does not take are refused by name" {
	for command in "info trace.dat" "hist all -i trace.dat" "latency syscall -i trace.dat"; do
		for option in --output=x --style=json --format=json; do
			# shellcheck disable=SC2086 # several words
			run -2 --separate-stderr dktrace $command $option
			has "$stderr" "${option%=*}"
		done
	done
	for command in "hist syscalls:sys_enter_read" "latency syscall"; do
		for option in class subsystem event since until rate; do
			# shellcheck disable=SC2086 # several words
			run -2 --separate-stderr dktrace $command --$option=1
			same "dktrace: ${command% *}: --$option is for the records of a file; name it by --input" "$stderr"
		done
	done
	refused status --class
	refused report trace.dat --if
}

@test "values that make no sense are refused by every command, before anything is written" {
	bad=('--class=nosuch|nosuch' '--subsystem=nosuch|nosuch' '--event=a[|--event' '--pid=1-|--pid'
		'--comm=[|--comm' '--cpu=3-1|--cpu' '--since=noon|--since' '--until=25:00|--until' '--rate=rpctrace|--rate')
	for command in "report dump" "convert dump $out/x.dat" "merge dump -o $out/x.dat" \
		"split dump $out/x.dat --count 5" "info dump" "hist all -i dump" "dk -i tree" "show -i tree" \
		"latency libcfs:libcfs_debug_msg libcfs:libcfs_debug_msg -k common_pid -i dump"; do
		for one in "${bad[@]}"; do
			# shellcheck disable=SC2086 # several words
			run -2 --separate-stderr dktrace $command "${one%|*}"
			has "$stderr" "${one#*|}"
		done
	done
	same "" "$(cd "$out" && ls -d ./*.dat 2>/dev/null)"
}
