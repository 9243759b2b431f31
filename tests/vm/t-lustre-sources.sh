# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# libraries: libkdumpfile.so.10
# modules: qemu_fw_cfg
# kernel: 6.1
# append: debug_boot_weak_hash
# Each analysis of Lustre's messages says the same, whichever source has them.
# shellcheck shell=sh disable=SC2154

need dktrace lctl

load_built libcfs
classes=rpctrace+dlmtrace+ha+malloc+console+warning+error
set_param debug="$classes"
echo -1 >$lnet/debug
mkdir dir

# ---- the same messages in all sources ----

dktrace record -c $classes -o record.dat 2>record.err &
recorder=$!
says $recorder Ctrl-C record.err
run dktrace flight start -c $classes --size 1M --dir dir
status_is 0 "flight start"
run dktrace daemon start -c $classes --dir segments
status_is 0 "daemon start"
echo clear >$lnet/debug_marker
lctl clear
before=$(date +%s)
emit "rpc 0" lock "incident lost" "rpc 20"
after=$(($(date +%s) + 1))
run dktrace flight dump
status_is 0 "flight dump"
kill -INT $recorder
wait $recorder
run dktrace flight stop
run dktrace daemon stop
echo 0 >$instance/tracing_on
cat $lnet/text >text.log
mv dir/*.dat flight.dat

# ---- the answers ----

# Prints an answer without durations, addresses, times and the names of files. usage: answer WORD...
answer()
{
	# The order must not depend on times.
	[ "$1" = locks ] && set -- "$@" --sort phase.ascending
	dktrace lustre "$@" --json 2>answer.err |
		sed -E 's/"(span|min|p50|p90|p99|max|total|queue|service|bulk|reply|network|client|for|lock_address|longest_down)": ?[0-9.]+/"\1":N/g
			s/"(time|began|since|until|sent|received|returned|called_back|last_heard|lost|callback_received|clock_time|first|last)": ?("[^"]*"|[0-9.]+)/"\1":T/g
			s/[0-9.]+ (us|ms|s) before/N before/g
			s/"host": ?"[^"]*"/"host":H/g'
	sed "s/^dktrace: [^ ]*$1: //" answer.err
}

# The text of Lustre's own buffer is what all are compared with.
same_answers()
{
	for analysis in rpc locks evictions leaks messages masks; do
		answer $analysis "$@" >have
		cmp -s want.$analysis have && ok "$analysis of $*" && continue
		fail "$analysis of $*"
		diff want.$analysis have
	done
	answer_timeline "$@" >have
	cmp -s want.timeline have && ok "timeline of $*" || { fail "timeline of $*"; diff want.timeline have; }
}

# All messages that have a NID: their places and texts.
answer_timeline()
{
	dktrace lustre timeline 192.168.1.20@tcp "$@" 2>answer.err |
		sed -E 's/^([^:]*:[^:]*):[^:]*:[^:]*:[^:]*:([^:]*:)/\1:\2/; s/(req@|lock: )[0-9a-f]*/\1ADDRESS/g'
}

for analysis in rpc locks evictions leaks messages masks; do
	answer $analysis text.log >want.$analysis
done
answer_timeline text.log >want.timeline
has_line '"joined":2' want.rpc "requests are found"
has_line 'lustre-MDT0000' want.locks "locks are found"
has_line 'evicts' want.evictions "evictions are found"
has_line '"allocations": ?2' want.leaks "allocations are found"
at_least 4 "$(wc -l <want.timeline)" "messages about a NID are found"
# The kernel's memory has both: Lustre's pages, and the log's records until somebody reads the log.
run dktrace report --instance libcfs /proc/kcore
if grep -q "is read with libkdumpfile, which" "$err"; then
	echo "no dumps: $(cat "$err")"
else
	same_answers --instance libcfs /proc/kcore
	same_answers --instance dktrace /proc/kcore
fi

for source in record.dat flight.dat segments log; do
	same_answers $source
	# The same time of day as the log's lines have.
	began=$(dktrace lustre rpc --json $source 2>/dev/null | json '.slowest[0].began')
	at_least "$before" "${began%.*}" "the time of day of a request in $source"
	at_least "${began%.*}" "$after" "and it is not too late"
done

# Files that Lustre's commands write.
echo "$work/binary" >$lnet/dump_kernel
same_answers binary
lctl debug_kernel printed >/dev/null 2>&1
same_answers printed
run dktrace reset
