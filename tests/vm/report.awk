# SPDX-License-Identifier: LGPL-2.1-or-later
# Judges one boot: prints ok, not ok or skip per test and for the kernel itself, then "count PASSED FAILED SKIPPED".
#
# usage: awk -v kernel=NAME -v tests="TEST..." -v verbose=0|1 -v ended=HOW -v part=whole|part \
#	-v logs=DIR -f report.awk REPORT [CONSOLE]
#
# The report is what init sent; the console is read for what the kernel said after the report broke off.
# The log of each test is left in DIR/KERNEL-TEST. A test that never reported has failed, whatever the reason. A part of the tests: the kernel is not judged.

BEGIN {
	bad = "WARNING:|BUG:|Oops|Kernel panic|general protection fault|Unable to handle|Call Trace:" \
		"|rcu.*(stall|starved)|soft lockup|blocked for more than|INFO: (possible|suspicious|trying)" \
		"|circular locking|KASAN|UBSAN|Modules linked in:"
	current = "boot"
}

{
	sub(/\r$/, "")
}

# Warned, died, bad page, soft lockup: these taint the kernel even if its log was cleared (include/linux/panic.h).
function tainted(mask, flag)
{
	return int(mask / flag) % 2
}

function verdict(word, name, note, with_log)
{
	printf "%s %s %s%s\n", word, kernel, name, note == "" ? "" : ": " note
	if (with_log)
		printf "%s", log_of[name]
	if (logs != "") {
		file = logs "/" kernel "-" name
		printf "%s", log_of[name] >file
		close(file)
	}
	counts[word]++
}

function keep(name, line)
{
	log_of[name] = log_of[name] "    | " line "\n"
}

FNR != NR {
	if ($0 ~ bad && !first_bad)
		first_bad = FNR
	console[FNR] = $0
	console_lines = FNR
	next
}

/^@vm boot / { release = $3 }

/^@vm begin / { current = $3 }

/^@vm\| / || /^@vm\|$/ { keep(current, substr($0, 6)) }

/^@vm k / {
	line = substr($0, 7)
	if (line ~ bad)
		complaints[current]++
	kernel_log[current] = kernel_log[current] "    | kernel: " line "\n"
}

/^@vm end / {
	status[$3] = $4
	seconds[$3] = $5
	reason = $0
	sub(/^@vm end [^ ]+ [^ ]+ [^ ]+ */, "", reason)
	reasons[$3] = reason
	current = "boot"
}

/^@vm done / {
	taint = $3
	uptime = $4
	done = 1
}

function judge(name)
{
	if (!(name in status)) {
		verdict("not ok", name, name == current ? "the VM ended while it ran" : "never reported", 1)
	} else if (complaints[name]) {
		log_of[name] = log_of[name] kernel_log[name]
		verdict("not ok", name, "the kernel complained", 1)
	} else if (status[name] == 0) {
		verdict("ok", name, seconds[name] " s", verbose)
	} else if (status[name] == 77 && reasons[name] != "") {
		verdict("skip", name, reasons[name], verbose)
	} else {
		verdict("not ok", name, reasons[name] == "" ? "exit status " status[name] : reasons[name], 1)
	}
}

# From the first complaint on, or the last lines if there is none.
function keep_console(i)
{
	i = first_bad ? first_bad : console_lines - 19
	for (n = 0; n < 40 && i <= console_lines; n++)
		keep("kernel", console[i++])
}

END {
	total = split(tests, names, " ")
	for (i = 1; i <= total; i++)
		judge(names[i])
	if (part == "whole")
		judge_kernel()
	printf "count %d %d %d\n", counts["ok"], counts["not ok"], counts["skip"]
}

function judge_kernel(taints)
{
	taints = done && (tainted(taint, 32) || tainted(taint, 128) || tainted(taint, 512) || tainted(taint, 16384))
	if (!done) {
		keep_console()
		verdict("not ok", "kernel", release == "" ? "never reported (" ended ")" : "report broke off (" ended ")", 1)
	} else if (complaints["boot"]) {
		log_of["kernel"] = kernel_log["boot"]
		verdict("not ok", "kernel", "complained outside the tests", 1)
	} else if (first_bad && !anyone(complaints)) {
		keep_console()
		verdict("not ok", "kernel", "complained on the console", 1)
	} else if (taints) {
		verdict("not ok", "kernel", "tainted " taint ": it warned or died somewhere", 1)
	} else {
		verdict("ok", "kernel", release ", up " uptime " s", 0)
	}
}

function anyone(list, name)
{
	for (name in list)
		return 1
	return 0
}
