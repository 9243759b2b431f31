#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Recordings by perf record with many options, beside perf script.

load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	perf version >/dev/null 2>&1 || skip "needs perf"
	[ "$(id -u)" = 0 ] || skip "needs root: others may not see where the kernel is"
	perf record -q -e cpu-clock -o try.data -- true >/dev/null 2>&1 || skip "perf may not record here"
	cat >burn.sh <<-'SH'
		i=0
		while [ $i -lt 30000 ]; do i=$((i + 1)); done
		ls -R /usr/include >/dev/null
	SH
}

# Each sample by perf script: thread, time, event, period, function, file. Jumps to functions that are chosen at run
# time have no name; perf takes "@plt" for one.
perf_samples()
{
	perf script --ns -G -F tid,time,event,period,ip,sym,symoff,dso -i "$1" 2>/dev/null |
		sed 's/ (deleted))$/)/' | awk '
		NF {
			name = $4
			sub(/:[pPHG]*:*$/, "", name)
			gsub(/[-:]/, "_", name)
			time = $2
			gsub(/[.:]/, "", time)
			place = substr($0, index($0, " " $5 " ") + length($5) + 2)
			match(place, /\([^(]*\)$/)
			dso = substr(place, RSTART + 1, RLENGTH - 2)
			place = substr(place, 1, RSTART - 2)
			sub(/.*\//, "", dso)
			# The file that a just-in-time compiler may write.
			if (dso ~ /^perf-[0-9]+\.map$/)
				dso = "[unknown]"
			if (place ~ /^@plt\+/)
				place = "[unknown]"
			print $1 "," time "," name "," place " (" dso ") period=" $3
		}' | sed -E 's/@@?[A-Z][A-Za-z_0-9.]*(\+0x)/\1/'
}

# The same by dktrace, of events that are no tracepoints.
our_samples()
{
	dktrace report -e 'perf:*' -S csv --fields pid,ts,event,text "$1" | tail -n +2 |
		sed -E 's/"//g; s/\(perf-[0-9]+\.map\)/([unknown])/; s/\[unknown\]\+0x[0-9a-f]+/[unknown]/; s/(period=[0-9]+).*/\1/'
}

# The functions of each call chain by perf script, from the innermost on; addresses without a name are "?".
perf_chains()
{
	perf script --ns --no-inline -F time,ip,sym,dso -i "$1" 2>/dev/null | sed 's/ (deleted))$/)/' | awk '
		NF == 1 && $1 ~ /:$/ { if (line) print line; line = $1; gsub(/[.:]/, "", line); ended = 0; next }
		# The kernel ends stacks with -1, too; perf ends those that it unwinds and that were cut with the
		# address before 0.
		$1 ~ "^ffffffff(ffffffff)?$" { ended = 1 }
		NF == 0 || $1 == "0" || ended { next }
		{
			match($0, / \([^(]*\)$/)
			dso = substr($0, RSTART + 2, RLENGTH - 3)
			name = substr($0, 1, RSTART - 1)
			sub(/^[ \t]*[^ ]+ /, "", name)
			gsub(/ /, "_", name)
			sub(/.*\//, "", dso)
			if (dso ~ /^perf-[0-9]+\.map$/)
				dso = "[unknown]"
			if (name == "@plt")
				name = "[unknown]"
			if (name == "[unknown]" && dso != "[unknown]" && dso !~ /^\[kernel/)
				name = "[" dso "]"
			else if (name == "[unknown]")
				name = "?"
			line = line " " name
		}
		END { if (line) print line }' | sed -E 's/@@?[A-Z][A-Za-z_0-9.]*( |$)/\1/g' | sed 's/\[\[/[/g; s/\]\]/]/g'
}

our_chains()
{
	dktrace report -S json "$1" | jq -r '"\(.ts) \(((.kernel_stack // []) + (.user_stack // [])) |
		map(select(endswith(" (inlined)") | not) | gsub(" "; "_")) | join(" "))"' |
		sed -E 's/\+0x[0-9a-f]+//g; s/\[perf-[0-9]+\.map\]/?/g; s/ 0x[0-9a-f]+/ ?/g; s/ $//'
}

# Replaces the names of kernel functions by the first one at their address: perf takes another one of several.
same_names()
{
	awk 'NR == FNR {
			if (!($3 in address))
				address[$3] = $1
			if (!($1 in name))
				name[$1] = $3
			next
		}
		{
			for (i = 1; i <= NF; i++) {
				before = $i ~ /,/ ? substr($i, 1, length($i) - length(last($i))) : ""
				word = substr($i, length(before) + 1)
				after = match(word, /\+0x/) ? substr(word, RSTART) : ""
				word = substr(word, 1, length(word) - length(after))
				if (word in address)
					$i = before name[address[word]] after
			}
			print
		}
		function last(text, n, part) { n = split(text, part, ","); return part[n] }' /proc/kallsyms "$1"
}

# The options of perf record, one recording a line.
recordings='
-e cpu-clock
-e cpu-clock -F 4000 -g
-e cpu-clock -c 500000 -g --call-graph fp
-e cpu-clock:u -F 2000 -g
-e cpu-clock:k -F 2000 -g
-e task-clock -F 2000 -g
-e page-faults -c 1 -g
-e page-faults -c 1 -d
-e cpu-clock,page-faults -F 2000
-e cpu-clock,page-faults,context-switches -F 2000 -g -a
-e cpu-clock,sched:sched_switch -F 2000 -g
-e minor-faults -c 3 -d --phys-data
-e cpu-clock -F 2000 -W -d
-e cpu-clock -F 2000 --user-regs=ip,sp
-e cpu-clock -F 2000 --intr-regs=ip,sp -g
-e cpu-clock -F 2000 -s -T -g
-e cpu-clock -F 2000 --sample-cpu --sample-identifier -g
-e cpu-clock -F 2000 -g -z
-e cpu-clock -F 2000 -k CLOCK_MONOTONIC -g
-e cpu-clock -F 2000 -g --all-cgroups --switch-events --namespaces
-e cpu-clock -F 2000 -g --per-thread -T
-e cpu-clock -F 2000 -g -B -N
-e {cpu-clock,page-faults} -F 2000 -g
-e {cpu-clock,page-faults,context-switches}:S -F 500 -g
-e cpu-clock -F 2000 -g --tail-synthesize --buildid-mmap
'

@test "samples of any event are records, as perf script has them" {
	number=0
	while read -r options; do
		[ "$options" ] || continue
		number=$((number + 1))
		file=$number.data
		# shellcheck disable=SC2086 # words
		perf record -q $options -o "$file" -- sh burn.sh 2>perf.err ||
			{ cat perf.err; echo "perf record $options"; return 1; }
		perf_samples "$file" | grep -v ,sched_sched_switch, >wanted || true
		echo "perf record $options: $(wc -l <wanted) samples"
		test -s wanted
		our_samples "$file" >have
		# perf knows the kernel too late for the first ones if it reads of it last, and there are many samples.
		: >late
		[[ $options != *--tail-synthesize* ]] || sed -n 's/^[^,]*\(,[0-9]*\),.*,\[unknown\] (\[unknown\]).*/\1/p' wanted | tr -d , >late
		diff <(same_names wanted | grep -vFf late) <(same_names have | grep -vFf late)
		[[ $options == *-g* ]] || continue
		perf_chains "$file" >all
		# perf drops all of a chain if one of its words, garbage in a program without frame pointers, looks like
		# a mark.
		awk 'NF > 1' all >wanted
		our_chains "$file" | awk 'NR == FNR { if (NF == 1) none[$1]; next } !($1 in none)' all - >have
		diff <(same_names wanted | grep -vFf late) <(same_names have | grep -vFf late)
	done <<<"$recordings"
	same "$number" "$(grep -c "^-e" <<<"$recordings")" recordings
}

@test "code beyond the kernel is of no function and no file" {
	perf record -q -e cpu-clock:k -F 4000 -o live.data -- sh burn.sh 2>/dev/null
	ip=$(dktrace report -S csv --fields ip live.data | sed -n '2s/\r//p')
	# As of a program of BPF: a megabyte after the kernel, where its modules are not yet.
	python3 - "$ip" "$(grep -v '\[' /proc/kallsyms | sort | tail -n 1)" <<-'END'
		import sys
		at, beyond = int(sys.argv[1]), int(sys.argv[2].split()[0], 16) + (1 << 20)
		data = open("live.data", "rb").read()
		open("beyond.data", "wb").write(data.replace(at.to_bytes(8, "little"), beyond.to_bytes(8, "little")))
	END
	perf_samples beyond.data >wanted
	has_line ',\[unknown\] \(\[unknown\]\) ' wanted
	our_samples beyond.data >have
	diff <(same_names wanted) <(same_names have)
}

@test "functions of a just-in-time compiler have the names that it writes, if it may" {
	cat >hot.js <<-'JS'
		function hotFunction(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
		let t = 0;
		for (let k = 0; k < 1000; k++) t += hotFunction(20000);
	JS
	command -v node >/dev/null || skip "needs node"
	perf record -q -F 999 -e cpu-clock -o js.data -- node --perf-basic-prof hot.js
	pid=$(dktrace report -S csv --fields dso js.data | sed -n 's/^perf-\([0-9]*\)\.map.*/\1/p' | uniq)
	map=/tmp/perf-$pid.map
	test -s "$map"
	mv "$map" map
	perf_names() { perf script -F ip,sym,dso -i js.data 2>/dev/null | grep -c "hotFunction.*perf-$pid.map)" || true; }
	our_names() { dktrace report -S csv --fields sym,dso js.data | grep -c "hotFunction.*,perf-$pid.map" || true; }
	same "$(our_names)" 0 "names without the file"
	cp map "$map"
	names=$(our_names)
	at_least 1 "$names"
	same "$names" "$(perf_names)" "names"
	# The file of another user, a link, and that of another host are none.
	chown nobody "$map"
	same "$(our_names)" 0 "names by another user"
	rm "$map"
	ln -s "$PWD/map" "$map"
	same "$(our_names)" 0 "names by a link"
	rm "$map"
	cp map "$map"
	same "$(unshare -u sh -c 'hostname other && dktrace report -S csv --fields sym,dso js.data' | grep -c hotFunction || true)" 0 \
		"names of another host"
	rm "$map"
}

@test "on another host, names come from the copies that perf keeps" {
	export HOME=$PWD
	perf record -q -F 2000 -e cpu-clock -g -o here.data -- sh burn.sh
	dktrace report -S csv --fields ts,sym,symoff,dso here.data >wanted
	has_line '\[kernel' wanted
	unshare -u sh -c 'hostname other && dktrace report -S csv --fields ts,sym,symoff,dso here.data' >have
	diff wanted have
	# Without the copies, functions of the kernel have no names; programs are found by their build ID.
	rm -rf .debug
	unshare -u sh -c 'hostname other && dktrace report -S csv --fields ts,sym,symoff,dso here.data' >have
	grep -v '\[kernel' wanted | cmp - <(grep -v '\[kernel' have)
	run ! grep -v '\[unknown\]' <(grep '\[kernel' have)
}

# A program without frame pointers: recursion, a callback of the C library, threads, a signal handler, room on the
# stack whose size is known only at run time, a function of the kernel's vDSO.
make_deep()
{
	cat >deep.c <<-'C'
		#include <alloca.h>
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <time.h>

		#define APART __attribute__((noinline))

		static volatile unsigned long sink;

		APART unsigned long burn(unsigned long n)
		{
			unsigned long sum = 0;

			for (unsigned long i = 0; i < n; i++)
				sum += i * sum + 7;
			sink += sum;
			return sum;
		}

		APART unsigned long call_itself(int n)
		{
			char room[64];

			memset(room, n, sizeof(room));
			sink += n ? call_itself(n - 1) + room[3] : burn(20000);
			return sink + room[n % 64];
		}

		APART int compare(const void *a, const void *b)
		{
			burn(20);
			return *(const int *)a - *(const int *)b;
		}

		APART void sort(void)
		{
			int list[500];

			for (int i = 0; i < 500; i++)
				list[i] = i * 7919 % 503;
			qsort(list, 500, sizeof(*list), compare);
			sink += list[3];
		}

		APART void take_room(int n)
		{
			char *room = alloca(n * 16);

			memset(room, 1, n * 16);
			burn(20000);
			sink += room[n];
		}

		APART void read_clock(void)
		{
			const clockid_t id = CLOCK_MONOTONIC;
			struct timespec now;

			for (int i = 0; i < 500; i++) {
				clock_gettime(id, &now);
				sink += now.tv_nsec;
			}
		}

		static inline __attribute__((always_inline)) unsigned long multiply(unsigned long n)
		{
			unsigned long sum = 1;

			for (unsigned long i = 0; i < n; i++)
				sum = sum * 3 + i;
			return sum;
		}

		static inline __attribute__((always_inline)) unsigned long add_two(unsigned long n)
		{
			return multiply(n) + burn(n);
		}

		APART void add_all(void)
		{
			sink += add_two(20000);
		}

		static void handle(int nr)
		{
			burn(20000);
			sink += nr;
		}

		static void *run(void *arg)
		{
			for (int i = 0; i < 300; i++) {
				call_itself(20);
				sort();
				take_room(30);
				read_clock();
				add_all();
				raise(SIGUSR1);
			}
			return arg;
		}

		int main(void)
		{
			pthread_t threads[2];

			signal(SIGUSR1, handle);
			for (int i = 0; i < 2; i++)
				pthread_create(&threads[i], NULL, run, NULL);
			for (int i = 0; i < 2; i++)
				pthread_join(threads[i], NULL);
			run(NULL);
			return 0;
		}
	C
	"${CC:-cc}" -O2 -fomit-frame-pointer -pthread "$@" -o deep deep.c || skip "no compiler"
}

# Compares the call chains of a recording of ./deep.
same_chains()
{
	record_deep "$@"
	diff <(same_names wanted) <(same_names have)
}

# The same for stacks that were cut. perf does not read their last word: it may be the address of one more caller.
same_cut_chains()
{
	record_deep "$@"
	paste -d '\n' <(same_names wanted) <(same_names have) | awk '
		NR % 2 { wanted = $0; n = NF; next }
		$0 == wanted { next }
		NF == n + 1 && index($0, wanted " ") == 1 { next }
		{ print "< " wanted; print "> " $0; bad = 1 }
		END { exit bad }'
}

# On a slow machine perf loses samples with their stacks, which exit status 3 tells. usage: despite_losses COMMAND...
despite_losses()
{
	"$@" || [ $? -eq 3 ]
}

record_deep()
{
	perf record -q "$@" -o deep.data -- ./deep 2>perf.err || { cat perf.err; return 1; }
	perf_chains deep.data | awk 'NF > 1' >wanted
	echo "perf record $*: $(wc -l <wanted) samples"
	# A record of samples that were lost has no chain.
	our_chains deep.data | awk 'NF > 1' >have
}

@test "saved stacks are unwound to the call chains of perf script" {
	make_deep
	same_chains -e cpu-clock -F 2000 --call-graph dwarf
	has_line 'burn call_itself call_itself .* main __libc_start_call_main' have
	has_line 'burn compare msort_with_tmp' have
	has_line 'burn handle .* run' have
	has_line 'clock_gettime.* read_clock run' have
	same_cut_chains -e cpu-clock -F 2000 --call-graph dwarf,1024
	same_chains -e cpu-clock -F 2000 --call-graph dwarf,16384 -z
	same_chains -e cpu-clock:u -F 2000 --call-graph dwarf
	same_chains -e cpu-clock,sched:sched_switch -F 2000 --call-graph dwarf
}

@test "unwound call chains become folded stacks, and do not need the program" {
	export HOME=$PWD
	make_deep
	perf record -q -e cpu-clock -F 2000 --call-graph dwarf -o deep.data -- ./deep
	despite_losses dktrace report -S folded deep.data >folded
	has_line '^cpu_clock;deep;_start;__libc_start_main;__libc_start_call_main;main;run;call_itself;.*;burn [0-9]' folded
	# Another build of the same program is none. perf has a copy of the recorded one.
	rm -rf .debug
	make_deep -DOTHER -Wl,--build-id=0x0123
	despite_losses dktrace report -S folded deep.data >folded
	has_line '^cpu_clock;deep;.*\[deep\]' folded
	no_line call_itself folded
}

@test "inlined functions are in unwound call chains, as perf script has them" {
	make_deep -g
	perf record -q -e cpu-clock -F 2000 --call-graph dwarf -o deep.data -- ./deep
	# perf shows another name of the function itself, as inlined, if the debug information has it.
	perf script --ns -F time,ip,sym -i deep.data 2>/dev/null | awk '
		NF == 1 && $1 ~ /:$/ { line = $1; gsub(/[.:]/, "", line); next }
		NF > 1 { line = line "," substr($0, index($0, $2)) }
		NF == 0 && match(line, /,add_all,/) { print substr(line, 1, RSTART + 7) }' >wanted
	dktrace report -S json deep.data | jq -r '"\(.ts),\((.kernel_stack // []) + (.user_stack // []) | join(","))"' |
		sed -E 's/\+0x[0-9a-f]+//g' | sed -n 's/\(,add_all\),.*/\1/p' >have
	has_line ',multiply [(]inlined[)],add_two [(]inlined[)],add_all' have
	has_line ',burn,add_two [(]inlined[)],add_all' have
	diff <(same_names wanted) <(same_names have)
}

@test "inlined functions are found without the table of addresses, which clang does not write" {
	make_deep -g
	perf record -q -N -e cpu-clock -F 2000 --call-graph dwarf -o deep.data -- ./deep
	despite_losses dktrace report -S json deep.data >wanted
	has_line 'multiply [(]inlined[)]' wanted
	objcopy --remove-section .debug_aranges deep
	despite_losses dktrace report -S json deep.data >have
	cmp wanted have
}

@test "a profile has the same stacks with and without the texts of samples" {
	make_deep -g
	perf record -q -e cpu-clock,page-faults -F 2000 --call-graph dwarf -o deep.data -- ./deep
	perf record -q -e cpu-clock -F 2000 -o plain.data -- ./deep
	for file in deep.data plain.data; do
		despite_losses dktrace profile -S folded $file >short
		# A filter needs them.
		despite_losses dktrace profile -S folded -f 'period > 0' $file >whole
		test -s whole
		cmp short whole
	done
}
