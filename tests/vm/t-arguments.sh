# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments of functions, which kernels since 6.15 record: in the log, and in a file made from it.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154

[ -e $tracing/options/func-args ] || skip "this kernel does not record arguments of functions"

# The calls in a text of the kernel, and in one of dktrace, by name and arguments.
kernel_calls()
{
	sed -n 's/^.*: \([a-z_]*(.*)\) <-.*$/\1/p; s/^.*|  *\([a-z_]*(.*)\)\( {\|;\)$/\1/p' "$1"
}

own_calls()
{
	sed -n 's/^.*function: *\([a-z_]*(.*)\) <-- .*$/\1/p; s/^.*|  *\([a-z_]*(.*)\) {$/\1/p' "$1"
}

for tracer in function graph; do
	run dktrace $tracer 'vfs_*'
	status_is 0 "$tracer"
	for option in func-args funcgraph-args; do
		[ ! -e "$instance/options/$option" ] || echo 1 >"$instance/options/$option"
	done
	# Records that have none.
	echo >"$instance/trace"
	for _ in 1 2 3 4 5; do
		cat /proc/version >/dev/null
	done
	echo 0 >"$instance/tracing_on"
	kernel_calls "$instance/trace" >wanted
	run dktrace show --style trace
	own_calls "$out" >have
	at_least 15 "$(wc -l <wanted)" "$tracer: calls with arguments"
	same "$(cat wanted)" "$(cat have)" "$tracer: the arguments of the kernel's text"
	has_line '^vfs_open\(path=0x[0-9a-f]*, file=0x[0-9a-f]*\)$' have "$tracer: by name"
	rm -f log.dat
	run dktrace convert log log.dat
	status_is 0 "$tracer: the log becomes a file"
	run dktrace report log.dat
	own_calls "$out" >have
	same "$(cat wanted)" "$(cat have)" "$tracer: the same from the file"
	run dktrace $tracer off
	run dktrace reset
done
