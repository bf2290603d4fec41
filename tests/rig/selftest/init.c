// SPDX-License-Identifier: GPL-2.0-only
/* PID 1 of the rig's own tests: load /rigtest.ko with the arguments after "--" and end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void mount_at(const char *what, const char *where)
{
	mkdir(where, 0755);
	if (mount(what, where, what, 0, NULL) && errno != EBUSY)
		printf("init: mount %s: %s\n", where, strerror(errno));
}

static void load_module(const char *options)
{
	int fd = open("/rigtest.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, options, 0))
		printf("init: rigtest.ko: %s\n", strerror(errno));
}

static int run(const char *program, const char *a, const char *b)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execl(program, program, a, b, (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	char options[256] = "";

	mount_at("devtmpfs", "/dev");
	mount_at("sysfs", "/sys");
	if (!freopen("/dev/console", "w", stdout))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		size_t used = strlen(options);

		snprintf(options + used, sizeof(options) - used, "%s ", argv[i]);
	}
	printf("init: measure start %d\n", run("/rigctl", "measure", "start"));
	load_module(options);
	printf("init: running %d\n", run("/rigctl", "get", "running"));
	printf("init: measure stop %d\n", run("/rigctl", "measure", "stop"));
	printf("init: end\n");
	sync();
	reboot(RB_AUTOBOOT);
	return 1;
}
