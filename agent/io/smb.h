/*
 * smb: one SMB connection by libsmbclient. Only ever used in a helper process: the library is not safe with threads,
 * not even with contexts of their own, and brings a hundred others with it.
 */
#ifndef NL_AGENT_IO_SMB_H
#define NL_AGENT_IO_SMB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <libsmbclient.h>

#include "agent/io/load.h"

#define NL_SMB_FUNCTIONS(X)                                                                                            \
	X(smbc_new_context)                                                                                            \
	X(smbc_init_context)                                                                                           \
	X(smbc_free_context)                                                                                           \
	X(smbc_setDebug)                                                                                               \
	X(smbc_setTimeout)                                                                                             \
	X(smbc_setPort)                                                                                                \
	X(smbc_setOptionDebugToStderr)                                                                                 \
	X(smbc_setOptionUseKerberos)                                                                                   \
	X(smbc_setOptionNoAutoAnonymousLogin)                                                                          \
	X(smbc_setOptionSmbEncryptionLevel)                                                                            \
	X(smbc_setOptionProtocols)                                                                                     \
	X(smbc_setFunctionAuthDataWithContext)                                                                         \
	X(smbc_getFunctionOpen)                                                                                        \
	X(smbc_getFunctionRead)                                                                                        \
	X(smbc_getFunctionWrite)                                                                                       \
	X(smbc_getFunctionLseek)                                                                                       \
	X(smbc_getFunctionClose)                                                                                       \
	X(smbc_getFunctionStat)                                                                                        \
	X(smbc_getFunctionFstat)                                                                                       \
	X(smbc_getFunctionUnlink)                                                                                      \
	X(smbc_getFunctionMkdir)                                                                                       \
	X(smbc_getFunctionRmdir)

struct nl_smb {
#define NL_X(name) __typeof__(&name) name;
	NL_SMB_FUNCTIONS(NL_X)
#undef NL_X
	SMBCCTX *context;
	const struct nl_share_target *share;
};

/* nl_smb_load loads the library into *smb; false with the reason, which names the package. */
bool nl_smb_load(struct nl_smb *smb, char *reason, size_t size);
/* nl_smb_connect logs on to the share and sees that `directory` is one. */
int nl_smb_connect(struct nl_smb *smb, const struct nl_share_target *share, const char *directory,
		   struct nl_error *err);
void nl_smb_disconnect(struct nl_smb *smb);
/* nl_smb_url writes the URL of a name inside a directory of the share (either may be ""), escaped. False when it is too
 * long. */
bool nl_smb_url(const struct nl_share_target *share, const char *directory, const char *name, char *url, size_t size);
const char *nl_smb_dialect(const char *version);
/* nl_smb_failed words the failure of a call with errno `sys_errno` about `name`. */
int nl_smb_failed(const struct nl_smb *smb, const char *what, const char *name, int sys_errno, struct nl_error *err);

#endif
