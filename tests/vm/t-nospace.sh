# SPDX-License-Identifier: LGPL-2.1-or-later
# dk FILE on a full file system, in a missing directory, into a closed pipe: the records stay.
# shellcheck shell=sh disable=SC2154

set_param debug=vfstrace
for _ in $(seq 200); do
	cat /etc/passwd
done >/dev/null
echo 0 >"$instance/tracing_on"
run sh -c 'dktrace show >all.txt'
lines=$(count "$legacy" all.txt)
at_least 2000 "$lines" "there is something to lose"

run lctl dk /no/such/dir/file
assert_rc 1 "a missing directory is refused"
assert_grep 'fopen\(/no/such/dir/file\) failed: No such file' "$err" "with the reason"
run lctl dk /dev/full
assert_rc 1 "a full device is a failure"
assert_grep 'No space left' "$err" "with the reason"

mkdir small
mount -t tmpfs -o size=64k tmpfs small
run lctl dk small/file
assert_rc 1 "a full disk is a failure"
assert_grep 'No space left' "$err" "with the reason"
umount small
run sh -c 'lctl dk | head -n 5'
assert_eq 5 "$(wc -l <"$out")" "a pipe that closes gets its lines"
assert_eq '' "$(cat "$err")" "and ends quietly"

run lctl dk rest.txt
assert_rc 0 "then dk ends well"
# What went into the pipe before it closed may be gone, what was refused by the disk may not.
got=$(count "$legacy" rest.txt)
echo "$got of $lines"
tail -n "$got" all.txt | grep -E "$legacy" >tail.txt
run dktrace reset
