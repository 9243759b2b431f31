# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# A message during a probe is not recorded: dk reports that, and still prints it from Lustre's buffer.
# shellcheck shell=sh disable=SC2154,SC2086
# kernel: 6.1

grep -q ' aggr_fault_handler$' /proc/kallsyms &&
	skip "this kernel does not tell misses of a probe from addresses that it cannot read"
load_built libcfs
set_param debug=net
run sh -c 'dktrace status | tr -s "\n " " "'
has_line "cdebug: a probe on Lustre's messages libcfs:" "$out" "at first nothing is missed"

emit probe softirq
run dktrace show
status_is 3 "the log alone has not all, by the exit status of show"
has_line 'that were not recorded because the probe was busy: 1 since it was created;' "$err" "and it tells so"
run dktrace dk
same 1 "$(count 'while a probe is at work 4$')" "dk has it, once"
same 1 "$(count 'in softirq 1$')" "and one that was recorded, once"
status_is 0 "so nothing is lost"
run sh -c 'dktrace status | tr -s "\n " " "'
has_line "a probe on Lustre's messages; not recorded because it was busy: 1, " "$out" \
	"status tells it"

# Another program has read Lustre's buffer.
emit probe softirq
echo clear >$lnet/debug_marker
run dktrace dk
status_is 3 "without Lustre's buffer dk has not all"
same 1 "$(count 'in softirq 1$')" "it has what was recorded"
has_line 'that were not recorded because the probe was busy: 1 or more, which Lustre.s own buffer no longer had$' "$err" "dk tells so"
run lctl dk
no_line 'busy' "$err" "the next one has nothing to tell"
emit probe softirq
lctl clear
emit softirq
echo clear >$lnet/debug_marker
run dktrace dk
status_is 0 "what was missed before the log was emptied does not count"

dktrace follow >f.txt 2>f.err &
follow=$!
follows "$follow"
emit probe softirq
until_true finds 'in softirq 1$' f.txt
kill -INT "$follow"
wait "$follow"
same 3 "$?" "follow has not all, by its exit status"
has_line 'that were not recorded because the probe was busy: 1;' f.err "and tells so"
has_line 'in softirq 1$' f.txt "what was recorded is there"
no_line 'while a probe is at work' f.txt "what was not is not"

# Commands that read the log as they read a file tell it, too.
emit probe softirq
for command in "report log" "lustre messages log" "lustre leaks log"; do
	run dktrace $command
	status_is 3 "$command has not all"
	has_line 'that were not recorded because the probe was busy: [1-9]' "$err" "$command tells so"
done
has_line 'records were lost: memory may have been freed that is counted as leaked' "$err" "leaks may be none"

# Other recordings tell it, too, and only of their own time.
run dktrace record -o missed.dat -e dktrace:cdebug -- sh -c "echo probe >$lnet/emit; echo softirq >$lnet/emit"
status_is 3 "record has not all"
has_line 'that were not recorded because the probe was busy: 1;' "$err" "and tells so"
for command in report info "lustre messages" "lustre leaks"; do
	run dktrace $command missed.dat
	status_is 3 "$command of the file has not all"
	has_line '^dktrace: missed.dat: messages of Lustre that were not recorded because the probe was busy: 1$' \
		"$err" "$command of the file tells so"
done
run dktrace convert missed.dat again.dat
status_is 3 "a copy has not all, either"
run dktrace report again.dat
has_line '^dktrace: again.dat: messages .* busy: 1$' "$err" "a copy of the file tells so"

# The number is in the file before the recording ends.
dktrace record -o killed.dat -e dktrace:cdebug >k.txt 2>k.err &
killed=$!
misses_in_file()
{
	emit probe softirq
	grep -aq 'Missed by probe dktrace:cdebug: ' killed.dat
}
until_true misses_in_file
kill -9 "$killed"
wait "$killed"
run dktrace report killed.dat
has_line '^dktrace: killed.dat: messages .* busy: [1-9]' "$err" "a recording that was killed tells it"
run dktrace recover killed.dat
run dktrace report killed.dat
status_is 3 "completed, it has not all"
has_line '^dktrace: killed.dat: messages .* busy: [1-9]' "$err" "completed, it tells so"

# A dump has those since the dump before.
run dktrace flight start -e dktrace:cdebug --size 1M --dir dumps
status_is 0 "a flight recorder of Lustre's messages"
emit probe softirq
run dktrace flight dump
run dktrace report dumps/*-000001.dat
status_is 3 "a dump has not all"
has_line 'messages .* busy: 1$' "$err" "a dump tells so"
emit softirq
run dktrace flight dump
run dktrace report dumps/*-000002.dat
status_is 0 "the next dump has all since"
run dktrace flight stop

run dktrace record -o all.dat -e dktrace:cdebug -- sh -c "echo softirq >$lnet/emit"
status_is 0 "a recording without misses has all"
has_line "recorded without their strings; 'dktrace:cdebug\*' records them" "$err" "but no strings, which it tells"
run dktrace record -o all.dat -e 'dktrace:cdebug*' -- sh -c "echo softirq >$lnet/emit"
no_line 'strings' "$err" "with the other probes it has them"
run dktrace reset
status_is 0 "reset ends well"
