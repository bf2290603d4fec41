// SPDX-License-Identifier: GPL-2.0-only
#include "vfio_user.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfio_user_proto.h"

/* Copy a request's fixed part; false if it is too short. */
static bool take(const struct vfio_user_message *request, void *to, size_t len)
{
	if (request->len < len)
		return false;
	memcpy(to, request->body, len);
	return true;
}

static void give(struct vfio_user_message *reply, const void *from, size_t len)
{
	memcpy(reply->body + reply->len, from, len);
	reply->len += len;
}

static int version(struct vfio_user_session *session,
		   const struct vfio_user_message *request,
		   struct vfio_user_message *reply)
{
	struct vfio_user_version v;
	char caps[96];
	int n;

	if (!take(request, &v, sizeof(v)))
		return EINVAL;
	if (v.major != VFIO_USER_MAJOR)
		return ENOTSUP;
	/* The client's capabilities limit what a server may send it unasked: nothing. */
	if (request->len > sizeof(v) && request->body[request->len - 1] != '\0')
		return EINVAL;
	if (session->negotiated)
		return EINVAL;
	v.minor = VFIO_USER_MINOR;
	give(reply, &v, sizeof(v));
	n = snprintf(caps, sizeof(caps),
		     "{\"capabilities\":{\"max_msg_fds\":%d,\"max_data_xfer_size\":%u}}",
		     VFIO_USER_MAX_FDS, VFIO_USER_MAX_DATA);
	give(reply, caps, (size_t)n + 1);
	session->negotiated = true;
	return 0;
}

static int dma_map(struct vfio_user_session *session, struct vfio_user_message *request)
{
	struct vfio_user_dma_map m;
	struct dma_window w = { 0 };
	int rc;

	if (!take(request, &m, sizeof(m)) || m.argsz < sizeof(m))
		return EINVAL;
	if (m.flags & ~(VFIO_USER_DMA_READABLE | VFIO_USER_DMA_WRITABLE))
		return EINVAL;
	if (request->fd_count > 1)
		return EINVAL;
	w.address = m.address;
	w.size = m.size;
	w.offset = m.offset;
	/*
	 * A window without a file could only be reached by messages to the
	 * client; nothing that a board needs lies there.
	 */
	w.fd = request->fd_count ? request->fds[0] : -1;
	w.readable = m.flags & VFIO_USER_DMA_READABLE;
	w.writable = m.flags & VFIO_USER_DMA_WRITABLE;
	rc = dma_map_add(&session->fn->dma, &w);
	if (!rc && request->fd_count)
		request->fds[0] = -1;
	return rc;
}

static int dma_unmap(struct vfio_user_session *session,
		     const struct vfio_user_message *request,
		     struct vfio_user_message *reply)
{
	struct vfio_user_dma_unmap m;
	int rc;

	if (!take(request, &m, sizeof(m)) || m.argsz < sizeof(m))
		return EINVAL;
	if (m.flags == VFIO_USER_UNMAP_ALL) {
		if (m.address || m.size)
			return EINVAL;
		dma_map_clear(&session->fn->dma);
	} else if (m.flags) {
		return ENOTSUP;	/* dirty pages are not tracked */
	} else {
		rc = dma_map_remove(&session->fn->dma, m.address, m.size);
		if (rc)
			return rc;
	}
	give(reply, &m, sizeof(m));
	return 0;
}

static int device_info(const struct vfio_user_message *request,
		       struct vfio_user_message *reply)
{
	struct vfio_user_device_info info;

	if (!take(request, &info, sizeof(info)) || info.argsz < sizeof(info))
		return EINVAL;
	info.argsz = sizeof(info);
	info.flags = VFIO_USER_DEVICE_RESETS | VFIO_USER_DEVICE_PCI;
	info.regions = VFIO_USER_REGIONS;
	info.irqs = VFIO_USER_IRQS;
	give(reply, &info, sizeof(info));
	return 0;
}

static uint64_t region_size(const struct pci_function *fn, uint32_t index)
{
	if (index < PCI_CONFIG_BARS)
		return fn->config.bar_size[index];
	return index == VFIO_USER_REGION_CONFIG ? PCI_CONFIG_SIZE : 0;
}

static int region_info(struct vfio_user_session *session,
		       const struct vfio_user_message *request,
		       struct vfio_user_message *reply)
{
	struct vfio_user_region_info info;

	if (!take(request, &info, sizeof(info)) || info.argsz < sizeof(info))
		return EINVAL;
	if (info.index >= VFIO_USER_REGIONS)
		return EINVAL;
	info.argsz = sizeof(info);
	info.cap_offset = 0;
	info.offset = 0;
	info.size = region_size(session->fn, info.index);
	info.flags = info.size ? VFIO_USER_REGION_READABLE | VFIO_USER_REGION_WRITABLE : 0;
	give(reply, &info, sizeof(info));
	return 0;
}

static uint32_t irq_count(const struct pci_function *fn, uint32_t index)
{
	if (index == VFIO_USER_IRQ_INTX)
		return 1;
	return index == VFIO_USER_IRQ_MSI && fn->config.msi ? 1 : 0;
}

static int irq_info(struct vfio_user_session *session,
		    const struct vfio_user_message *request,
		    struct vfio_user_message *reply)
{
	struct vfio_user_irq_info info;

	if (!take(request, &info, sizeof(info)) || info.argsz < sizeof(info))
		return EINVAL;
	if (info.index >= VFIO_USER_IRQS)
		return EINVAL;
	info.argsz = sizeof(info);
	info.count = irq_count(session->fn, info.index);
	info.flags = info.count ? VFIO_USER_IRQ_EVENTFD : 0;
	if (info.index == VFIO_USER_IRQ_INTX)
		info.flags |= VFIO_USER_IRQ_MASKABLE | VFIO_USER_IRQ_AUTOMASKED;
	give(reply, &info, sizeof(info));
	return 0;
}

/* The client wants the interrupt signalled, to see whether it arrives. */
static void trigger(struct pci_function *fn, uint32_t index)
{
	if (index == VFIO_USER_IRQ_INTX)
		pci_irq_signal(fn->irq.intx_fd);
	else
		pci_irq_signal(fn->irq.msi_fd);
}

static int connect_irq(struct pci_function *fn, struct vfio_user_message *request,
		       uint32_t index)
{
	int fd = -1;

	if (request->fd_count > 1)
		return EINVAL;
	if (request->fd_count == 1) {
		fd = request->fds[0];
		request->fds[0] = -1;
	}
	return index == VFIO_USER_IRQ_INTX ? pci_irq_set_intx_fd(fn, fd) :
					     pci_irq_set_msi_fd(fn, fd);
}

static int set_irqs(struct vfio_user_session *session, struct vfio_user_message *request)
{
	struct pci_function *fn = session->fn;
	struct vfio_user_set_irqs s;
	uint32_t data, action;

	if (!take(request, &s, sizeof(s)) || s.argsz < sizeof(s))
		return EINVAL;
	data = s.flags & VFIO_USER_SET_DATA_MASK;
	action = s.flags & VFIO_USER_SET_ACTION_MASK;
	if (s.flags & ~(VFIO_USER_SET_DATA_MASK | VFIO_USER_SET_ACTION_MASK))
		return EINVAL;
	if (s.index >= VFIO_USER_IRQS)
		return EINVAL;
	if (s.start > irq_count(fn, s.index) ||
	    s.count > irq_count(fn, s.index) - s.start)
		return EINVAL;
	if (data == VFIO_USER_SET_DATA_NONE && action == VFIO_USER_SET_TRIGGER && !s.count)
		return s.index == VFIO_USER_IRQ_INTX ? pci_irq_set_intx_fd(fn, -1) :
		       s.index == VFIO_USER_IRQ_MSI ? pci_irq_set_msi_fd(fn, -1) : 0;
	if (!s.count)
		return EINVAL;
	if (data == VFIO_USER_SET_DATA_BOOL) {
		if (request->len < sizeof(s) + s.count)
			return EINVAL;
		if (!request->body[sizeof(s)])
			return 0;	/* a bool says for which of them */
	} else if (data == VFIO_USER_SET_DATA_EVENTFD) {
		return action == VFIO_USER_SET_TRIGGER ?
		       connect_irq(fn, request, s.index) : ENOTSUP;
	} else if (data != VFIO_USER_SET_DATA_NONE) {
		return EINVAL;
	}
	if (action == VFIO_USER_SET_TRIGGER)
		trigger(fn, s.index);
	else if (s.index != VFIO_USER_IRQ_INTX)
		return ENOTSUP;		/* MSI has no mask here */
	else if (action == VFIO_USER_SET_UNMASK)
		pci_irq_unmask_intx(fn);
	else if (action == VFIO_USER_SET_MASK)
		pci_irq_mask_intx(fn);
	else
		return EINVAL;
	return 0;
}

/* Is this a legal access to the region? The data of a write follow the header. */
static int check_access(const struct pci_function *fn,
			const struct vfio_user_region_access *a)
{
	uint64_t size;

	if (a->region >= VFIO_USER_REGIONS || !a->count || a->count > VFIO_USER_MAX_DATA)
		return EINVAL;
	size = region_size(fn, a->region);
	if (a->offset > size || a->count > size - a->offset)
		return EINVAL;
	if (a->region == VFIO_USER_REGION_CONFIG)
		return 0;
	/* A register access is one bus transaction. */
	if (a->count > 8 || (a->count & (a->count - 1)) || (a->offset & (a->count - 1)))
		return EINVAL;
	return 0;
}

static int region_read(struct vfio_user_session *session,
		       const struct vfio_user_message *request,
		       struct vfio_user_message *reply)
{
	struct pci_function *fn = session->fn;
	struct vfio_user_region_access a;
	int rc;

	if (!take(request, &a, sizeof(a)))
		return EINVAL;
	rc = check_access(fn, &a);
	if (rc)
		return rc;
	give(reply, &a, sizeof(a));
	if (a.region == VFIO_USER_REGION_CONFIG) {
		pci_config_read(&fn->config, a.offset, reply->body + reply->len, a.count,
				fn->irq.level);
		reply->len += a.count;
	} else {
		uint64_t value;

		fn->host->sync(fn);
		value = fn->ops->read(fn->arg, a.region, a.offset, a.count);
		give(reply, &value, a.count);	/* little endian on all our hosts */
	}
	return 0;
}

static int region_write(struct vfio_user_session *session,
			const struct vfio_user_message *request,
			struct vfio_user_message *reply)
{
	struct pci_function *fn = session->fn;
	struct vfio_user_region_access a;
	int rc;

	if (!take(request, &a, sizeof(a)))
		return EINVAL;
	rc = check_access(fn, &a);
	if (rc)
		return rc;
	if (request->len - sizeof(a) < a.count)
		return EINVAL;
	if (a.region == VFIO_USER_REGION_CONFIG) {
		unsigned int what = pci_config_write(&fn->config, a.offset,
						     request->body + sizeof(a), a.count);

		if (what & PCI_CONFIG_WOKEN)
			pci_function_reset(fn);
		else if (what & PCI_CONFIG_CHANGED)
			pci_irq_reconsider(fn);
	} else {
		uint64_t value = 0;

		memcpy(&value, request->body + sizeof(a), a.count);
		fn->host->sync(fn);
		fn->ops->write(fn->arg, a.region, a.offset, a.count, value);
	}
	give(reply, &a, sizeof(a));
	return 0;
}

int vfio_user_handle(struct vfio_user_session *session,
		     struct vfio_user_message *request,
		     struct vfio_user_message *reply)
{
	reply->command = request->command;
	reply->len = 0;
	reply->fd_count = 0;
	if (request->command != VFIO_USER_VERSION && !session->negotiated)
		return EPROTO;
	switch (request->command) {
	case VFIO_USER_VERSION:
		return version(session, request, reply);
	case VFIO_USER_DMA_MAP:
		return dma_map(session, request);
	case VFIO_USER_DMA_UNMAP:
		return dma_unmap(session, request, reply);
	case VFIO_USER_DEVICE_GET_INFO:
		return device_info(request, reply);
	case VFIO_USER_GET_REGION_INFO:
		return region_info(session, request, reply);
	case VFIO_USER_GET_IRQ_INFO:
		return irq_info(session, request, reply);
	case VFIO_USER_SET_IRQS:
		return set_irqs(session, request);
	case VFIO_USER_REGION_READ:
		return region_read(session, request, reply);
	case VFIO_USER_REGION_WRITE:
		return region_write(session, request, reply);
	case VFIO_USER_DEVICE_RESET:
		pci_function_reset(session->fn);
		return 0;
	default:
		return ENOTSUP;
	}
}
