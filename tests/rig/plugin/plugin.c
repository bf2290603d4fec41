// SPDX-License-Identifier: GPL-2.0-only
/* canpipe-rig.so: where QEMU comes in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "vcpu.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_ABI_VERSION;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv);

static const struct vcpu_arch *arch;

static const struct vcpu_arch *find_arch(const char *target)
{
	if (!strcmp(target, vcpu_arm64.target))
		return &vcpu_arm64;
	if (!strcmp(target, vcpu_x86.target))
		return &vcpu_x86;
	return NULL;
}

static void vcpu_exists(unsigned int vcpu, void *arg)
{
	(void)arg;
	if (vcpu) {
		fprintf(stderr, "canpipe rig: the virtual clock is for one CPU only: start QEMU with -smp 1, or use canpipe-rig-wall\n");
		exit(EXIT_FAILURE);
	}
	vcpu_setup(arch);
}

static void translate(struct qemu_plugin_tb *tb, void *arg)
{
	(void)arg;
	vcpu_translate(tb);
}

static void at_exit(void *arg)
{
	(void)arg;
	rig_stop(&vcpu_rig);
}

static bool suitable(const qemu_info_t *info)
{
	if (info->version.cur != QEMU_PLUGIN_ABI_VERSION) {
		fprintf(stderr, "canpipe rig: written for version %d of QEMU's plugin interface, but this QEMU has version %d: use QEMU 11.1 (tests/rig/qemu)\n",
			QEMU_PLUGIN_ABI_VERSION, info->version.cur);
		return false;
	}
	if (!info->system_emulation) {
		fprintf(stderr, "canpipe rig: for qemu-system-... only\n");
		return false;
	}
	if (info->system.smp_vcpus != 1 || info->system.max_vcpus != 1) {
		fprintf(stderr, "canpipe rig: the virtual clock is for one CPU only: start QEMU with -smp 1, or use canpipe-rig-wall\n");
		return false;
	}
	arch = find_arch(info->target_name);
	if (!arch) {
		fprintf(stderr, "canpipe rig: there is no clock for %s guests, only for %s and %s\n",
			info->target_name, vcpu_arm64.target, vcpu_x86.target);
		return false;
	}
	return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct rig_options options;
	char err[512];

	if (!suitable(info))
		return -1;
	if (!rig_options_parse(&options, argc, argv, err, sizeof(err))) {
		fprintf(stderr, "canpipe rig: %s\n", err);
		rig_options_help(stderr);
		return -1;
	}
	if (!clock_init()) {
		fprintf(stderr, "canpipe rig: out of memory\n");
		return -1;
	}
	if (!rig_start(&vcpu_rig, &options, &vcpu_clock, err, sizeof(err))) {
		fprintf(stderr, "canpipe rig: %s\n", err);
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, vcpu_exists, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
