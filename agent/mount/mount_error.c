/*
 * mount_error: the first row whose words are in the text decides. mount.cifs gives errno in brackets, mount.nfs gives
 * words.
 */
#include "agent/mount/mount_error.h"

#include <stdio.h>
#include <string.h>

#include "agent/scan.h"
#include "base/text.h"

#define NFS 1u
#define SMB 2u

static const struct {
	unsigned protocols;
	const char *words;
	enum nl_code code;
	const char *why, *todo;
} rows[] = {
	{NFS, "reason given by server: No such file or directory", NL_E_NOT_FOUND, "the server has no such export",
	 "see what it exports: showmount -e SERVER"},
	{NFS, "access denied by server", NL_E_ACCESS,
	 "the server does not let this client mount it, or has no such export",
	 "allow this client's address in the export, and check the export's path"},
	{NFS, "Permission denied", NL_E_ACCESS, "the server does not let this client mount it",
	 "allow this client's address in the export"},
	{NFS, "Resource temporarily unavailable", NL_E_PEER,
	 "the server's name cannot be resolved now, or the server does not answer",
	 "check the server's name and the network"},
	{NFS, "rpc.statd is not running", NL_E_UNSUPPORTED,
	 "locking with NFS 3 needs rpc.statd, which does not run here", "leave out the option `lock`"},
	{NFS, "requested NFS version or transport protocol is not supported", NL_E_UNSUPPORTED,
	 "the server does not offer this version of NFS, or not over this transport",
	 "choose another version in the campaign"},
	{NFS, "Program not registered", NL_E_UNSUPPORTED, "no NFS server of this version is registered there",
	 "choose another version in the campaign, or start the NFS server"},
	{NFS, "Protocol not supported", NL_E_UNSUPPORTED,
	 "the server or this kernel does not support this version of NFS", "choose another version in the campaign"},
	{NFS, "an incorrect mount option was specified", NL_E_CONFIG, "this kernel does not take one of the options",
	 "look at the share's options in the campaign"},
	{NFS, "Invalid argument", NL_E_CONFIG, "this kernel does not take one of the options",
	 "look at the share's options in the campaign"},
	{NFS | SMB, "unknown filesystem type", NL_E_UNSUPPORTED, "this kernel has no client for the protocol",
	 "use the userland engine for this share"},
	{NFS, "No such device", NL_E_UNSUPPORTED, "this kernel has no NFS client",
	 "use the userland engine for this share"},
	{NFS | SMB, "Failed to resolve", NL_E_NOT_FOUND, "the server's name cannot be resolved",
	 "check the server's name"},
	{NFS | SMB, "DNS resolution failed", NL_E_NOT_FOUND, "the server's name cannot be resolved",
	 "check the server's name"},
	{NFS | SMB, "could not resolve address", NL_E_NOT_FOUND, "the server's name cannot be resolved",
	 "check the server's name"},
	{NFS | SMB, "Name or service not known", NL_E_NOT_FOUND, "the server's name cannot be resolved",
	 "check the server's name"},
	{NFS | SMB, "must be superuser", NL_E_ACCESS, "only root may mount", "run nasline-agent as root"},
	{NFS | SMB, "only root can", NL_E_ACCESS, "only root may mount", "run nasline-agent as root"},
	{NFS, "Operation not permitted", NL_E_ACCESS, "the mount was not permitted, here or by the server",
	 "run nasline-agent as root; if the server wants reserved ports, leave out `noresvport`"},
	{SMB, "mount error(13)", NL_E_ACCESS, "the server refused the user, the password or the access to the share",
	 "check user, password and the share's permissions"},
	{SMB, "mount error(1)", NL_E_ACCESS, "the mount was not permitted", "run nasline-agent as root"},
	{SMB, "mount error(126)", NL_E_ACCESS, "the key for this kind of security is not there",
	 "get a Kerberos ticket first"},
	{SMB, "mount error(127)", NL_E_ACCESS, "the user's password has expired", "set a new password at the server"},
	{SMB, "mount error(128)", NL_E_ACCESS, "the user's account is disabled", "enable the account at the server"},
	{SMB, "mount error(2)", NL_E_NOT_FOUND, "the server has no such share", "check the share's name"},
	{SMB, "mount error(6)", NL_E_NOT_FOUND, "the server has no such share", "check the share's name"},
	{SMB, "mount error(19)", NL_E_UNSUPPORTED, "this kernel has no SMB client",
	 "use the userland engine for this share"},
	{SMB, "filesystem not supported by the system", NL_E_UNSUPPORTED, "this kernel has no SMB client",
	 "use the userland engine for this share"},
	{SMB, "mount error(22)", NL_E_CONFIG,
	 "this kernel does not take one of the options, or the server does not do what they ask",
	 "look at the share's options and version in the campaign"},
	{SMB, "mount error(93)", NL_E_UNSUPPORTED, "the server does not speak this version of SMB",
	 "choose another version"},
	{SMB, "mount error(95)", NL_E_UNSUPPORTED, "the server does not speak this version of SMB",
	 "choose another version"},
	{SMB, "mount error(112)", NL_E_PEER, "the server ended the connection, or does not speak this version of SMB",
	 "check that the server runs, and the version in the campaign"},
	{SMB, "mount error(104)", NL_E_PEER, "the server ended the connection", "look at the server's log"},
	{SMB, "mount error(110)", NL_E_TIMEOUT, "the server does not answer", "check address, network and firewall"},
	{SMB, "mount error(115)", NL_E_TIMEOUT, "the server does not answer", "check address, network and firewall"},
	{NFS | SMB, "Connection refused", NL_E_PEER, "the host is there, but no server listens on the port",
	 "start the server, or check its port"},
	{NFS | SMB, "could not connect", NL_E_PEER, "no server can be reached there",
	 "check address, network and firewall"},
	{NFS | SMB, "No route to host", NL_E_PEER, "the host cannot be reached", "check address, network and firewall"},
	{NFS | SMB, "Network is unreachable", NL_E_PEER, "the network cannot be reached", "check address and routes"},
	{NFS | SMB, "Host is down", NL_E_PEER, "the host cannot be reached", "check address, network and firewall"},
	{NFS | SMB, "Connection reset", NL_E_PEER, "the server ended the connection", "look at the server's log"},
	{NFS | SMB, "timed out", NL_E_TIMEOUT, "the server does not answer", "check address, network and firewall"},
	{NFS | SMB, "Stale file handle", NL_E_NOT_FOUND, "what the server exported there is gone", "export it again"},
	{NFS, "No such file or directory", NL_E_NOT_FOUND, "the server has no such export",
	 "see what it exports: showmount -e SERVER"},
	{NFS, "is not a directory", NL_E_NOT_FOUND, "the export is not a directory", "check the export's path"},
	{SMB, "Permission denied", NL_E_ACCESS, "the server or this machine refused the mount",
	 "check user and password"},
};

/* The first line that is not empty and only a hint at manual pages. */
static void telling_line(const char *text, char *line, size_t size)
{
	line[0] = '\0';
	for (; *text; (void)nl_scan_line(&text)) {
		size_t len = strcspn(text, "\n");
		if (len == 0 || strncmp(text, "Refer to", 8) == 0)
			continue;
		(void)nl_scan_copy(line, size, text, len);
		nl_text_clean(line);
		return;
	}
}

int nl_mount_error_from(bool smb, const char *source, const char *text, struct nl_error *err)
{
	char line[200];
	unsigned protocol = smb ? SMB : NFS;
	telling_line(text, line, sizeof line);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!(rows[i].protocols & protocol) || !strstr(text, rows[i].words))
			continue;
		nl_error_set(err, rows[i].code, "the %s share could not be mounted", smb ? "SMB" : "NFS");
		nl_error_where(err, "%s", source);
		nl_error_why(err, "%s (%s)", rows[i].why, line);
		nl_error_todo(err, "%s", rows[i].todo);
		return rows[i].code;
	}
	nl_error_set(err, NL_E_SYSTEM, "the %s share could not be mounted", smb ? "SMB" : "NFS");
	nl_error_where(err, "%s", source);
	nl_error_why(err, "%s", line[0] ? line : "the helper program failed without a word");
	return NL_E_SYSTEM;
}
