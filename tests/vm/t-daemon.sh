# SPDX-License-Identifier: LGPL-2.1-or-later
# daemon and flight: a CPU that goes and comes back, and a clock that is set.
# programs: gen-sequence
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

numbers='syscalls:sys_enter_close[fd >= 1000000]'
online=/sys/devices/system/cpu/cpu1/online

# The number of a field of the daemon's status.
number()
{
	dktrace daemon status --json | json ".$1"
}

# The number of the segment that is written.
current()
{
	number segment | sed 's/.*-0*\([0-9]*\)\.dat/\1/'
}

# True if the segment of this number has begun, or a later one. usage: begun NUMBER
begun()
{
	[ "$(current)" -ge "$1" ]
}

# Waits until two other segments have begun: the first ended when the second began.
next_segments()
{
	until_true begun $(($(current) + 2))
}

# Counts the records of the directory. usage: counted [OPTION...]
counted()
{
	dktrace report dir --style csv --fields pid,fd -e sys_enter_close "$@" | grep -c '^[0-9]'
}

lost()
{
	dktrace info dir --json | json .lost
}

# Checks that no segment is missing, and that the index has a line for each, in their order.
indexed()
{
	sed 's/^[^ ]*-0*\([0-9]*\)\.dat .*/\1/' dir/index >lines
	seq "$(find dir -name '*.dat' | wc -l)" >numbers
	holds "the index has each segment, in their order" cmp numbers lines
}

if [ -w $online ]; then
	run dktrace daemon start --dir dir -e "$numbers" --comm gen-sequence --segment-time 1
	status_is 0 "daemon start"
	gen-sequence 2 1000
	echo 0 >$online
	gen-sequence 2 1000
	next_segments
	gen-sequence 2 1000
	echo 1 >$online
	gen-sequence 2 1000
	next_segments
	gen-sequence 2 1000
	echo 0 >$online
	run dktrace daemon stop
	status_is 0 "daemon stop"
	same 10000 "$(counted)" "the daemon has all events while a CPU goes and comes back"
	same 0 "$(lost)" "and lost none"
	indexed
	rm -r dir

	# Its CPU is away when the daemon starts, and comes later.
	run dktrace daemon start --dir dir -e "$numbers" --comm gen-sequence --segment-time 1
	gen-sequence 2 1000
	echo 1 >$online
	gen-sequence 2 1000
	next_segments
	run dktrace daemon stop
	same 4000 "$(counted)" "the daemon has all events of a CPU that comes later"
	same 0 "$(lost)" "and lost none"
	rm -r dir

	run dktrace flight start --dir dumps -e "$numbers" --comm gen-sequence
	status_is 0 "flight start"
	gen-sequence 2 1000
	echo 0 >$online
	gen-sequence 2 1000
	run dktrace flight dump
	status_is 0 "flight dump without the CPU"
	echo 1 >$online
	gen-sequence 2 1000
	run dktrace flight dump
	status_is 0 "flight dump with the CPU"
	echo 0 >$online
	gen-sequence 2 1000
	run dktrace flight stop
	echo 1 >$online
	for file in dumps/*.dat; do
		dktrace report "$file" --style csv --fields pid,fd -e sys_enter_close
	done >all
	same 6000 "$(grep -c '^[0-9]' all)" "two dumps have all events until the second, each once"
	rm -r dumps
fi

# The time of day of each record is right: a segment begins when the clock is set, one day ahead, one day
# behind and back.
now=$(date +%s)
run dktrace daemon start --dir dir -e "$numbers" --comm gen-sequence --keep 1h
status_is 0 "daemon start"
gen-sequence 1 1000
for days in 1 -1 0; do
	then=$(current)
	date -s "@$((now + days * 86400))" >/dev/null
	until_true begun $((then + 1))
	gen-sequence 1 1000
done
same null "$(number error)" "no error"
run dktrace daemon stop
status_is 0 "daemon stop"
same 4 "$(find dir -name '*.dat' | wc -l)" "the clock begins segments, and nothing else does"
# Those of a day before would be too old by a clock that is a day ahead.
same 4000 "$(counted)" "has all events"
same 0 "$(lost)" "and lost none"
indexed
# usage: window DAYS COUNT
window()
{
	from=$((now + $1 * 86400 - 3600))
	same "$2" "$(counted --since "$(date -d "@$from" '+%Y-%m-%d %H:%M:%S')" \
		--until "$(date -d "@$((from + 7200))" '+%Y-%m-%d %H:%M:%S')")" "events of day $1"
}
window 0 2000
window 1 1000
window -1 1000

# The dumps of a flight recorder, by a clock that is set.
run dktrace flight start --dir dumps -e "$numbers" --comm gen-sequence --keep 1h
for days in 0 1 -1 0; do
	date -s "@$((now + 100 + days * 86400))" >/dev/null
	gen-sequence 1 1000
	run dktrace flight dump
	status_is 0 "flight dump on day $days"
done
run dktrace flight stop
same 4 "$(find dumps -name '*.dat' | wc -l)" "each dump is there"
for file in dumps/*.dat; do
	dktrace report "$file" --style csv --fields pid,fd -e sys_enter_close
done >all
same 4000 "$(grep -c '^[0-9]' all)" "with each event once"
