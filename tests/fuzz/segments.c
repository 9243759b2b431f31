/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the index of a directory of segments: what it says is a segment's name and times in order. */
#include <stdlib.h>
#include <string.h>

#include "recording/record/segments.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *line;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		struct segment segment;
		uint64_t number;
		int64_t time;

		if (!segments_parse(line, &segment))
			continue;
		must(segment_read_name(segment.name, &number, &time) && number == segment.number);
		must(!strchr(segment.name, '/') && segment.from <= segment.to);
		segment_is_within(&segment, segment.from, segment.to);
		segment_is_within(&segment, INT64_MIN, INT64_MAX);
	}
	free(text);
	return 0;
}
