#!/bin/bash -eu
# SPDX-License-Identifier: LGPL-2.1-or-later
# OSS-Fuzz runs this in its container: it builds each target with $CC, $CFLAGS and $LIB_FUZZING_ENGINE, and puts it with
# its corpus, its dictionary and the libraries that it needs into $OUT.

build=$PWD/build
make -j"$(nproc)" O="$build" CCACHE= CC="$CC" CFLAGS="$CFLAGS" WITHOUT='curl d3 edit kdumpfile' \
	FUZZ_ENGINE="$LIB_FUZZING_ENGINE -lc++" fuzz-targets
mkdir -p "$OUT/lib"
for target in "$build"/fuzz-targets/*; do
	name=$(basename "$target")
	cp "$target" "$OUT/"
	(cd "tests/fuzz/corpus/$name" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
	[ ! -e "tests/fuzz/dict/$name.dict" ] || cp "tests/fuzz/dict/$name.dict" "$OUT/"
	# The system that runs the targets has no libraries but libc.
	ldd "$target" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|pthread|rt)\.so/ { print $3 }' | xargs -r cp -n -t "$OUT/lib"
	patchelf --set-rpath '$ORIGIN/lib' "$OUT/$name"
done
