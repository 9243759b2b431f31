#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Help and completion of every command.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

commands()
{
	dktrace __complete dktrace "" | grep -v '^--'
}

@test "every command has help, its options and completion agree" {
	local command options

	at_least 12 "$(commands | wc -l)"
	for command in $(commands); do
		run -0 dktrace help "$command"
		has "${lines[0]}" "Usage: dktrace $command"
		options=$(printf '%s\n' "$output" | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/--\2/p' | sort)
		case $command in
		set_param | get_param | clear | mark | help) ;;
		*)
			same "$options" "$(dktrace __complete dktrace "$command" - | sort)" "options of $command"
			same "$output" "$(dktrace "$command" --help)" "$command --help"
			;;
		esac
	done
}

@test "each help row says what its option does in this command" {
	local command text

	for command in $(commands); do
		text=$(dktrace help "$command" | tr -s ' \n' ' ')
		case $command in
		# These decide what the kernel records, or what it acts on.
		record | flight | daemon | filter | function | graph | probe | trigger)
			lacks "$text" "select records" ;;
		*)
			lacks "$text" "record only" ;;
		esac
	done
	has "$(dktrace help trigger | tr -s ' \n' ' ')" "act only on events that match EXPR"
	has "$(dktrace help get_param)" "[-n|-N] PARAMETER..."
	for command in show dk follow; do
		has "$(dktrace help "$command")" "--input DIR"
		expect 2 "" "dktrace: $command: --input takes a saved tree: 'dktrace report $top/tests/fixture/tracedat/v6.dat' prints the records of a file" dktrace "$command" -i "$top/tests/fixture/tracedat/v6.dat"
	done
}

@test "mark --help writes no marker but prints the help" {
	local command

	for command in mark clear get_param set_param; do
		expect 0 "$(dktrace help "$command")" "" dktrace "$command" --help
		expect 0 "$(dktrace help "$command")" "" dktrace "$command" -h
	done
}

@test "--help and help print the same text on stdout" {
	run -0 --separate-stderr dktrace --help
	same "" "$stderr" "stderr"
	same "$output" "$(dktrace help)" "help"
	for command in $(commands); do
		has "$output" "  $command "
	done
}

@test "--version prints the version" {
	expect 0 "dktrace 0.1.0" "" dktrace --version
	expect 0 "dktrace 0.1.0" "" dktrace -V
}

# The questions of the tasks.
questions()
{
	dktrace help tasks | sed '/^$/,$d'
}

@test "help finds the commands for a task by words of the question" {
	run -0 dktrace help who fsyncs
	same "Who fsyncs?
  now:     dktrace hist fsyncs
  record:  dktrace record -e 'syscalls:sys_*sync*'
  later:   dktrace hist fsyncs trace.dat" "$(printf '%s\n' "${lines[@]:0:4}")" "the first task"
	same "$output" "$(dktrace help 'Who FSYNCS?')" "other case, in quotes"
	run -0 dktrace help slow disk
	has "${lines[0]}" "Which disk is slow?"
	no_more=$(printf '%s\n' "$output" | grep -c '?$')
	same 1 "$no_more" "tasks that have both words"
	run -0 dktrace help disk
	at_least 3 "$(printf '%s\n' "$output" | grep -c '?$')" "tasks about disks"
}

@test "the first task that help prints for a question in people's words has the command that answers it" {
	local question command wrong="" n=0

	while IFS=$'\t' read -r question command; do
		# shellcheck disable=SC2086 # words, as they are typed
		run dktrace help $question
		# Its lines up to the empty one before the next task.
		has "$(sed '/^$/,$d' <<<"$output")" "$command" >/dev/null || wrong+="$question: not $command"$'\n'
		n=$((n + 1))
	done < <(grep -v '^#' "$BATS_TEST_DIRNAME/help-questions.cases")
	at_least 210 "$n" "questions"
	same "" "$wrong" "questions"
}

@test "the question of each task finds this task first" {
	local question

	while read -r question; do
		run -0 dktrace help "$question"
		same "$question" "${lines[0]}" "the first task"
	done < <(questions)
}

@test "help lists commands in groups, each command once" {
	run -0 dktrace help
	same "The log:
Recording into files:
Reading files:
Answers, live and from files:
Answers from Lustre's logs:
Many hosts:
Settings: what is recorded, and when:
What there is:
Options before any command:
To start with:" "$(grep '^[A-Z].*:$' <<<"$output")" "headings"
	same "$(commands | sort)" "$(sed -n 's/^  \([a-z_-]*\) .*/\1/p' <<<"$output" | grep . | sort)" "commands"
	has "$(sed -n '/^Many hosts:/,/^$/p' <<<"$output")" "  collect "
}

@test "the commands for tasks have lines of 100 columns, which can be read and copied" {
	at_least 20 "$(questions | wc -l)" "tasks"
	run -0 dktrace help "$(questions | paste -sd ' ')"
	same "" "$(printf '%s\n' "$output" | grep -E '.{101}')" "long lines"
}

@test "a command has its help, not that of tasks with its name" {
	run -0 dktrace help graph
	has "${lines[0]}" "Usage: dktrace graph"
}

@test "help with words of no task says how to list commands and tasks" {
	expect 2 "" "dktrace: unknown command or task 'slwo'; 'dktrace help' lists the commands, 'dktrace help tasks' the tasks; did you mean slow?" \
		dktrace help slwo
	expect 2 "" "dktrace: no task has these words; 'dktrace help tasks' lists the tasks" dktrace help who is it
	run -2 dktrace help ''
}
