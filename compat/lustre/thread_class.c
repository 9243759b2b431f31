/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classes of threads of servers, by the beginnings of their names. */
#include "compat/lustre/thread_class.h"

#include <string.h>

#include "lib/base/memory.h"

/* The names are those that Lustre, nfsd and the kernel give their threads; the kernel keeps 15 bytes of one. */
static const struct thread_class classes[] = {
	/* lustre/ost/ost_handler.c */
	{ "ost", "ll_ost*" },
	/* lustre/mdt/mdt_mds.c and mdt_coordinator.c */
	{ "mds", "mdt[0-9]*,mdt_*,hsm_cdtr" },
	/* lustre/mgs/mgs_handler.c */
	{ "mgs", "ll_mgs*" },
	/* lustre/ldlm/ldlm_lockd.c and ldlm_pool.c */
	{ "ldlm", "ldlm_*" },
	/* lustre/ptlrpc/ptlrpcd.c, service.c, pinger.c */
	{ "ptlrpc", "ptlrpcd*,ptlrpc_hr*,ll_ping*,ll_evictor*" },
	/* lustre/osp/, lustre/lod/, lustre/target/: between servers, and recovery */
	{ "osp", "osp-*,osp_*,lod[0-9]*,tgt_recover*" },
	/* lustre/quota/, lustre/lfsck/, lustre/osd-ldiskfs: in the background */
	{ "quota", "qmt_*,qsd_*" },
	{ "lfsck", "lfsck*,OI_scrub*" },
	/* lustre/llite/, lustre/osc/, on clients */
	{ "client", "ll_sa_*,ll_agl_*,ll_close*,ll_imp_inval*" },
	/* lnet/klnds/, lnet/lnet/ */
	{ "lnet", "socknal_*,kiblnd_*,kefalnd_*,kgnilnd_*,monitor_thread*,lnet_*,acceptor_*" },
	/* fs/nfsd/, fs/lockd/ */
	{ "nfsd", "nfsd*,lockd" },
	/* kernel/workqueue.c, fs/jbd2/, fs/xfs/, mm/vmscan.c, OpenZFS */
	{ "kworker", "kworker/*" },
	{ "jbd2", "jbd2/*" },
	{ "xfs", "xfsaild/*,xfs*" },
	{ "zfs", "txg_*,z_*,arc_*,dp_*,spl_*" },
	{ "memory", "kswapd*,kcompactd*,khugepaged" },
};

const struct thread_class *dkl_thread_class(size_t i)
{
	return i < ARRAY_SIZE(classes) ? &classes[i] : NULL;
}

static const struct thread_class *find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			return &classes[i];
	return NULL;
}

static int unknown(struct dkt_ctx *ctx, const char *name, size_t len)
{
	char list[512] = "";

	for (size_t i = 0, n = 0; i < ARRAY_SIZE(classes); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      classes[i].name);
	return dkt_fail(ctx, -EINVAL,
			"--class: '%.*s' is no class of threads; the classes are %s;"
			" --comm takes any names",
			(int)DKT__MIN(len, (size_t)60), name, list);
}

int dkl_thread_classes_read(struct dkt_ctx *ctx, const char *text, char **globs)
{
	size_t size;
	FILE *f = open_memstream(globs, &size);
	int err = f ? 0 : dkt__no_memory(ctx);

	for (const char *p = text; !err; p++) {
		const size_t len = strcspn(p, ",+");
		const struct thread_class *class = find(p, len);

		if (!class)
			err = unknown(ctx, p, len);
		else
			fprintf(f, "%s%s", p == text ? "" : ",", class->globs);
		p += len;
		if (!*p)
			break;
	}
	if (f && fclose(f) && !err)
		err = dkt__no_memory(ctx);
	if (!err)
		return 0;
	free(*globs);
	*globs = NULL;
	return err;
}
