/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of Lustre's RPCs. */
#include "compat/lustre_log/opcode.h"

#include "lib/base/parse.h"
#include "lib/base/util.h"

/* The first and last request of servers. */
#define LDLM_BL_CALLBACK 104
#define LDLM_SET_INFO    107

/* Sorted by number. Numbers that Lustre no longer uses stay, for the logs of old servers. */
static const struct opcode {
	uint32_t number;
	const char *name;
} opcodes[] = {
	/* clang-format off */
	{ 0, "OST_REPLY" }, { 1, "OST_GETATTR" },
	{ 2, "OST_SETATTR" }, { 3, "OST_READ" },
	{ 4, "OST_WRITE" }, { 5, "OST_CREATE" },
	{ 6, "OST_DESTROY" }, { 7, "OST_GET_INFO" },
	{ 8, "OST_CONNECT" }, { 9, "OST_DISCONNECT" },
	{ 10, "OST_PUNCH" }, { 11, "OST_OPEN" },
	{ 12, "OST_CLOSE" }, { 13, "OST_STATFS" },
	{ 16, "OST_SYNC" }, { 17, "OST_SET_INFO" },
	{ 18, "OST_QUOTACHECK" }, { 19, "OST_QUOTACTL" },
	{ 20, "OST_QUOTA_ADJUST_QUNIT" }, { 21, "OST_LADVISE" },
	{ 22, "OST_FALLOCATE" }, { 23, "OST_SEEK" },
	{ 33, "MDS_GETATTR" }, { 34, "MDS_GETATTR_NAME" },
	{ 35, "MDS_CLOSE" }, { 36, "MDS_REINT" },
	{ 37, "MDS_READPAGE" }, { 38, "MDS_CONNECT" },
	{ 39, "MDS_DISCONNECT" }, { 40, "MDS_GET_ROOT" },
	{ 41, "MDS_STATFS" }, { 42, "MDS_PIN" },
	{ 43, "MDS_UNPIN" }, { 44, "MDS_SYNC" },
	{ 45, "MDS_DONE_WRITING" }, { 46, "MDS_SET_INFO" },
	{ 47, "MDS_QUOTACHECK" }, { 48, "MDS_QUOTACTL" },
	{ 49, "MDS_GETXATTR" }, { 50, "MDS_SETXATTR" },
	{ 51, "MDS_WRITEPAGE" }, { 52, "MDS_IS_SUBDIR" },
	{ 53, "MDS_GET_INFO" }, { 54, "MDS_HSM_STATE_GET" },
	{ 55, "MDS_HSM_STATE_SET" }, { 56, "MDS_HSM_ACTION" },
	{ 57, "MDS_HSM_PROGRESS" }, { 58, "MDS_HSM_REQUEST" },
	{ 59, "MDS_HSM_CT_REGISTER" }, { 60, "MDS_HSM_CT_UNREGISTER" },
	{ 61, "MDS_SWAP_LAYOUTS" }, { 62, "MDS_RMFID" },
	{ 63, "MDS_BATCH" }, { 64, "MDS_HSM_DATA_VERSION" },
	{ 101, "LDLM_ENQUEUE" }, { 102, "LDLM_CONVERT" },
	{ 103, "LDLM_CANCEL" }, { 104, "LDLM_BL_CALLBACK" },
	{ 105, "LDLM_CP_CALLBACK" }, { 106, "LDLM_GL_CALLBACK" },
	{ 107, "LDLM_SET_INFO" }, { 250, "MGS_CONNECT" },
	{ 251, "MGS_DISCONNECT" }, { 252, "MGS_EXCEPTION" },
	{ 253, "MGS_TARGET_REG" }, { 254, "MGS_TARGET_DEL" },
	{ 255, "MGS_SET_INFO" }, { 256, "MGS_CONFIG_READ" },
	{ 400, "OBD_PING" }, { 401, "OBD_LOG_CANCEL" },
	{ 402, "OBD_QC_CALLBACK" }, { 403, "OBD_IDX_READ" },
	{ 501, "LLOG_ORIGIN_HANDLE_CREATE" }, { 502, "LLOG_ORIGIN_HANDLE_NEXT_BLOCK" },
	{ 503, "LLOG_ORIGIN_HANDLE_READ_HEADER" }, { 504, "LLOG_ORIGIN_HANDLE_WRITE_REC" },
	{ 505, "LLOG_ORIGIN_HANDLE_CLOSE" }, { 506, "LLOG_ORIGIN_CONNECT" },
	{ 507, "LLOG_CATINFO" }, { 508, "LLOG_ORIGIN_HANDLE_PREV_BLOCK" },
	{ 509, "LLOG_ORIGIN_HANDLE_DESTROY" }, { 601, "QUOTA_DQACQ" },
	{ 602, "QUOTA_DQREL" }, { 700, "SEQ_QUERY" },
	{ 801, "SEC_CTX_INIT" }, { 802, "SEC_CTX_INIT_CONT" },
	{ 803, "SEC_CTX_FINI" }, { 900, "FLD_QUERY" },
	{ 901, "FLD_READ" }, { 1000, "OUT_UPDATE" },
	{ 1101, "LFSCK_NOTIFY" }, { 1102, "LFSCK_QUERY" },
	/* clang-format on */
};

static int compare(const void *key, const void *row)
{
	const uint32_t *number = key;
	const struct opcode *opcode = row;

	return *number < opcode->number ? -1 : *number > opcode->number;
}

const char *dkl_opcode_name(uint32_t opcode)
{
	const struct opcode *row =
		bsearch(&opcode, opcodes, ARRAY_SIZE(opcodes), sizeof(*opcodes), compare);

	return row ? row->name : NULL;
}

bool dkl_opcode_find(const char *text, uint32_t *opcode)
{
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
		if (!strcasecmp(text, opcodes[i].name)) {
			*opcode = opcodes[i].number;
			return true;
		}
	if (dkt__parse_u64(text, DKT__DEC, &number) || number >= UINT32_MAX)
		return false;
	*opcode = (uint32_t)number;
	return true;
}

bool dkl_opcode_is_callback(uint32_t opcode)
{
	return opcode >= LDLM_BL_CALLBACK && opcode <= LDLM_SET_INFO;
}

void dkl_opcode_text(uint32_t opcode, char text[OPCODE_TEXT_SIZE])
{
	const char *name = dkl_opcode_name(opcode);

	if (name)
		snprintf(text, OPCODE_TEXT_SIZE, "%s", name);
	else
		snprintf(text, OPCODE_TEXT_SIZE, "%u", opcode);
}
