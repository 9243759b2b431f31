# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the examples as a user does: from the installed tree, with pkg-config, without the build tree.
# shellcheck shell=bash disable=SC2154

# Installs the build. Call from setup_file.
install_library()
{
	export DESTDIR=$BATS_FILE_TMPDIR/root
	[ -e "$build/libdktrace.so" ] || skip "nothing is built"
	for tool in make cc pkg-config; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	make -s -C "$top" O="$build" -o all install >/dev/null
	export LD_LIBRARY_PATH=$DESTDIR/usr/local/lib
}

# usage: build_example NAME [PACKAGE [static]]; the program is $example
build_example()
{
	local source=$DESTDIR/usr/local/share/doc/dktrace/examples/$1.c flags
	# A library with sanitizers needs a program with them.
	flags=$(grep -o -- '-fsanitize=[^ ]*' "$build/gen/flags" || true)
	flags+=" $(PKG_CONFIG_SYSROOT_DIR=$DESTDIR PKG_CONFIG_PATH=$DESTDIR/usr/local/lib/pkgconfig \
		pkg-config ${3:+--static} --cflags --libs "${2:-libdktrace}")"
	# Only our own libraries: a system may lack the archives of the others.
	[ -z "${3:-}" ] || flags=$(sed -E 's/-l(dktrace[a-z-]*)/-l:lib\1.a/g' <<<"$flags")
	example=$BATS_TEST_TMPDIR/$1
	# shellcheck disable=SC2086
	cc -g -O2 -Wall -Werror -o "$example" "$source" $flags
}
