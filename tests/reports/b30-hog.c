/* SPDX-License-Identifier: MIT */
/* b30-hog.c: an object with a little static TLS, for b30-tls.c. */
extern char *hog(void);

static __thread __attribute__((tls_model("initial-exec"))) char bytes[64];

char *hog(void)
{
	return bytes;
}
