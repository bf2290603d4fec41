// SPDX-License-Identifier: GPL-2.0-only
/*
 * seedrng: make the kernel's random numbers ready, as they are on any machine soon after its
 * start. The rig's guests have no source of them, and until they are ready each getrandom() of a
 * program computes hashes with interrupts off (cangen calls it for every frame). The seed is
 * always the same: runs repeat.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

int main(void)
{
	struct {
		int bits;
		int bytes;
		char data[32];
	} seed = { .bits = 8 * sizeof(seed.data), .bytes = sizeof(seed.data) };
	int fd = open("/dev/random", O_RDONLY);

	memset(seed.data, 'x', sizeof(seed.data));
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed)) {
		perror("seedrng: /dev/random");
		return 1;
	}
	return 0;
}
