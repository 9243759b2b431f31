#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installation beside Lustre's lctl, and under its name on request.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	export DESTDIR=$BATS_TEST_TMPDIR/root DKTRACE_INSTANCE=dkt-test-cli-$$ DKTRACE_ROOT=$capture
	[ -e "$build/libdktrace.a" ] || skip "nothing is built"
	command -v make >/dev/null || skip "no make"
}

# Checks the rules only; does not build again with other flags.
target()
{
	make -s -C "$top" O="$build" -o all "$@" >/dev/null
}

@test "make install never replaces Lustre's lctl" {
	for dir in usr/local/bin usr/local/sbin usr/bin usr/sbin; do
		mkdir -p "$DESTDIR/$dir"
		echo "the real one" >"$DESTDIR/$dir/lctl"
	done
	target install
	for dir in usr/local/bin usr/local/sbin usr/bin usr/sbin; do
		same "the real one" "$(cat "$DESTDIR/$dir/lctl")" "$dir/lctl"
	done
	expect 0 "debug_mb=$((5 * $(getconf _NPROCESSORS_CONF)))" "" "$DESTDIR/usr/local/bin/lctl-dktrace" get_param debug_mb
	target uninstall
	same "$(printf 'usr/%s/lctl\n' bin local/bin local/sbin sbin)" \
		"$(cd "$DESTDIR" && find . ! -type d | sed 's,./,,' | sort)" "what is left"
}

@test "a program that DESTDIR staged uses the class map that was staged with it" {
	unset DKTRACE_CLASSES
	[ ! -d /usr/local/share/dktrace/classes.d ] || skip "dktrace is installed on this system"
	target install
	run -0 "$DESTDIR/usr/local/bin/dktrace" list classes ioctl
	has "$output" "the ioctl system call"
}

@test "alternatives name dktrace lctl, forward to Lustre's lctl, and switch back" {
	command -v update-alternatives >/dev/null || skip "no update-alternatives"
	local dirs=$BATS_TEST_TMPDIR/alternatives real=$DESTDIR/usr/sbin/lctl

	mkdir -p "$dirs/links" "$dirs/admin" "$DESTDIR/usr/sbin"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\necho "real: $*"\n' >"$real"
	chmod 755 "$real"
	target install
	export ALTERNATIVES="update-alternatives --quiet --altdir $dirs/links --admindir $dirs/admin --log /dev/null"
	target alternatives
	export PATH=$DESTDIR/usr/local/sbin:$DESTDIR/usr/sbin:/usr/bin:/bin
	expect 0 "debug_mb=$((5 * $(getconf _NPROCESSORS_CONF)))" "" lctl get_param debug_mb
	expect 0 "real: ping a" "" lctl ping a
	target no-alternatives
	expect 0 "real: get_param debug_mb" "" lctl get_param debug_mb
}

@test "make install lets the loader find the libraries, or says who must" {
	local sbin=$BATS_TEST_TMPDIR/sbin

	mkdir "$sbin"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\necho loader\nexit "${LOADER:-0}"\n' >"$sbin/ldconfig"
	chmod 755 "$sbin/ldconfig"
	# An image that is made elsewhere has a loader of its own.
	export PATH=$sbin:$PATH
	run -0 make -s -C "$top" O="$build" -o all install
	lacks "$output" loader
	run -0 make -s -C "$top" ldconfig DESTDIR=
	same loader "$output"
	LOADER=1 run -0 make -s -C "$top" ldconfig DESTDIR=
	has "$output" "run 'ldconfig' as root, so that programs find the libraries in /usr/local/lib"
}

@test "the services and their udev rules are installed" {
	target install
	local units=$DESTDIR/usr/local/lib/systemd/system

	run -0 grep -h '^ExecStart=' "$units/dktrace.service" "$units/dktrace-daemon.service" "$units/dktrace-debug-daemon.service"
	same "ExecStart=/usr/local/bin/dktrace apply
ExecStart=/usr/local/bin/dktrace daemon start --foreground --settings /etc/dktrace/daemon.conf
ExecStart=/usr/local/bin/lctl-dktrace debug_daemon run \${FILE} \${MB} \${ROTATE}" "$output" "what they run"
	run ! grep -rE '@[A-Z]+@' "$units"
	grep -q 'SYSTEMD_WANTS}+="dktrace.service"' "$DESTDIR/usr/local/lib/udev/rules.d/60-dktrace.rules"
	# It hides /proc/kallsyms and /proc/kcore, without which apply makes no probe and the daemon has no names.
	run ! grep -rE '^(ProtectKernelTunables|ProcSubset)=' "$units"
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze to verify them with"
	# It requires that the programs exist.
	sed -i 's|=/usr/local/bin/[a-z-]*|=/bin/true|' "$units"/*.service
	run -0 systemd-analyze verify --man=no "$units"/*.service
	same "" "$output" "what systemd has to say"
	# From 0, no exposure, to 10. Tracing needs the rest: see the comments in the units.
	local unit
	for unit in dktrace dktrace-daemon dktrace-debug-daemon; do
		run -0 systemd-analyze security --no-pager --offline=true --threshold=20 "$units/$unit.service"
	done
}

@test "make install with another PREFIX changes the paths and compiles nothing" {
	local out=$BATS_TEST_TMPDIR/out prefix

	for prefix in /usr /opt/other; do
		make -s -C "$top" O="$out" PREFIX="$prefix" "$out/libdktrace.pc" "$out/gen/datadir.o" "$out/gen/flags"
		run -0 sed -n 's/^prefix=//p' "$out/libdktrace.pc"
		same "$prefix" "$output" "the prefix of the .pc file"
		grep -q "$prefix/share/dktrace" "$out/gen/datadir.o"
		cp "$out/gen/flags" "$out/flags${prefix//\//-}"
	done
	same "$(cat "$out/flags-usr")" "$(cat "$out/flags-opt-other")" "the flags of the objects"
	# make -n would take the flags, which are the same, for changed ones. -MMD is in each call of the compiler.
	run -0 make -n -C "$top" O="$build" -o "$build/gen/flags" all
	grep -e -MMD <<<"$output" >"$out/before" || true
	run -0 make -n -C "$top" O="$build" -o "$build/gen/flags" PREFIX=/opt/other install
	grep -q "LD $build/dktrace$" <<<"$output"
	grep -q "/opt/other/bin/dktrace$" <<<"$output"
	grep -e -MMD <<<"$output" >"$out/after" || true
	same "$(cat "$out/before")" "$(cat "$out/after")" "what is compiled"
}

@test "make without the packages names them and the command that installs them" {
	local bin=$BATS_TEST_TMPDIR/bin tool

	# Nothing is installed for this dpkg-query, and there is no other program that would do.
	mkdir "$bin"
	for tool in sh make echo sed cat paste id dirname env uname tr readlink cut awk; do
		ln -s "$(type -P "$tool")" "$bin/$tool"
	done
	printf '#!/bin/sh\nexit 1\n' >"$bin/dpkg-query"
	cp "$bin/dpkg-query" "$bin/apt-get"
	chmod 755 "$bin/dpkg-query" "$bin/apt-get"
	run -2 env -i PATH="$bin" make -C "$top" O="$BATS_TEST_TMPDIR/out"
	has "$output" "*** packages are missing, run scripts/deps build: gcc libc6-dev linux-libc-dev "
	has "$output" " node-d3; to build without those that can be left out: make WITHOUT='"
	lacks "$output" "No rule"
	run -2 env -i PATH="$bin" make -C "$top" O="$BATS_TEST_TMPDIR/out" tests
	has "$output" "*** packages are missing, run scripts/deps build check: "
	has "$output" " libcmocka-dev "
	run -0 env -i PATH="$bin" make -s -C "$top" help
	has "$output" "make the installed program lctl"
	lacks "$output" "not found"
}

@test "the tarball of make dist has d3, for systems without a package of it" {
	local out=$BATS_TEST_TMPDIR/out

	git -C "$top" rev-parse -q --verify HEAD >/dev/null || skip "no git repository"
	make -s -C "$top" O="$out" dist
	run -0 tar -tzf "$out"/dktrace-*.tar.gz
	has "$output" "dktrace-0.1.0/share/view/d3.min.js"
	has "$output" "dktrace-0.1.0/share/view/d3-license.js"
	tar -xzf "$out"/dktrace-*.tar.gz -C "$out"
	run -0 make -s -C "$out"/dktrace-0.1.0 --eval 'where: ; @echo $(D3)' where
	same share/view/d3.min.js "$output" "the d3 that is built in"
}

@test "both libraries are installed as shared libraries and archives, and removed" {
	local lib=$DESTDIR/usr/local/lib name file
	target install
	for name in libdktrace libdktrace-lustre; do
		for file in "$name.so" "$name.so.0" "$name.a" "pkgconfig/$name.pc"; do
			[ -s "$lib/$file" ] || echo "$file is missing"
		done
	done >"$BATS_TEST_TMPDIR/missing"
	same '' "$(cat "$BATS_TEST_TMPDIR/missing")"
	target uninstall
	same '' "$(find "$lib" -name 'libdktrace*')" "what is left"
}

@test "man finds every function of the library by its name" {
	local man=$DESTDIR/usr/local/share/man/man3
	target install
	sed -n 's/^\t\t\(dkt_[a-z0-9][a-z0-9_]*\);/\1/p' "$top/lib/libdktrace.map" | while read -r name; do
		[ -e "$man/$name.3" ] || echo "$name has no page"
	done >"$BATS_TEST_TMPDIR/missing"
	same '' "$(cat "$BATS_TEST_TMPDIR/missing")"
	same dkt_source.3 "$(readlink "$man/dkt_source_next.3")"
	target uninstall
	same '' "$(find "$DESTDIR" -name 'dkt_*')" "what is left"
}
