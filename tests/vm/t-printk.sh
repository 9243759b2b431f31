# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: texts
# programs: trace-cmd
# Records of trace_printk() in a trace.dat of trace-cmd print as the kernel prints them.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154,SC2086

need trace-cmd

load_built texts
sed -n 's/^.* [0-9]*\.[0-9]*: \(write_[a-z]*: \)/\1/p' $tracing/trace | sort >kernel.txt
same 17 "$(count '^write_' kernel.txt)" "the kernel has every message"
run trace-cmd extract -o trace.dat
status_is 0 "trace-cmd extracts them"

# The file has the address where the kernel prints a hash.
texts()
{
	sed -n 's/^.* [0-9]*\.[0-9]*: [a-z]*: *\(write_[a-z]*: \)/\1/p' "$1" | sort
}
run sh -c 'dktrace report trace.dat >ours.dat'
status_is 0 "report ends well"
texts ours.dat >ours.txt
sed -E 's/(hashed) .*/\1/' kernel.txt >want
sed -E 's/(hashed) .*/\1/' ours.txt | diff want - >differ && ok "texts are the kernel's" || {
	cat differ
	fail "texts are the kernel's"
}
has_line '^write_pointers: hashed 0x[0-9a-f]{16}$' ours.txt "an address is one"

# After a conversion that it does not know, as %hd, trace-cmd can parse no further message.
trace-cmd report -N -i trace.dat >cmd.dat 2>cmd.err
texts cmd.dat >cmd.txt
for part in 'int ' 'only words' 'put' some; do
	same "$(grep -F ": $part" cmd.txt)" "$(grep -F ": $part" ours.txt)" "as trace-cmd: $part"
done

run sh -c 'dktrace convert trace.dat again.dat && dktrace report again.dat >again.txt'
status_is 0 "convert and report end well"
run cmp ours.dat again.txt
status_is 0 "a copy of the file says the same"
