/*
 * Run a command on a machine that refuses something, by a seccomp filter that
 * its children inherit (no privilege needed):
 *
 *	deny uring COMMAND...	io_uring_setup fails with EPERM, as in Docker
 *	deny direct COMMAND...	open with O_DIRECT fails with EINVAL
 *	deny locks COMMAND...	flock fails with ENOLCK, as on NFS or Lustre
 *	deny room COMMAND...	no reserving of space; writes behind 1 MiB of a
 *				file fail with ENOSPC (pwrite, not io_uring)
 *	deny sync COMMAND...	fsync fails with EIO
 *	deny read COMMAND...	reads behind 1 MiB of a file fail with EIO
 *				(pread, not io_uring)
 *	deny thp COMMAND...	no huge pages (not a filter)
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD(member)                                                          \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                     \
		(unsigned)offsetof(struct seccomp_data, member))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define FAIL(code) RETURN(SECCOMP_RET_ERRNO | (code))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)

static struct sock_filter uring[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
	FAIL(EPERM),
	ALLOW,
};

/* glibc's open() is openat(): the flags are its third argument */
static struct sock_filter direct[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
	FIELD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_DIRECT, 0, 1),
	FAIL(EINVAL),
	ALLOW,
};

static struct sock_filter locks[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
	FAIL(ENOLCK),
	ALLOW,
};

static struct sock_filter room[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
	FAIL(EOPNOTSUPP),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
	FIELD(args[3]),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1 << 20, 0, 1),
	FAIL(ENOSPC),
	ALLOW,
};

static struct sock_filter sync_fails[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
	FAIL(EIO),
	ALLOW,
};

static struct sock_filter read_fails[] = {
	FIELD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 0, 3),
	FIELD(args[3]),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1 << 20, 0, 1),
	FAIL(EIO),
	ALLOW,
};

#define KIND(name, filter)                                                     \
	{name, {sizeof(filter) / sizeof(filter[0]), filter}}

static const struct kind {
	const char *name;
	struct sock_fprog prog;
} kinds[] = {
	KIND("uring", uring),
	KIND("direct", direct),
	KIND("locks", locks),
	KIND("room", room),
	KIND("sync", sync_fails),
	KIND("read", read_fails),
	{"thp", {0, NULL}},
};

static int deny(const struct kind *k)
{
	if (!k->prog.filter)
		return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &k->prog);
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(kinds) / sizeof(kinds[0]);

	for (i = 0; argc > 2 && i < n; i++)
		if (!strcmp(argv[1], kinds[i].name))
			break;
	if (argc < 3 || i == n)
		return 2;
	if (deny(&kinds[i])) {
		perror("deny");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
