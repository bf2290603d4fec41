// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: kernel, headers, modules
 */

#include "doctor.h"

#include <stdlib.h>
#include <string.h>

/* the package whose headers are those of the running kernel */
static char *headers_package(const struct system *s)
{
	const char *rpi = strstr(s->release, "-rpi-");

	/* Raspberry Pi OS: 6.12.47+rpt-rpi-v8; the metapackage brings the next ones, too */
	if (rpi)
		return xasprintf("linux-headers-%s", rpi + 1);
	return xasprintf("linux-headers-%s", s->release);
}

static void check_headers(const struct system *s, struct findings *f)
{
	struct finding *x;
	char *package;

	/* without the package nobody needs them, and once it is built they have done their work */
	if (!s->package)
		return;
	if (!s->modules_there) {
		x = f_add(f, "kernel-gone", SURE_CERTAIN, NULL);
		f_seen(x, "Linux %s is running, but its modules are no longer in /lib/modules.",
		       s->release);
		f_means(x, "The kernel was replaced since the machine was started: drivers that are not loaded yet cannot be loaded any more.");
		f_fix(x, "sudo reboot");
		return;
	}
	package = headers_package(s);
	if (s->headers == HEADERS_WRONG) {
		x = f_add(f, "headers-wrong", SURE_CERTAIN, NULL);
		f_seen(x, "/lib/modules/%s/build holds the headers of Linux %s.", s->release,
		       s->headers_of);
		f_means(x, "Drivers that are built with them may not load, or crash.");
		f_fix(x, "sudo apt install --reinstall %s", package);
	} else if (s->headers == HEADERS_MISSING && s->headers_of) {
		x = f_add(f, "headers-other", SURE_CERTAIN, NULL);
		f_seen(x, "Linux %s is running, and the headers that are installed are those of %s.",
		       s->release, s->headers_of);
		f_means(x, "canpipe's drivers cannot be built for the running kernel%s.",
			s->built ? " again" : ", so the kernel's own are in use, if there are any");
		f_fix(x, "sudo apt install %s", package);
	} else if (s->headers == HEADERS_MISSING) {
		x = f_add(f, "headers-missing", SURE_CERTAIN, NULL);
		f_seen(x, "There are no kernel headers for Linux %s.", s->release);
		f_means(x, "canpipe's drivers cannot be built%s.",
			s->built ? " again" : ", so the kernel's own are in use, if there are any");
		f_fix(x, "sudo apt install %s", package);
	} else if (s->placeholder) {
		x = f_add(f, "kernel-without-can", SURE_CERTAIN, NULL);
		f_seen(x, "Linux %s is built without CAN and without SPI.", s->release);
		f_means(x, "No CAN driver can be had for it; canpipe-dkms has installed a placeholder. Kernels for clouds are like that: another one is needed.");
		f_fix(x, "sudo apt install linux-image-%s && sudo reboot",
		      strcmp(s->user_arch, "armhf") == 0 ? "armmp" : s->user_arch);
	} else if (!s->built) {
		x = f_add(f, "module-not-built", SURE_CERTAIN, NULL);
		f_seen(x, "canpipe-dkms %s is installed, and the headers are, but /lib/modules/%s has none of its drivers.",
		       s->package, s->release);
		f_means(x, "They were not built for this kernel, or that failed; the kernel's own drivers are in use, if there are any. /var/lib/dkms/canpipe/%s/build/make.log says why.",
			s->package);
		f_fix(x, "sudo dkms autoinstall -k %s", s->release);
	}
	free(package);
}

static void check_user_land(const struct system *s, struct findings *f)
{
	struct finding *x;

	if (!system_is_mixed(s))
		return;
	x = f_add(f, "userland-32bit", SURE_CERTAIN, NULL);
	f_seen(x, "The kernel is one of 64 bits (%s), the system's programs are of 32 (%s).",
	       s->kernel_arch, s->user_arch);
	f_means(x, "The compiler of this system cannot build drivers for this kernel: canpipe-dkms stays without effect. A kernel of 32 bits can be had by arm_64bit=0; or install the 64-bit system.");
	f_fix(x, "echo arm_64bit=0 | sudo tee -a %s && sudo reboot", doctor_config_txt(s));
}

/* modules that depend on this one have to go with it */
static void fix_reload(struct finding *x, const struct module *m)
{
	if (strcmp(m->name, "spi_bcm2835dma") == 0)
		f_fix(x, "sudo reboot");
	else if (strncmp(m->name, "c_can", 5) == 0)
		f_fix(x, "sudo sh -c 'modprobe -r c_can_pci c_can_platform; modprobe -r c_can; udevadm trigger -c add -s pci -s platform'");
	else
		f_fix(x, "sudo sh -c 'modprobe -r %s && modprobe %s'", m->name, m->name);
}

/*
 * What the kernel says when it does not take a module: old ones do not name it, and lockdown does
 * not either.
 */
static const char *rejection(const struct system *s)
{
	const char *line = kmsg_last(&s->log, "Loading of ", " is rejected");

	return line ? line : kmsg_last(&s->log, "Lockdown: ", "unsigned module loading");
}

/* no interface, drivers of this package that are not loaded, and a module was rejected */
static void check_signature(const struct system *s, size_t interfaces, struct findings *f)
{
	const char *line = rejection(s);
	struct finding *x;
	size_t i;

	if (!line || interfaces)
		return;
	for (i = 0; i < s->module_count; i++)
		if (!s->modules[i].loaded && s->modules[i].file &&
		    module_id_ours(&s->modules[i].file_id))
			break;
	if (i == s->module_count)
		return;
	x = f_add(f, "module-rejected", SURE_LIKELY, NULL);
	f_seen(x, "%s of canpipe is there and not loaded; the kernel says: %s",
	       s->modules[i].name, line);
	if (strstr(line, "unsigned")) {
		f_means(x, "Secure boot is on, and DKMS has not signed the modules, as openssl was not there when they were built.");
		f_fix(x, "sudo sh -c 'apt install openssl mokutil && apt install --reinstall canpipe-dkms && mokutil --import /var/lib/dkms/mok.pub && reboot'");
	} else {
		f_means(x, "Secure boot is on, and the firmware does not know the key that DKMS signs modules with. The command asks for a password, and the firmware for it again when the machine starts.");
		f_fix(x, "sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot");
	}
}

static void check_module(const struct module *m, struct findings *f)
{
	struct finding *x;

	if (!module_is_stale(m))
		return;
	if (!module_id_ours(&m->id) && module_id_ours(&m->file_id)) {
		x = f_add(f, "module-in-tree", SURE_CERTAIN, NULL);
		f_seen(x, "The kernel's own %s is loaded%s%s; canpipe's, version %s, is installed as %s.",
		       m->name, m->loaded_file ? ", from " : "",
		       m->loaded_file ? m->loaded_file : "", m->file_id.version, m->file);
		f_means(x, "It was loaded before canpipe's was built. Nothing of what canpipe is for is in effect.");
	} else {
		x = f_add(f, "module-stale", SURE_CERTAIN, NULL);
		f_seen(x, "The loaded %s (version %s, source %s) is not the one in %s (version %s, source %s).",
		       m->name, m->id.version ? m->id.version : "none",
		       m->id.srcversion ? m->id.srcversion : "unknown", m->file,
		       m->file_id.version ? m->file_id.version : "none",
		       m->file_id.srcversion ? m->file_id.srcversion : "unknown");
		f_means(x, "The driver was changed on the disk since it was loaded; the old one stays in use until it is loaded anew.");
	}
	fix_reload(x, m);
}

/* frames that wait for an application that is away */
#define FRAME_MEMORY	700	/* bytes that a CAN frame costs in a socket's buffer, about */
#define AWAY_MS		50	/* what a program on a busy machine may have to wait for the CPU */
#define FRAME_BITS	48	/* of the shortest data frame */

static void check_rmem(const struct system *s, const struct watched *list, size_t count,
		       struct findings *f)
{
	uint32_t fastest = 0;
	struct finding *x;
	long long frames;
	double ms;
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].now->link->up && list[i].now->link->timing.bitrate > fastest)
			fastest = list[i].now->link->timing.bitrate;
	if (!fastest || s->rmem_default < 0)
		return;
	frames = s->rmem_default / FRAME_MEMORY;
	ms = frames * FRAME_BITS * 1000.0 / fastest;
	if (ms >= AWAY_MS)
		return;
	x = f_add(f, "rmem-small", SURE_POSSIBLE, NULL);
	f_seen(x, "net.core.rmem_default is %lld, net.core.rmem_max %lld.", s->rmem_default,
	       s->rmem_max);
	f_means(x, "A socket that does not ask for more holds about %lld frames, on a full bus at %u bit/s the frames of %.0f ms. If the program that reads is away for longer, frames are lost, and no counter of the interface shows it.",
		frames, fastest, ms);
	f_fix(x, "sudo sysctl -w net.core.rmem_max=8388608 net.core.rmem_default=2097152");
}

void doctor_system(const struct system *s, const struct watched *list, size_t count,
		   struct findings *f)
{
	size_t i;

	check_headers(s, f);
	check_user_land(s, f);
	check_signature(s, count, f);
	for (i = 0; i < s->module_count; i++)
		check_module(&s->modules[i], f);
	check_rmem(s, list, count, f);
}
