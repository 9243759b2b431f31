#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options that select records: each option with each command and each kind of file.

# shellcheck disable=SC2154,SC2034 # set by bats, helper/common.bash and cells
load ../helper/common
load ../helper/selection

# The files, and for each a table with a line per record, made from the styles csv and legacy.
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

@test "each selection of the tables selects some records of each file, not all" {
	for file in "${files[@]}"; do
		n=$(wc -l <"$file.rows")
		[ "$n" -gt 50 ]
		[ "$(options "$file" | awk -v n="$n" '$1 > 0 && $1 < n' | wc -l)" -ge 5 ] || {
			options "$file"
			return 1
		}
	done
}

@test "classes and subsystems to select are written as those to record" {
	local some

	some=$(count_of log.txt -c vfstrace)
	at_least 1 "$some" "records of vfstrace"
	at_least "$((some + 1))" "$(count_of log.txt -c all)" "records of all classes"
	same "$some" "$(count_of log.txt -c ioctl+vfstrace-ioctl)" "with a class that is taken away again"
	same "$some" "$(count_of log.txt -c 0x200000)" "vfstrace by its number"
	same "$some" "$(count_of log.txt -c VFSTRACE)" "in upper case"
	same "$(count_of log.txt)" "$(count_of log.txt -u all)" "all subsystems"
}

@test "report prints the selected records" {
	cells of_report "${files[@]}"
}

@test "convert writes the selected records" {
	cells of_convert "${files[@]}"
}

@test "merge writes the selected records" {
	cells of_merge "${files[@]}"
}

@test "split writes the selected records" {
	cells of_split "${files[@]}"
}

@test "info counts the selected records" {
	cells of_info "${files[@]}"
}

# "all" are the events that a kernel lists; those of the tracer itself are not among them.
@test "hist counts the selected records" {
	among='$1 != "ftrace"'
	cells of_hist "${files[@]}"
}

@test "dk and show of a saved tree print the selected records" {
	cells of_dk tree
	cells of_show tree
}

# The pairs of selected records are those of a file with only these records.
@test "latency pairs the selected records" {
	bad=0
	for file in "${files[@]}"; do
		event=$(column "$file" 10 1):$(column "$file" 10 2)
		while read -r count option value; do
			dktrace convert "$file" "$out/some.dat" "$option" "$value" 2>/dev/null
			pairs=("$event" "$event" --match common_pid --csv)
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

@test "several options select the records that match all of them" {
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

# The output options of each command: whether it takes each option (csv or trace.dat is the file's format
# then), or refused.
written=(
	# command                                          --style   --output  --format
	"report trace.dat                                | style   | output  | format"
	"dk -i tree                                      | style   | output  | format"
	"show -i tree                                    | style   | output  | format"
	"follow                                          | taken   | taken   | refused"
	"convert trace.dat x                             | refused | refused | format"
	"merge trace.dat -o x                            | refused | taken   | format"
	"split trace.dat x --count 9999                  | refused | refused | format"
	"info trace.dat                                  | refused | refused | refused"
	"hist -i trace.dat                               | refused | refused | refused"
	"latency syscall -i trace.dat                    | refused | refused | refused"
)

# The file that the command wrote. usage: is_file KIND FILE
is_file()
{
	case $1 in
	csv) head -n 1 "$2" | grep -q '^system,event,' ;;
	trace.dat) [ "$(head -c 10 "$2" | tail -c 7)" = tracing ] ;;
	esac || {
		echo "$2 is not $1"
		return 1
	}
}

# usage: cell OPTION CELL COMMAND...
cell()
{
	local option=$1 cell=$2 file=$out/cell

	shift 2
	rm -f "$file" "$out"/cell-*
	case $cell in
	refused)
		run -2 --separate-stderr dktrace "$@" "--$option=csv"
		has "$stderr" "--$option"
		;;
	taken)
		# The message is about the format, not about the option.
		run dktrace "$@" "--$option=nosuch/nosuch" --help
		same 0 "$status" "$* --$option"
		;;
	style)
		dktrace "$@" --style=csv 2>/dev/null >"$file"
		is_file csv "$file"
		;;
	output)
		dktrace "$@" --style=csv "--output=$file" 2>/dev/null
		is_file csv "$file"
		;;
	format)
		for kind in csv trace.dat; do
			dktrace "${@/%x/$file}" --format=$kind "${to[@]}" 2>/dev/null >&2
			is_file $kind "$(ls "$out"/cell*)"
			rm "$out"/cell*
		done
		run -2 --separate-stderr dktrace "${@/%x/$file}" --format=nosuch "${to[@]}"
		has "$stderr" "dktrace: --format: unknown format 'nosuch'; use trace.dat, trace.dat-6, sqlite or a style"
		;;
	esac
}

@test "--style, --output and --format work the same with each command" {
	for row in "${written[@]}"; do
		IFS='|' read -r command style output format <<<"${row// /}"
		read -ra words <<<"${row%%|*}"
		to=()
		[[ " ${words[*]} " == *" x "* ]] || to=("--output=$out/cell")
		cell style "$style" "${words[@]}"
		cell output "$output" "${words[@]}"
		cell format "$format" "${words[@]}"
	done
}

@test "every command reports the records that --rate dropped" {
	n=$(wc -l <dump.rows)
	class=$(name_of classes dump 8)
	rate=${class% *}=1
	kept=$(options dump | sed -n 's/ --rate .*//p')
	for command in "report dump" "convert dump $out/x.dat" "merge dump -o $out/x.dat" "info dump" \
		"split dump $out/x.dat --count 500" "hist -i dump" \
		"latency libcfs:libcfs_debug_msg libcfs:libcfs_debug_msg --match common_pid -i dump"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr dktrace $command --rate "$rate"
		has "$stderr" "dktrace: $((n - kept)) records dropped by --rate"
	done
	run -0 --separate-stderr dktrace report dump --rate "$rate" -S csv -o "$out/x"
	same "dktrace: $((n - kept)) records dropped by --rate" "$stderr"
	run -0 --separate-stderr dktrace dk -i tree --rate iotrace=1
	has "$stderr" "records dropped by --rate"
}

@test "options that a command does not take are refused by name" {
	for command in "hist syscalls:sys_enter_read" "latency syscall"; do
		for option in class subsystem event since until rate; do
			# shellcheck disable=SC2086 # several words
			run -2 --separate-stderr dktrace $command --$option=1
			same "dktrace: ${command% *}: --$option selects records of a file; name the file" "$stderr"
		done
	done
	refused status --class
	refused report trace.dat --if
}

@test "every command refuses invalid values before it writes anything" {
	bad=('--class=nosuch|nosuch' '--subsystem=nosuch|nosuch' '--event=a[|--event' '--pid=1-|--pid'
		'--comm=[|--comm' '--cpu=3-1|--cpu' '--since=noon|--since' '--until=25:00|--until' '--rate=rpctrace|--rate')
	for command in "report dump" "convert dump $out/x.dat" "merge dump -o $out/x.dat" \
		"split dump $out/x.dat --count 5" "info dump" "hist all -i dump" "dk -i tree" "show -i tree" \
		"latency libcfs:libcfs_debug_msg libcfs:libcfs_debug_msg --match common_pid -i dump"; do
		for one in "${bad[@]}"; do
			# shellcheck disable=SC2086 # several words
			run -2 --separate-stderr dktrace $command "${one%|*}"
			has "$stderr" "${one#*|}"
		done
	done
	same "" "$(cd "$out" && ls -d ./*.dat 2>/dev/null)"
}
