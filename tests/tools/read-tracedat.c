/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads trace.dat files with trace-cmd's own library and prints of each instance how many records it
 * has, of which times, and how many bytes: "NAME RECORDS FIRST LAST BYTES".
 *
 * usage: read-tracedat FILE...
 */
#include <stdio.h>

#include <trace-cmd.h>

struct count {
	unsigned long long records, first, last, bytes;
};

static int count_record(struct tracecmd_input *handle, struct tep_record *record, int cpu,
			void *data)
{
	struct count *count = data;

	(void)handle;
	(void)cpu;
	if (!count->records++)
		count->first = record->ts;
	count->last = record->ts;
	count->bytes += (unsigned long long)record->size;
	return 0;
}

static int print(struct tracecmd_input *handle, const char *name)
{
	struct count count = { 0 };

	if (!handle || tracecmd_iterate_events(handle, NULL, 0, count_record, &count))
		return 1;
	printf("%s %llu %llu %llu %llu\n", name, count.records, count.first, count.last,
	       count.bytes);
	return 0;
}

int main(int argc, char **argv)
{
	int i, nr, bad = 0;

	for (i = 1; i < argc; i++) {
		struct tracecmd_input *handle = tracecmd_open(argv[i], 0);

		if (!handle) {
			fprintf(stderr, "%s: cannot be opened\n", argv[i]);
			return 1;
		}
		bad |= print(handle, "-");
		for (nr = 0; nr < tracecmd_buffer_instances(handle); nr++) {
			struct tracecmd_input *buffer = tracecmd_buffer_instance_handle(handle, nr);

			bad |= print(buffer, tracecmd_buffer_instance_name(handle, nr));
			tracecmd_close(buffer);
		}
		tracecmd_close(handle);
	}
	return bad;
}
