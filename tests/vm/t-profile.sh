# SPDX-License-Identifier: LGPL-2.1-or-later
# profile samples a command, threads and the machine, with its modules; CPUs come and go meanwhile. perf reads the files.
# modules: loop
# programs: perf profile-target
# timeout: 1800
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace perf profile-target

# Prints the samples of a file, by perf.
script()
{
	perf script --no-inline -i "$1" -F comm,pid,ip,sym >"$1.txt" 2>"$1.err"
	same "" "$(cat "$1.err")" "perf reads $1 without complaint"
}

# True if the file has samples.
has_samples()
{
	[ -s "$1" ] && [ "$(perf script -i "$1" -F comm 2>/dev/null | wc -l)" -gt 5 ]
}

run dktrace profile -F 99 -o command.data -- profile-target 30
status_is 0 "profile of a command"
has_line '^command.data: [1-9][0-9]* samples? of (cycles|cpu_clock) = ' "$out" "how many samples"
has_line '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* profile_leaf +profile-target$' "$out" "its function in the table"
no_line 'lost' "$err" "no losses"
script command.data
has_line ' profile_leaf' command.data.txt "its function"
has_line ' profile_caller' command.data.txt "the caller"
has_line '^target-other' command.data.txt "the second thread"
run dktrace info command.data
has_line '^clock +mono' "$out" "the clock"
same 1 "$(grep -cF " $(uname -r) " "$out")" "the kernel"

profile-target &
target=$!
dktrace profile -F 99 -o machine.data 2>machine.err &
recorder=$!
until_true has_samples machine.data
online=/sys/devices/system/cpu/cpu1/online
if [ -w $online ]; then
	echo 0 >$online
	echo 1 >$online
fi
kill -INT $recorder
wait $recorder
same 0 $? "profile of the machine, while a CPU goes offline"
script machine.data
has_line ' profile_leaf' machine.data.txt "a program that ran before"
perf script -i machine.data --show-mmap-events >maps.txt 2>/dev/null
has_line 'PERF_RECORD_MMAP .*kernel.kallsyms\]_(text|stext)' maps.txt "the kernel's code"
has_line 'PERF_RECORD_MMAP .*loop' maps.txt "a module"

dktrace profile -F 99 -p $target -o pid.data 2>pid.err &
recorder=$!
until_true has_samples pid.data
kill -9 $recorder
wait $recorder 2>/dev/null
script pid.data
has_line '^profile-target ' pid.data.txt "a process, though the recorder was killed"

dktrace profile -F 99 -g dwarf --comm 'target-*' -o comm.data 2>comm.err &
recorder=$!
until_true has_samples comm.data
kill $target
wait $recorder
same 0 $? "profile ends with the last of its threads"
script comm.data
same "target-other" "$(sed -n 's/^\([a-z-]*\) .*/\1/p' comm.data.txt | sort -u)" "the threads of a name"
has_line ' profile_caller' comm.data.txt "the caller by dwarf"
