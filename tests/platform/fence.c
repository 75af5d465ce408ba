/* SPDX-License-Identifier: MIT */
/*
 * percpu_fence: the kernel is asked for a fence of sequences, after the process
 * registered for it if it had not; where the kernel refuses, the answer is
 * -EOPNOTSUPP and never success; one CPU's fence names the CPU, is -EINVAL where
 * none may be, and is refused where slots are not CPUs.
 *
 * What the kernel and /sys answer is this test's word (ld --wrap).
 */
#include "check.h"

#include <percpu/percpu.h>

#include "os.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define FENCE 128
#define REGISTER 256

static struct {
	int fence;     /* the answer to a fence once registered */
	int registers; /* the answer to registration */
	bool registered;
	unsigned flags; /* of the last fence */
	int cpu;
} kernel;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu);

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	if (cmd == REGISTER) {
		kernel.registered = kernel.registers == 0;
		return kernel.registers;
	}
	CHECK_EQ(cmd, FENCE);
	kernel.flags = flags;
	kernel.cpu = cpu;
	if (kernel.fence == -ENOSYS || kernel.registered)
		return kernel.fence;
	return -EPERM;
}

static const char *possible = "0-3,5000\n";

__typeof__(percpu__os_read_file) __wrap_percpu__os_read_file;

int __wrap_percpu__os_read_file(const char *path, char *text, size_t size)
{
	if (strcmp(path, "/sys/devices/system/cpu/possible") != 0)
		return -ENOENT;
	return snprintf(text, size, "%s", possible);
}

static void expect(int fence, int registers, int want)
{
	kernel.fence = fence;
	kernel.registers = registers;
	kernel.registered = false;
	CHECK(percpu_fence() == want);
	kernel.registered = false;
	CHECK(percpu_fence_cpu(5000) == want);
}

static void check_ids(void)
{
	expect(0, 0, 0);
	CHECK_EQ(percpu_fence_cpu(4999), 0);
	CHECK(percpu_fence_cpu(5001) == -EINVAL);
	CHECK(percpu_fence_cpu((unsigned)INT_MAX + 1) == -EINVAL);
	CHECK(percpu_fence_cpu(UINT_MAX) == -EINVAL);
	possible = "0-5001";
	CHECK_EQ(percpu_fence_cpu(5001), 0);
	CHECK_EQ(kernel.cpu, 5001);
	CHECK(percpu_fence_cpu(5002) == -EINVAL);
}

int main(void)
{
	struct percpu_options opt = { sizeof(opt), PERCPU_POLICY_RSEQ,
				      PERCPU_INDEX_CID };

	expect(0, 0, 0);
	CHECK_EQ(kernel.flags, 1);
	CHECK_EQ(kernel.cpu, 5000);
	CHECK_EQ(percpu_fence(), 0);
	CHECK_EQ(kernel.flags, 0);
	expect(-ENOSYS, -ENOSYS, -EOPNOTSUPP);
	expect(-EINVAL, 0, -EOPNOTSUPP);
	expect(0, -EPERM, -EOPNOTSUPP);
	check_ids();
	CHECK(percpu_setup(&opt) == -EBUSY);
	return TEST_PASS;
}
