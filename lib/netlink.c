/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generic netlink: tests whether a family exists, and dumps from it. Needs no privilege, never
 * blocks.
 */
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "lib/ctx.h"

#define ANSWER_SECONDS 2

/* ---- libnl's errors ---- */

/* libnl returns its own error numbers, and NLE_FAILURE for any errno without one. */
static int nl_errno(int nlerr)
{
	static const int errors[] = {
		/* clang-format off */
		[NLE_NOMEM] = ENOMEM, [NLE_PERM] = EPERM, [NLE_NOACCESS] = EACCES,
		[NLE_AGAIN] = ETIMEDOUT, [NLE_DUMP_INTR] = EAGAIN, [NLE_OBJ_NOTFOUND] = ENOENT,
		[NLE_OPNOTSUPP] = EOPNOTSUPP, [NLE_AF_NOSUPPORT] = EAFNOSUPPORT,
		[NLE_PROTO_MISMATCH] = EPROTONOSUPPORT, [NLE_INVAL] = EINVAL,
		[NLE_MSG_TRUNC] = EBADMSG, [NLE_MSG_TOOSHORT] = EBADMSG, [NLE_SEQ_MISMATCH] = EBADMSG,
		/* clang-format on */
	};
	const size_t nr = (size_t)abs(nlerr);

	return nr < ARRAY_SIZE(errors) && errors[nr] ? -errors[nr] : -EIO;
}

static int fail_nl(struct dkt_ctx *ctx, int nlerr, const char *what)
{
	int err = nl_errno(nlerr);

	if (err == -ETIMEDOUT)
		return dkt_fail(ctx, err, "%s: no answer within %d s", what, ANSWER_SECONDS);
	return dkt_fail(ctx, err, "%s: %s", what,
			err == -EIO ? nl_geterror(nlerr) : strerror(-err));
}

/* ---- connecting ---- */

static inline void dkt__nl_socketp(struct nl_sock **sock)
{
	nl_socket_free(*sock);
}

/*
 * Returns the family's ID, or 0 if it does not exist. Searches the list of all families: for a query
 * by name the kernel would run modprobe, which takes long and might load the module.
 */
static int family_id(struct dkt_ctx *ctx, struct nl_sock *sock, const char *name)
{
	struct genl_family *family;
	struct nl_cache *cache;
	int err, id = 0;

	err = genl_ctrl_alloc_cache(sock, &cache);
	if (err)
		return fail_nl(ctx, err, "list generic netlink families");
	family = genl_ctrl_search_by_name(cache, name);
	if (family) {
		id = (int)genl_family_get_id(family);
		genl_family_put(family);
	}
	nl_cache_free(cache);
	return id;
}

/* Opens a socket, which the caller frees also after an error, and returns family_id(). */
static int netlink_open(struct dkt_ctx *ctx, const char *family, struct nl_sock **sock)
{
	const struct timeval timeout = { .tv_sec = ANSWER_SECONDS };
	int on = 1, err;

	*sock = nl_socket_alloc();
	if (!*sock)
		return dkt__no_memory(ctx);
	err = genl_connect(*sock);
	if (err)
		return fail_nl(ctx, err, "open generic netlink");
	setsockopt(nl_socket_get_fd(*sock), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	/* Kernels before 4.12 refuse this: they send no error messages. */
	setsockopt(nl_socket_get_fd(*sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	nl_socket_disable_auto_ack(*sock);
	return family_id(ctx, *sock, family);
}

int dkt__netlink_family(struct dkt_ctx *ctx, const char *family)
{
	dkt__needs(ctx, ctx && family);

	struct nl_sock *sock __cleanup(nl_socket) = NULL;
	int id = netlink_open(ctx, family, &sock);

	return DKT__MIN(id, 1);
}

/* ---- dump ---- */

struct dump {
	struct dkt_ctx *ctx;
	dkt__netlink_fn fn;
	void *data;
	int err; /* from the kernel or from fn */
	bool stopped; /* the kernel refused or fn stopped it: libnl's own error does not count */
};

/* Returns the kernel's error message (extended ack), after `skip` bytes of the answer, or NULL. */
static char *kernel_text(struct nlmsghdr *hdr, int skip)
{
	int len = nlmsg_datalen(hdr) - NLMSG_ALIGN(skip);
	struct nlattr *attr;

	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || len <= 0)
		return NULL;
	attr = nla_find((void *)((char *)nlmsg_data(hdr) + NLMSG_ALIGN(skip)), len,
			NLMSGERR_ATTR_MSG);
	return attr ? nla_strdup(attr) : NULL;
}

static void kernel_refused(struct dump *dump, int err, struct nlmsghdr *hdr, int skip)
{
	char *text __cleanup(free) = kernel_text(hdr, skip);

	dump->stopped = true;
	dump->err = dkt_fail(dump->ctx, err, "%s%s%s", strerror(-err), text ? ": " : "",
			     text ? text : "");
}

/* The message that ends a dump holds its error. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int err = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(hdr), sizeof(err));
	if (err < 0)
		kernel_refused(arg, err, hdr, sizeof(err));
	return NL_OK;
}

/* The kernel refused the request. Its answer quotes the request after the error, unless capped. */
static int on_error(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *arg)
{
	struct nlmsghdr *hdr = (void *)((char *)refusal - NLMSG_HDRLEN);
	int skip = sizeof(*refusal);

	(void)from;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += nlmsg_datalen(&refusal->msg);
	kernel_refused(arg, refusal->error, hdr, skip);
	return NL_STOP;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct dump *dump = arg;
	struct genlmsghdr *genl;
	int rc;

	if (!genlmsg_valid_hdr(hdr, 0)) {
		dump->err = dkt_fail(dump->ctx, -EBADMSG, "answer without a header");
		return NL_STOP;
	}
	genl = genlmsg_hdr(hdr);
	rc = dump->fn(dump->data, genlmsg_attrdata(genl, 0), (size_t)genlmsg_attrlen(genl, 0));
	if (!rc)
		return NL_OK;
	dump->stopped = true;
	if (rc < 0) {
		dump->err = rc;
		if (!*dkt_error(dump->ctx))
			dkt_fail(dump->ctx, rc, "%s", strerror(-rc));
	}
	return NL_STOP;
}

static int send_request(struct nl_sock *sock, int id, uint8_t command, uint8_t version)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = -NLE_NOMEM;

	if (!msg)
		return err;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, id, 0, NLM_F_DUMP, command, version))
		err = nl_send_auto(sock, msg);
	nlmsg_free(msg);
	return err < 0 ? err : 0;
}

static int receive(struct nl_sock *sock, struct dump *dump)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		return -NLE_NOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_answer, dump);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, dump);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, dump);
	err = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	return err < 0 && !dump->stopped ? err : 0;
}

int dkt__netlink_dump(struct dkt_ctx *ctx, const char *family, uint8_t command, uint8_t version,
		      dkt__netlink_fn fn, void *data)
{
	dkt__needs(ctx, ctx && family && fn);

	struct nl_sock *sock __cleanup(nl_socket) = NULL;
	struct dump dump = { .ctx = ctx, .fn = fn, .data = data };
	int err, id = netlink_open(ctx, family, &sock);

	if (id < 0)
		return id;
	if (!id)
		return dkt_fail(ctx, -ENOENT, "no generic netlink family '%s'", family);
	/* on_answer() must see whether fn set an error message. */
	dkt__error_give(ctx, 0, NULL);
	err = send_request(sock, id, command, version);
	if (!err)
		err = receive(sock, &dump);
	err = err ? fail_nl(ctx, err, "dump") : dump.err;
	return err ? dkt__fail_in(ctx, err, "ask generic netlink family '%s'", family) : 0;
}
