# SPDX-License-Identifier: LGPL-2.1-or-later
# A buffer larger than the memory is refused with a message, and nothing changes.
# kernel: 6.1
# shellcheck shell=sh disable=SC2154,SC2086

set_param debug=vfstrace debug_mb=4
lctl mark "still here"
before=$(cat "$instance/buffer_size_kb")

# Another program uses more than half of it.
mkdir "$tracing/instances/other"
echo 300000 >"$tracing/instances/other/buffer_size_kb"
run lctl set_param debug_mb=2000000
status_is 0 "more than others can do without"
has_line 'too large for debug buffer size, setting it to 4 MB' "$err" "lowered with Lustre's words"
same "$(cat "$instance/buffer_size_kb")" "$before" "to what it has"

# The kernel may refuse later, if the memory is used by then.
printf 'MemTotal: 8000000 kB\nMemAvailable: 8000000 kB\n' >/tmp/meminfo
mount -o bind /tmp/meminfo /proc/meminfo
run lctl set_param debug_mb=1500
umount /proc/meminfo
status_is 12 "more than there is"
has_line 'Cannot allocate memory' "$err" "and refused by the kernel"
same "$(cat "$instance/buffer_size_kb")" "$before" "the size is as before"
same "$(lctl get_param -n debug_mb)" 4 "and so is what is told of it"
run lctl dk
has_line 'DEBUG MARKER: still here' "$out" "no record is lost"
for wrong in x -1 '' 1k 99999999999999999999; do
	run lctl set_param "debug_mb=$wrong"
	status_is 22 "debug_mb=$wrong"
done
run dktrace reset
status_is 0 "reset"
