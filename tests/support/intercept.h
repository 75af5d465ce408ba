/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_INTERCEPT_H
#define TESTS_SUPPORT_INTERCEPT_H
/*
 * intercept.h: system calls of one thread that another thread answers.
 */
#include "check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * From now on each call of @nr in this thread, and in threads it makes, waits
 * until it is answered at the descriptor that this returns.
 */
static inline int intercept(unsigned nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]),
				     .filter = code };
	long fd;

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
	if (fd < 0)
		SKIP("this kernel lets no thread answer system calls");
	return (int)fd;
}

/* The next such call, when it is made. */
static inline uint64_t intercepted(int fd)
{
	struct seccomp_notif call = { .id = 0 };

	CHECK(ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0);
	return call.id;
}

/* Let @call return @error, as the kernel gives it: 0 or less. */
static inline void answer(int fd, uint64_t call, int error)
{
	struct seccomp_notif_resp response = { .id = call, .error = error };

	CHECK(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0);
}

#endif
