# SPDX-License-Identifier: LGPL-2.1-or-later
# Under load that the buffers cannot hold, kept and lost records add up to what the kernel generated.
# shellcheck shell=sh disable=SC2154,SC2034
# kernel: 6.1

# One dd on each CPU, three records for each byte or so.
load()
{
	taskset 1 dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null &
	one=$!
	taskset 2 dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null &
	wait "$one" "$!"
}

# Adds the numbers of a command's summary and loss message to $kept and $lost.
add_up()
{
	n=$(sed -n 's/^Debug log: [0-9]* lines, \([0-9]*\) kept, .*/\1/p' "$1" | tail -n 1)
	own=$(sed -n 's/.*: \([0-9]*\) records of dktrace itself skipped/\1/p' "$err")
	gone=$(sed -n 's/.*: \([0-9]*\) records were lost.*/\1/p' "$err")
	echo "kept ${n:-0}, own ${own:-0}, lost ${gone:-0}"
	kept=$((kept + ${n:-0} + ${own:-0}))
	lost=$((lost + ${gone:-0}))
}

recording()
{
	echo "$1" >"$instance/tracing_on"
}

# The clock's distance to wall-clock time is sampled by each command: some microseconds differ.
timeless()
{
	sed 's/:[0-9]*\.[0-9]*:0:/::0:/' "$1" | md5sum
}

kept=0 lost=0
set_param debug=vfstrace debug_mb=2
load 30000
recording 0
run sh -c 'lctl dk >dk.txt'
add_up dk.txt
at_least 1 "$lost" "records were lost"
same "$(generated)" "$((kept + lost))" "kept + lost == generated"
gaps=$(count 'ring_buffer:0:lost_events' dk.txt)
same "$((kept + gaps))" "$(count "$legacy" dk.txt)" "the summary counts records, not gaps"
at_least 1 "$gaps" "a gap is shown where it is"

# While it is recorded and in the middle of the load: the sum of all intervals is exact.
recording 1
load 30000 &
for _ in 1 2 3 4; do
	sleep 0.5
	run sh -c 'lctl dk >dk.txt'
	add_up dk.txt
done
wait
recording 0
run sh -c 'lctl dk >dk.txt'
add_up dk.txt
same "$(generated)" "$((kept + lost))" "intervals add up: kept + lost == generated"

# show does not consume, so it counts the same twice; a loss is in the exit status.
recording 1
load 30000
recording 0
run sh -c 'dktrace show >a.txt'
status_is 3 "a loss is in the exit status of show"
first=$(cat "$err")
run sh -c 'dktrace show >b.txt'
same "$first" "$(cat "$err")" "show tells the same losses twice"
run sh -c 'dktrace dk >c.txt'
add_up c.txt
same "$(timeless a.txt)" "$(timeless b.txt)" "show has the same records twice"
same "$(timeless a.txt)" "$(timeless c.txt)" "dk has what show had"
same "$(generated)" "$((kept + lost))" "show takes nothing away"
run dktrace dk
status_is 0 "then nothing more is lost"
same "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." "$(cat "$out")" "and nothing is left"

# follow takes records out while they come; the last ones are left for the next dk. It cannot keep up while it is
# stopped.
recording 1
dktrace follow >follow.txt 2>"$err" &
follow=$!
follows "$follow"
load 10000
kill -STOP "$follow"
load 20000
kill -CONT "$follow"
kill -INT "$follow"
wait "$follow"
rc=$?
recording 0
cat "$err"
add_up "$err"
status_is 3 "follow ends on Ctrl-C and says a loss"
run dktrace dk
add_up "$out"
same "$(generated)" "$((kept + lost))" "follow adds up: kept + lost == generated"

# A reader that is killed loses nothing; its last records may be printed again.
set_param debug_mb=16
run dktrace clear
same 0 "$(generated)" "clear begins anew"
kept=0 lost=0
recording 1
load 20000
recording 0
for pause in 0.03 0.06 0.09 0.12; do
	dktrace dk >>killed.txt 2>>killed.err &
	sleep "$pause"
	kill -KILL $! 2>/dev/null && wait $!
done
cat killed.err
echo "killed ones printed $(count "$legacy" killed.txt)"
run sh -c 'dktrace dk >rest.txt'
add_up rest.txt
at_least "$(generated)" "$((kept + lost + $(count "$legacy" killed.txt)))" "kill -9 loses nothing"
run dktrace reset
