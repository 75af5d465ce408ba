/* SPDX-License-Identifier: MIT */
/*
 * init.c: the first process of a virtual machine, and all its user space. Runs
 * the command of /command (words that end with 0), with the machine's serial
 * line for all it writes, and powers off. On that line:
 *
 *   @@ready              and it waits for a line
 *   @@begin
 *   what the command wrote
 *   @@end STATUS         as a shell has it: 128 and more is a signal
 *
 * A command that runs for longer than the environment's SECONDS is killed, so
 * that one that hangs is told from a machine that does.
 *
 * What the machine should be like is said to the kernel, by its arguments.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WORDS 256

static void mount_at(const char *where, const char *type)
{
	mkdir(where, 0755);
	mount(type, where, type, 0, NULL);
}

/* Plain lines, without the carriage returns of a terminal. */
static void open_console(void)
{
	struct termios line;
	int fd = open("/dev/console", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (tcgetattr(1, &line) == 0) {
		line.c_oflag &= ~(tcflag_t)OPOST;
		line.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(1, TCSANOW, &line);
	}
}

/* Until somebody has made the machine what the program is to find. */
static void wait_for_line(void)
{
	char c = 0;

	dprintf(1, "\n@@ready\n");
	while (read(0, &c, 1) == 1 && c != '\n')
		;
}

static char **read_command(void)
{
	static char text[16 << 10];
	static char *words[WORDS + 1];
	int fd = open("/command", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	unsigned count = 0;

	close(fd);
	for (char *at = text; at < text + n && count < WORDS;
	     at += strlen(at) + 1)
		words[count++] = at;
	return words;
}

static pid_t child;

static void give_up(int signal)
{
	(void)signal;
	kill(child, SIGKILL);
}

static int run(char **words)
{
	const char *seconds = getenv("SECONDS");
	int status = 0;

	child = fork();
	if (child == 0) {
		execve("/program", words, environ);
		perror("/program");
		_exit(127);
	}
	signal(SIGALRM, give_up);
	if (seconds != NULL)
		alarm((unsigned)strtoul(seconds, NULL, 10));
	/* Orphans end up here too. */
	while (wait(&status) != child)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
	int status;

	mount_at("/proc", "proc");
	mount_at("/sys", "sysfs");
	mount_at("/dev", "devtmpfs");
	mount_at("/tmp", "tmpfs");
	open_console();
	wait_for_line();
	dprintf(1, "\n@@begin\n");
	status = run(read_command());
	dprintf(1, "\n@@end %d\n", status);
	tcdrain(1);
	reboot(RB_POWER_OFF);
	return 1;
}
