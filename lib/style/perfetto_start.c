/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first packets of a trace for Perfetto, and what all packets begin with. */
#include "lib/style/perfetto.h"

#define SEQUENCE 1

size_t dkt__perfetto_packet(struct dkt_buf *buf, uint64_t ts, uint32_t flags)
{
	size_t packet = dkt__proto_open(buf, TRACE_PACKET);

	dkt__proto_uint(buf, PACKET_TIMESTAMP, ts);
	dkt__proto_uint(buf, PACKET_SEQUENCE_ID, SEQUENCE);
	dkt__proto_uint(buf, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

void dkt__perfetto_intern(struct dkt_buf *buf, uint32_t kind, uint64_t iid, const char *name)
{
	size_t entry = dkt__proto_open(buf, kind);

	dkt__proto_uint(buf, INTERNED_IID, iid);
	dkt__proto_utf8(buf, INTERNED_NAME, name, strlen(name));
	dkt__proto_close(buf, entry);
}

static void put_clock(struct dkt_buf *buf, uint32_t id, uint64_t ns)
{
	size_t clock = dkt__proto_open(buf, SNAPSHOT_CLOCKS);

	dkt__proto_uint(buf, CLOCK_ID, id);
	dkt__proto_uint(buf, CLOCK_TIMESTAMP, ns);
	dkt__proto_close(buf, clock);
}

/* From "6.1.0-44-amd64 x86_64" Perfetto knows the states of threads and the system calls. */
static void put_system(const char *kernel, uint64_t ts, struct dkt_buf *buf)
{
	size_t packet = dkt__perfetto_packet(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
	size_t system = dkt__proto_open(buf, PACKET_SYSTEM_INFO);
	size_t utsname = dkt__proto_open(buf, SYSTEM_UTSNAME), n = strcspn(kernel, " ");

	dkt__proto_str(buf, UTSNAME_SYSNAME, "Linux");
	dkt__proto_bytes(buf, UTSNAME_RELEASE, kernel, n);
	if (kernel[n])
		dkt__proto_str(buf, UTSNAME_MACHINE, kernel + n + 1);
	dkt__proto_close(buf, utsname);
	dkt__proto_close(buf, system);
	dkt__proto_close(buf, packet);
}

/* Perfetto gets every clock as the time since boot. */
void dkt__perfetto_start(const struct dkt_style *style, uint64_t ts, struct dkt_buf *buf)
{
	const struct dkt_source_info *source = &style->source;
	size_t packet = dkt__perfetto_packet(buf, ts, SEQUENCE_FLAGS_CLEARED), part;

	part = dkt__proto_open(buf, PACKET_CLOCK_SNAPSHOT);
	put_clock(buf, CLOCK_BOOTTIME_ID, ts);
	if (source->has_wall)
		put_clock(buf, CLOCK_REALTIME_ID, ts + (uint64_t)source->wall);
	dkt__proto_uint(buf, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME_ID);
	dkt__proto_close(buf, part);
	part = dkt__proto_open(buf, PACKET_INTERNED_DATA);
	dkt__perfetto_intern(buf, INTERNED_ANNOTATION_NAMES, IID_CPU, "cpu");
	dkt__perfetto_intern(buf, INTERNED_ANNOTATION_NAMES, IID_TEXT, "text");
	dkt__perfetto_intern(buf, INTERNED_ANNOTATION_NAMES, IID_LOST, "lost");
	dkt__proto_close(buf, part);
	dkt__proto_close(buf, packet);
	if (source->kernel)
		put_system(source->kernel, ts, buf);
}
