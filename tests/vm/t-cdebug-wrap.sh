# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# If the buffers overflow, Lustre's and ours, dk shows the rest once and reports the losses.
# shellcheck shell=sh disable=SC2154,SC2086
# kernel: 6.1

each=8000

# Both CPUs at once, into empty buffers; then nothing comes any more.
fill()
{
	echo clear >$lnet/debug_marker
	lctl clear
	echo 1 >$instance/tracing_on
	emit "cpus $each"
	echo 0 >$instance/tracing_on
	cat $lnet/text >want.raw
	gone=$(($(stat_sum overrun) + $(stat_sum 'commit overrun') + $(stat_sum 'dropped events')))
}

# unbroken FILE DESCRIPTION: of each CPU the last messages of the flood in their order, each once.
unbroken()
{
	sed -nE 's/^.{8}:.{8}:([0-9]+).*:emit_flood\(\)\) flood ([0-9]+) of .*/\1 \2/p' "$1" |
		awk -v last=$((each - 1)) '
			($1 in at) && $2 != at[$1] + 1 { print "cpu " $1 ": " at[$1] " then " $2; bad = 1 }
			{ at[$1] = $2; n++ }
			END { for (cpu in at) { cpus++; if (at[cpu] != last) bad = 1 }
				exit bad || cpus != 2 }' >broken.txt || cat broken.txt
	holds "$2" [ ! -s broken.txt ]
}

load_built libcfs
set_param debug=info debug_mb=1
same 1 "$(cat $lnet/debug_mb)" "both buffers are small"

fill
at_least 1 "$gone" "our buffer wrapped"
holds "Lustre's wrapped too" [ "$(count emit_flood want.raw)" -lt $((2 * each)) ]
echo clear >$lnet/debug_marker
run sh -c 'lctl dk >got.raw'
unbroken got.raw "ours alone: the last messages of both CPUs"
has_line ": $gone records were lost before they were read" "$err" "all that is lost is told"
at_least 1 "$(count 'ring_buffer:0:lost_events' got.raw)" "a gap is shown where it is"
normal want.raw | grep emit_flood >want
normal got.raw | grep emit_flood >got
# The record with the strings of a CPU's first message may be lost.
awk 'NR == FNR { want[$0]; next } !($0 in want)' want got >other
no_line 'some text' other "texts are those of Lustre's buffer"
holds "but for a string that was lost" [ "$(wc -l <other)" -le 2 ]

fill
at_least 1 "$gone" "our buffer wrapped again"
run sh -c 'dktrace dk >got.raw'
status_is 3 "a loss is in the exit status of dktrace dk"
compare "both, Lustre's buffer has more: each message once"

# Our buffer has messages that Lustre's buffer lost: each message comes from one of them.
set_param debug_mb=24
echo 1 >$lnet/debug_mb
fill
same 0 "$gone" "our buffer has room"
holds "Lustre's wrapped" [ "$(count emit_flood want.raw)" -lt $((2 * each)) ]
run sh -c 'dktrace dk >got.raw'
status_is 0 "nothing is lost"
unbroken got.raw "both, ours has more: each message once, in order"
same $((2 * each)) "$(count emit_flood got.raw)" "all of them"
run dktrace reset
status_is 0 "reset ends well"
