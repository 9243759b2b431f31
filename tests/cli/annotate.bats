#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# annotate: the lines and instructions of a function, beside perf annotate.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	perf version >/dev/null 2>&1 || skip "needs perf"
	export HOME=$BATS_TEST_TMPDIR
	cat >prog.c <<-'END'
		volatile unsigned long sum;
		static inline __attribute__((always_inline)) void add(unsigned long i) { sum += i; }
		__attribute__((noinline)) void burn(int n)
		{
			for (int i = 0; i < n; i++) {
				add(i);
				sum ^= 3;
			}
		}
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				burn(1000000);
			return 0;
		}
	END
	"${CC:-cc}" -g -O2 -o prog prog.c || skip "needs a compiler"
	perf record -q -e cpu-clock:u -F 5000 -o prog.data ./prog >/dev/null 2>&1 || skip "perf may not record here"
}

# The share of each instruction that has samples, by perf: "47.57 1175".
perf_shares()
{
	perf annotate --stdio -s "$1" -i "$2" 2>/dev/null |
		awk '$2 == ":" && $3 ~ /^[0-9a-f]+:$/ && $1 > 0 { sub(":", "", $3); print $1, $3 }'
}

our_shares()
{
	dktrace annotate --json "$@" | jq -r '.instructions[] | select(.samples > 0) | "\(.share) \(.address)"' |
		while read -r share address; do
			printf '%.2f %x\n' "$(awk "BEGIN { print 100 * $share }")" "$address"
		done
}

@test "annotate has the shares of perf annotate at each instruction" {
	perf_shares burn prog.data >wanted
	at_least 1 "$(wc -l <wanted)" instructions
	our_shares burn prog.data >have
	diff wanted have
}

@test "annotate shows each line of the source above its instructions, and the hottest ones first" {
	run -0 --separate-stderr dktrace annotate burn prog.data
	same '' "$stderr" words
	has "${lines[0]}" " samples of cpu_clock_u ("
	has "$output" 'prog.c:2 (add)'
	has "$output" 'prog.c:7  '
	has "$output" 'sum ^= 3;'
	has "$output" ' ->  0x'
	dktrace annotate --json burn prog.data >all.json
	# The lines have all samples, and are sorted.
	same true "$(jq '([.lines[].samples] | add) == .samples and ([.lines[].share] | . == (sort | reverse))' all.json)" lines
	same true "$(jq '([.instructions[].samples] | add) == .samples' all.json)" instructions
	same 1 "$(dktrace annotate --csv --top 1 burn prog.data | sed -n '2,/^$/p' | grep -c .)" "rows of the summary"
}

@test "annotate reads perf.data by default, and suggests functions" {
	expect 1 '' 'dktrace: open perf.data: No such file or directory' dktrace annotate burn
	mv prog.data perf.data
	run -0 dktrace annotate burn
	expect 1 '' "dktrace: no sample of cpu_clock_u is in a function 'burm'; did you mean burn?; 'dktrace profile' names those that have some" \
		dktrace annotate burm
	expect 1 '' "dktrace: no sample of cpu_clock_u is in a function 'burn' of other; 'dktrace profile' names those that have some" \
		dktrace annotate burn --dso other
	expect 2 '' "dktrace: annotate: needs FUNCTION [FILE...]" dktrace annotate
	expect 2 '' "dktrace: annotate: needs FUNCTION [FILE...]" dktrace annotate -i perf.data
	run -0 dktrace annotate burn --dso "$PWD/prog"
	expect 1 '' "dktrace: perf.data has no samples of perf among the selected records; 'dktrace profile' records some" \
		dktrace annotate burn --pid 1
}

@test "annotate lists functions of the same name in several programs" {
	mkdir other
	cp prog other/prog
	printf 'x' | dd of=other/prog bs=1 seek="$(grep -abo 'GNU' prog | tail -1 | cut -d: -f1)" count=0 conv=notrunc status=none
	"${CC:-cc}" -g -O1 -o other/prog prog.c
	perf record -q -e cpu-clock:u -F 5000 -o both.data -- sh -c './prog; ./other/prog' >/dev/null 2>&1
	run -0 dktrace annotate burn both.data
	has "$output" "Not shown: "
	has "$output" "--dso selects it."
	run -0 dktrace annotate burn both.data --dso "$PWD/other/prog"
	has "${lines[0]}" "$PWD/other/prog"
	same 1 "$(dktrace annotate burn both.data --json | jq '.others | length')" others
}

@test "annotate finds debug information by the link in the file, and a copy by the build ID" {
	objcopy --only-keep-debug prog prog.debug
	objcopy --strip-debug --add-gnu-debuglink=prog.debug prog linked
	perf record -q -e cpu-clock:u -F 5000 -N -B -o linked.data ./linked >/dev/null 2>&1
	run -0 dktrace annotate burn linked.data
	has "$output" 'prog.c:7'
	# Another file of that name is none.
	echo >>prog.debug
	objcopy --strip-debug --remove-section=.note.gnu.build-id --remove-section=.gnu_debuglink --add-gnu-debuglink=prog.debug linked bare
	echo >>prog.debug
	perf record -q -e cpu-clock:u -F 5000 -N -B -o bare.data ./bare >/dev/null 2>&1
	run -0 dktrace annotate burn bare.data
	has "$output" 'Lines of the source are unknown: '
}

@test "annotate takes no other file than the recorded one, and that of --symbols first" {
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	mv prog away
	rm -rf .debug
	none="dktrace: no sample of cpu_clock_u is in a function 'burn'; 'dktrace profile' names those that have some"
	expect 1 '' "$none" dktrace annotate burn prog.data
	"${CC:-cc}" -g -O0 -o prog prog.c
	expect 1 '' "$none" dktrace annotate burn prog.data
	expect 1 '' "dktrace: open none: No such file or directory" dktrace annotate burn prog.data --symbols none
	expect 1 '' "dktrace: prog is not a directory; unpack it: mkdir DIR && tar xf prog -C DIR" \
		dktrace annotate burn prog.data --symbols prog
	mkdir kept
	expect 1 '' "dktrace: kept has no directory .build-id, by which programs are found" \
		dktrace annotate burn prog.data --symbols kept
	mkdir -p "kept/.build-id/${id:0:2}/${id:2}"
	cp prog "kept/.build-id/${id:0:2}/${id:2}/elf"
	expect 1 '' "$none" dktrace annotate burn prog.data --symbols kept
	objcopy --strip-debug away "kept/.build-id/${id:0:2}/${id:2}/elf"
	run -0 dktrace annotate burn prog.data --symbols kept
	has "$output" 'Lines of the source are unknown: '
	has "$output" "It is a copy of $PWD/prog, of the same build."
	objcopy --only-keep-debug away "kept/.build-id/${id:0:2}/${id:2}/debug"
	run -0 dktrace annotate burn prog.data --symbols kept
	has "$output" 'prog.c:7'
	dktrace report prog.data --symbols kept >all
	has_line ' burn\+0x' all
}

@test "annotate shows no source that belongs to others and that not everybody may read" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir home
	cp prog home/prog
	sed 's/burn/secret/' prog.c >secret.c
	sed "1i # 1 \"$PWD/secret.c\"" prog.c >home/theirs.c
	"${CC:-cc}" -g -O2 -o home/theirs home/theirs.c
	chown -R 65534 home
	chmod 600 secret.c
	perf record -q -e cpu-clock:u -F 5000 -o theirs.data home/theirs >/dev/null 2>&1
	run -0 dktrace annotate burn theirs.data
	has "$output" 'secret.c:7'
	lacks "$output" 'sum ^= 3'
	has "$output" 'secret.c is not shown: it belongs to another user'
	chown 65534 secret.c
	chmod 644 secret.c
	run -0 dktrace annotate burn theirs.data
	has "$output" 'sum ^= 3'
}
