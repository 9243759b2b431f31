# SPDX-License-Identifier: LGPL-2.1-or-later
# record: CPUs that come and go, probes, an instance that somebody else wants to remove.
# append: possible_cpus=4
# programs: gen-sequence
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

numbers='syscalls:sys_enter_close[fd >= 1000000]'
online=/sys/devices/system/cpu/cpu1/online

# Starts a recorder in the background, and waits until it records. usage: recording FILE
recording()
{
	rm -f record.err
	dktrace record -e "$numbers" --comm gen-sequence -o "$1" 2>record.err &
	pid=$!
	says $pid Ctrl-C record.err
}

run dktrace record -e "$numbers" --probe 'vfs_read count' -o a.dat -- sh -c 'cat /etc/passwd >/dev/null; gen-sequence 2 1000'
status_is 0 "record"
run sh -c 'dktrace report a.dat --style csv --fields pid,fd -e sys_enter_close | gen-sequence check 2 1000'
same "2000 0" "$(cat "$out")" "has all events"
run dktrace report a.dat -e '*:vfs_read*'
at_least 1 "$(count .)" "and those of the probe"
same "" "$(grep -v '^#' $tracing/kprobe_events 2>/dev/null)" "whose probe is gone"

if [ -w $online ]; then
	echo 0 >$online
	recording b.dat
	instance=$(ls -d $tracing/instances/dktrace-record-*)
	run rmdir "$instance"
	status_is 1 "the instance of a recorder cannot be removed"
	gen-sequence 2 500
	echo 1 >$online
	gen-sequence 2 700
	echo 0 >$online
	gen-sequence 2 300
	kill -INT $pid
	wait $pid
	same 0 $? "record, while a CPU comes and goes"
	echo 1 >$online
	same 3000 "$(dktrace report b.dat -e sys_enter_close | wc -l)" "has all events of both CPUs"
	run dktrace info b.dat --json
	same 0 "$(json .lost <"$out")" "and reports none as lost"
fi

# A mark takes a part of the page that is being filled; all that follows is moved too, also by kernels before 6.1.
recording d.dat
gen-sequence 1 10
instance=$(ls -d $tracing/instances/dktrace-record-*)
until_true sh -c "! grep -q '^entries: [1-9]' $instance/per_cpu/cpu*/stats"
kill -STOP $pid
gen-sequence 1 3000
kill -INT $pid
kill -CONT $pid
wait $pid
same 0 $? "record, behind a mark"
same 3010 "$(dktrace report d.dat -e sys_enter_close | wc -l)" "has what came before the mark and after it"

# A step of the wall clock disturbs neither the order nor the number of the records.
recording c.dat
before=$(date +%s)
begin=$(centiseconds)
gen-sequence 1 1000
date -s "@$((before + 86400))" >/dev/null
gen-sequence 1 1000
date -s "@$((before - 86400))" >/dev/null
gen-sequence 1 1000
kill -INT $pid
wait $pid
same 0 $? "record, while the clock is set"
now=$((before + ($(centiseconds) - begin) / 100 + 2))
date -s "@$now" >/dev/null
run dktrace report c.dat --style csv -e sys_enter_close
# Seconds of the third column, which has nanoseconds.
sed -n 's/^syscalls,sys_enter_close,\([0-9]*\)[0-9]\{9\},.*/\1/p' "$out" >times
same 3000 "$(wc -l <times)" "has all events"
sort -nc times
same 0 $? "in the order in which they happened"
at_least "$((before - 1))" "$(head -n 1 times)" "from the time at which recording began"
at_least "$(tail -n 1 times)" "$now" "and without the steps"
