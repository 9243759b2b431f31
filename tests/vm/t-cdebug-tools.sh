# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# programs: perf trace-cmd
# perf and trace-cmd record messages of an unmodified Lustre with the probe, beside the debug log.
# shellcheck shell=sh disable=SC2154,SC2086
# kernel: 6.12

need perf trace-cmd

load_built libcfs
set_param debug=+net+info+rpctrace
echo -1 >$lnet/debug
echo "echo catalogue >$lnet/emit" >emit.sh

# The command of the man page, with the class rpctrace as a number.
run perf record -a -o perf.data -e dktrace:cdebug --filter 'msg_mask & 0x100000' -- sh emit.sh
status_is 0 "perf records"
run sh -c 'perf script -i perf.data >perf.txt'
same 3 "$(count 'dktrace:cdebug: .*msg_fn="emit_nested"' perf.txt)" "perf: the messages of the class"
no_line 'emit_numbers|emit_strings' perf.txt "perf: no others"
has_line 'fmt="%pV req@' perf.txt "perf: their format"

run trace-cmd record -o trace.dat -e dktrace:cdebug -f 'msg_mask & 0x100000' sh emit.sh
status_is 0 "trace-cmd records"
run sh -c 'trace-cmd report -i trace.dat >cmd.txt'
same 3 "$(count 'cdebug: .*msg_fn="emit_nested"' cmd.txt)" "trace-cmd: the messages of the class"
no_line 'emit_numbers|emit_strings' cmd.txt "trace-cmd: no others"

# The log has the records of both programs, and more.
traced
same 2 "$(count '@@@ Request sent' got.raw)" "the log has the messages of both"
has_line 'emit_numbers' got.raw "and those of its own classes"
run dktrace reset
same "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
