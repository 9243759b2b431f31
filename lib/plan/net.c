/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plan steps that print network addresses and UUIDs: %pI4, %pI6c, %pISpc, %pM, %pU. */
#include <netinet/in.h>

#include "lib/plan.h"

#define ROOM 64 /* holds the longest text, and the 16 bytes that dkt__put_hex_digits() may touch */

static void put_text(struct dkt__run *run, const char *text)
{
	dkt__run_put(run, text, strlen(text));
}

/* "I" prints 10.0.0.1, "i" 010.000.000.001. */
static void put_ip4(struct dkt__run *run, const uint8_t *a, bool reverse, char form)
{
	for (int i = 0; i < 4; i++) {
		uint8_t v = a[reverse ? 3 - i : i];

		if (i)
			*run->p++ = '.';
		if (form == 'i' && v < 100)
			*run->p++ = '0';
		if (form == 'i' && v < 10)
			*run->p++ = '0';
		run->p = dkt__put_dec(run->p, v);
	}
}

static void put_ip6(struct dkt__run *run, const uint8_t *a, char form)
{
	for (int i = 0; i < 16; i++) {
		if (i && !(i & 1) && form == 'I')
			*run->p++ = ':';
		run->p = dkt__put_hex_digits(run->p, a[i], 2);
	}
}

/* True for IPv6 addresses that end in an IPv4 address: mapped ones and ISATAP's. */
static bool ip6_holds_ip4(const uint8_t *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(a, mapped, 12) ||
	       ((a[8] | 2) == 2 && !a[9] && a[10] == 0x5e && a[11] == 0xfe);
}

/* Returns the start of the longest run of two or more zero words, or -1. */
static int zero_run(const uint8_t *a, int words, int *longest)
{
	int n, at = -1;

	*longest = 1;
	for (int i = 0; i < words; i++) {
		for (n = 0; i + n < words && !a[(i + n) * 2] && !a[(i + n) * 2 + 1]; n++)
			;
		if (n > *longest) {
			*longest = n;
			at = i;
		}
	}
	return at;
}

static void put_ip6_compact(struct dkt__run *run, const uint8_t *a)
{
	bool ip4 = ip6_holds_ip4(a), colon = false;
	int words = ip4 ? 6 : 8, zeros, at;

	at = zero_run(a, words, &zeros);
	for (int i = 0; i < words; i++) {
		if (i == at) {
			if (colon || !i)
				*run->p++ = ':';
			*run->p++ = ':';
			colon = false;
			i += zeros - 1;
			continue;
		}
		if (colon)
			*run->p++ = ':';
		run->p = dkt__put_hex(run->p, (uint64_t)a[i * 2] << 8 | a[i * 2 + 1]);
		colon = true;
	}
	if (!ip4)
		return;
	if (colon)
		*run->p++ = ':';
	put_ip4(run, a + 12, false, 'I');
}

static void put_port(struct dkt__run *run, const uint8_t *port)
{
	*run->p++ = ':';
	run->p = dkt__put_dec(run->p, (uint64_t)port[0] << 8 | port[1]);
}

static void put_sockaddr(struct dkt__run *run, const struct dkt__step *step, const uint8_t *a,
			 uint32_t len)
{
	sa_family_t family = 0;

	if (len >= sizeof(family))
		memcpy(&family, a, sizeof(family));
	if (family == AF_INET) {
		if (len < sizeof(struct sockaddr_in)) {
			put_text(run, "INVALIDIPv4");
			return;
		}
		put_ip4(run, a + offsetof(struct sockaddr_in, sin_addr), step->reverse, step->form);
		if (step->port)
			put_port(run, a + offsetof(struct sockaddr_in, sin_port));
	} else if (family == AF_INET6) {
		if (len < sizeof(struct sockaddr_in6)) {
			put_text(run, "INVALIDIPv6");
			return;
		}
		if (step->port)
			*run->p++ = '[';
		if (step->compact)
			put_ip6_compact(run, a + offsetof(struct sockaddr_in6, sin6_addr));
		else
			put_ip6(run, a + offsetof(struct sockaddr_in6, sin6_addr), step->form);
		if (step->port) {
			*run->p++ = ']';
			put_port(run, a + offsetof(struct sockaddr_in6, sin6_port));
		}
	}
}

/* form: 'M' with colons, 'F' with dashes, 'm' without. */
static void put_mac(struct dkt__run *run, const uint8_t *a, char form, bool reverse)
{
	for (int i = 0; i < 6; i++) {
		if (i && form != 'm')
			*run->p++ = form == 'F' ? '-' : ':';
		run->p = dkt__put_hex_digits(run->p, a[reverse ? 5 - i : i], 2);
	}
}

/* form: b, B in the order of the bytes, l, L as a GUID; B and L print capitals. */
static void put_uuid(struct dkt__run *run, const uint8_t *a, char form)
{
	static const uint8_t guid[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool little = form == 'l' || form == 'L';
	char *from = run->p;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*run->p++ = '-';
		run->p = dkt__put_hex_digits(run->p, a[little ? guid[i] : i], 2);
	}
	if (form == 'B' || form == 'L')
		for (char *p = from; p < run->p; p++)
			if (*p >= 'a')
				*p = (char)(*p - 'a' + 'A');
}

bool dkt__net_step(const char *letters, struct dkt__step *step)
{
	const char *more = letters + 1 + (letters[0] == 'I' || letters[0] == 'i');

	step->form = letters[0];
	switch (letters[0]) {
	case 'M':
	case 'm':
		step->kind = DKT__NET_MAC;
		if (letters[1] == 'F')
			step->form = 'F';
		step->reverse = letters[1] == 'R';
		return true;
	case 'U':
		step->kind = DKT__NET_UUID;
		step->form = letters[1];
		return true;
	default:
		step->kind = letters[1] == '4' ? DKT__NET_IP4 :
			     letters[1] == '6' ? DKT__NET_IP6 :
						 DKT__NET_SOCKADDR;
		if (!letters[1] || !strchr("46S", letters[1]))
			return false;
		step->port = step->kind == DKT__NET_SOCKADDR && strchr(more, 'p');
		step->compact = strchr(more, 'c');
		step->reverse = strchr(more, 'l');
#if !DKT__BIG_ENDIAN
		step->reverse = step->reverse || strchr(more, 'h');
#endif
		return true;
	}
}

void dkt__run_net(struct dkt__run *run, const struct dkt__step *step)
{
	static const struct {
		uint32_t len;
		const char *invalid;
	} fixed[] = {
		[DKT__NET_IP4] = { 4, "INVALIDIPv4" },   [DKT__NET_IP6] = { 16, "INVALIDIPv6" },
		[DKT__NET_SOCKADDR] = { 0, NULL },       [DKT__NET_MAC] = { 6, "INVALIDMAC" },
		[DKT__NET_UUID] = { 16, "INVALIDUUID" },
	};
	uint32_t len;
	const uint8_t *a = dkt__run_bytes(run, &step->bytes, &len);

	if (!dkt__run_room(run, ROOM))
		return;
	if (step->kind == DKT__NET_SOCKADDR)
		put_sockaddr(run, step, a, len);
	else if (len < fixed[step->kind].len)
		put_text(run, fixed[step->kind].invalid);
	else if (step->kind == DKT__NET_IP4)
		put_ip4(run, a, step->reverse, step->form);
	else if (step->kind == DKT__NET_IP6 && step->compact)
		put_ip6_compact(run, a);
	else if (step->kind == DKT__NET_IP6)
		put_ip6(run, a, step->form);
	else if (step->kind == DKT__NET_MAC)
		put_mac(run, a, step->form, step->reverse);
	else
		put_uuid(run, a, step->form);
}
