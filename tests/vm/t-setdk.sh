# SPDX-License-Identifier: LGPL-2.1-or-later
# The main use: set_param enables events, dk shows a dd's own writes, reset leaves nothing behind.
# shellcheck shell=sh disable=SC2154

run lctl set_param debug=+vfstrace
status_is 0 "debug=+vfstrace is taken" || exit
dd if=/dev/zero of=/tmp/x bs=512 count=20 2>/dev/null &
pid=$!
wait "$pid"

run lctl dk
status_is 0 "dk ends well"
# prefix: subsystem:mask:cpu.type[F]:seconds.microseconds:stack:pid:extern pid:(
writes=$(grep -Ec "^[0-9a-f]{8}:[0-9a-f]{8}:[0-9]+\.[0-9]F?:[0-9]+\.[0-9]{6}:[0-9]+:$pid:[0-9]+:\(.*sys_enter_write" "$out")
if [ "$writes" -ge 20 ]; then
	ok "dk shows dd's 20 writes"
else
	fail "dk shows $writes of dd's 20 writes (pid $pid)"
fi
last=$(tail -n 1 "$out")
lines=$(grep -Ec '^[0-9a-f]{8}:[0-9a-f]{8}:' "$out")
same "Debug log: $lines lines, $lines kept, 0 dropped, 0 bad." "$last" "the summary counts every line"

run dktrace reset
status_is 0 "reset ends well"
same "" "$(ls "$tracing/instances")" "no instance is left"
