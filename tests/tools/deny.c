/*
 * Run a command on a machine that refuses something, by a seccomp filter that
 * its children inherit (no privilege needed):
 *
 *	deny uring COMMAND...	io_uring_setup fails with EPERM, as in Docker
 *	deny direct COMMAND...	open with O_DIRECT fails with EINVAL
 *	deny locks COMMAND...	flock fails with ENOLCK, as on NFS or Lustre
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

int main(int argc, char **argv)
{
	struct sock_fprog p = {.len = sizeof(uring) / sizeof(uring[0]),
		.filter = uring};

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "direct")) {
		p.len = sizeof(direct) / sizeof(direct[0]);
		p.filter = direct;
	} else if (!strcmp(argv[1], "locks")) {
		p.len = sizeof(locks) / sizeof(locks[0]);
		p.filter = locks;
	} else if (strcmp(argv[1], "uring")) {
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) {
		perror("deny: seccomp");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
