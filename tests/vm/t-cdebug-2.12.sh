# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs-2.12
# Messages of Lustre 2.12, which pass through a function with two formats, print as the same lines.
# shellcheck shell=sh disable=SC2154,SC2086
# kernel: 6.12

load_built libcfs-2.12
set_param debug=+net+info+rpctrace+dlmtrace+ha+trace
has_line '^p:dktrace/cdebug libcfs:libcfs_debug_vmsg2 ' $tracing/kprobe_events "the probe is there"
same 1 "$(count . $tracing/kprobe_events)" "and no other"
echo -1 >$lnet/debug
emit catalogue
cat $lnet/text >all.raw
traced
# From a va_list it records fewer arguments, and strings only up to a NUL.
grep -Ev 'many 1 2|sockets|zeros' all.raw >want.raw
grep -Ev 'many 1 2|sockets|zeros' got.raw >some.raw
has_line 'many 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 <%d>' got.raw "sixteen words, then what they are"
mv some.raw got.raw
compare "catalogue"
has_line '@@@ lustre-OST0001: 3 of 1099511627776 failed: timed out +req@' got.raw \
	"a request's line has both of its texts"
emit_contexts
same_log "contexts"
emit catalogue "flood 500" "cpus 200"
once "both sources, each message once"
run dktrace reset
same "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
