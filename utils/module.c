// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel modules
 *
 * The kernel does not tell which file a module was loaded from. It tells the module's version and
 * the checksum of its source, and files say the same of themselves. libkmod reads these, as files
 * may be compressed.
 */

#include "module.h"
#include "fs.h"

#include <libkmod.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_config[] = { NULL };

static void id_clear(struct module_id *id)
{
	free(id->version);
	free(id->srcversion);
	*id = (struct module_id){ 0 };
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

bool module_id_same(const struct module_id *a, const struct module_id *b)
{
	return same_text(a->version, b->version) && same_text(a->srcversion, b->srcversion);
}

static bool read_file_id(struct kmod_module *mod, struct module_id *id)
{
	struct kmod_list *info = NULL, *entry;
	const char *key, *value;

	if (kmod_module_get_info(mod, &info) < 0)
		return false;
	kmod_list_foreach(entry, info) {
		key = kmod_module_info_get_key(entry);
		value = kmod_module_info_get_value(entry);
		if (strcmp(key, "version") == 0 && !id->version)
			id->version = xstrdup(value);
		else if (strcmp(key, "srcversion") == 0 && !id->srcversion)
			id->srcversion = xstrdup(value);
	}
	kmod_module_info_free_list(info);
	return true;
}

/* the file that modprobe would load, by the indexes of depmod */
static void find_preferred(const struct canpipe *cp, const char *release, struct module *m)
{
	char *dir = fs_path(cp, "/lib/modules/%s", release);
	struct kmod_ctx *ctx = kmod_new(dir, no_config);
	struct kmod_list *list = NULL;
	struct kmod_module *mod;
	const char *path;

	if (ctx && kmod_module_new_from_lookup(ctx, m->name, &list) >= 0 && list) {
		mod = kmod_module_get_module(list);
		path = kmod_module_get_path(mod);
		if (path) {
			m->file = xstrdup(path + strlen(cp->root));
			m->file_read = read_file_id(mod, &m->file_id);
		}
		kmod_module_unref(mod);
		kmod_module_unref_list(list);
	}
	kmod_unref(ctx);
	free(dir);
}

/* is this file name that of the module, compressed or not? */
static bool is_file_of(const char *file, const char *module)
{
	size_t i;

	for (i = 0; module[i]; i++)
		if (file[i] != module[i] && !(file[i] == '-' && module[i] == '_'))
			return false;
	return strncmp(file + i, ".ko", 3) == 0 && (!file[i + 3] || file[i + 3] == '.');
}

static bool file_is_loaded(const struct canpipe *cp, const char *file, const struct module *m)
{
	/* libkmod knows a module by its name only once */
	struct kmod_ctx *ctx = kmod_new(NULL, no_config);
	char *path = fs_path(cp, "%s", file);
	struct module_id id = { 0 };
	struct kmod_module *mod;
	bool is = false;

	if (ctx && kmod_module_new_from_path(ctx, path, &mod) >= 0) {
		is = read_file_id(mod, &id) && module_id_same(&id, &m->id);
		kmod_module_unref(mod);
	}
	kmod_unref(ctx);
	id_clear(&id);
	free(path);
	return is;
}

/* the file below a directory that the loaded module came from */
static char *find_loaded(const struct canpipe *cp, const char *dir, const struct module *m)
{
	char **names = fs_list(cp, "%s", dir), *path, *found = NULL;
	size_t i;

	for (i = 0; names[i] && !found; i++) {
		path = xasprintf("%s/%s", dir, names[i]);
		if (is_file_of(names[i], m->name)) {
			if (file_is_loaded(cp, path, m))
				found = xstrdup(path);
		} else if (!strchr(names[i], '.') && fs_is_dir(cp, "%s", path)) {
			found = find_loaded(cp, path, m);
		}
		free(path);
	}
	fs_list_free(names);
	return found;
}

static void find_loaded_file(const struct canpipe *cp, const char *release, struct module *m)
{
	/* where the modules of this package and their namesakes of the kernel can be */
	static const char *const dirs[] = {
		"updates", "extra", "kernel/drivers/net/can", "kernel/drivers/spi",
	};
	char *dir;
	size_t i;

	if (m->file_read && module_id_same(&m->id, &m->file_id)) {
		m->loaded_file = xstrdup(m->file);
		return;
	}
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !m->loaded_file; i++) {
		dir = xasprintf("/lib/modules/%s/%s", release, dirs[i]);
		m->loaded_file = find_loaded(cp, dir, m);
		free(dir);
	}
}

static void read_params(const struct canpipe *cp, struct module *m)
{
	char **names = fs_list(cp, "/sys/module/%s/parameters", m->name);
	size_t i;

	for (i = 0; names[i]; i++) {
		m->params = xrealloc(m->params, (i + 1) * sizeof(*m->params));
		m->params[i].name = xstrdup(names[i]);
		m->params[i].value = fs_line(cp, "/sys/module/%s/parameters/%s", m->name, names[i]);
		m->param_count = i + 1;
	}
	fs_list_free(names);
}

void module_read(const struct canpipe *cp, const char *release, const char *name,
		 struct module *m)
{
	*m = (struct module){ .name = xstrdup(name) };
	find_preferred(cp, release, m);
	m->loaded = fs_exists(cp, "/sys/module/%s/initstate", name);
	if (!m->loaded)
		return;
	m->id.version = fs_line(cp, "/sys/module/%s/version", name);
	m->id.srcversion = fs_line(cp, "/sys/module/%s/srcversion", name);
	read_params(cp, m);
	find_loaded_file(cp, release, m);
}

bool module_is_stale(const struct module *m)
{
	return m->loaded && m->file_read && !module_id_same(&m->id, &m->file_id);
}

void module_clear(struct module *m)
{
	size_t i;

	for (i = 0; i < m->param_count; i++) {
		free(m->params[i].name);
		free(m->params[i].value);
	}
	free(m->params);
	free(m->name);
	free(m->file);
	free(m->loaded_file);
	id_clear(&m->id);
	id_clear(&m->file_id);
}
