# SPDX-License-Identifier: LGPL-2.1-or-later
# debug=-1 enables every event of the map, debug=0 none; the time is shown beside the kernel's own.
# modules: xfs sunrpc nfsd
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

mkdir "$tracing/instances/own"
start=$(centiseconds)
echo 1 >"$tracing/instances/own/events/enable" 2>/dev/null
middle=$(centiseconds)
echo 0 >"$tracing/instances/own/events/enable"
end=$(centiseconds)
echo "the kernel's own events/enable: on $((middle - start)), off $((end - middle)) hundredths of a second"
rmdir "$tracing/instances/own"

lctl set_param -n debug=0 subsystem_debug=-1
for round in 1 2; do
	start=$(centiseconds)
	lctl set_param -n debug=-1 2>err
	rc=$?
	middle=$(centiseconds)
	same 0 "$rc" "debug=-1 is taken ($round)" || cat err
	sort "$instance/set_event" >on
	[ "$round" -eq 2 ] || dktrace list events --json >list.json
	end=$(centiseconds)
	lctl set_param -n debug=0 || fail "debug=0 is taken"
	echo "on $((middle - start)), off $(($(centiseconds) - end)) hundredths of a second, $(wc -l <on) events"
	same '' "$(cat "$instance/set_event")" "all are off"
	same 0 "$(grep -lv '^none$' "$instance"/events/*/*/filter | wc -l)" "no filter is left"
done
dktrace list events | head -n 5
head -c 600 list.json
dmesg >log
no_line 'WARNING|BUG' log "the kernel has nothing to say"
run dktrace reset
status_is 0 "reset ends well"
