/* SPDX-License-Identifier: GPL-2.0-only */
/* A CAN bus of its own for the CAN controller at chip select 1 of the board rpi, with one peer. */
#ifndef RPI_BUS_H
#define RPI_BUS_H

#include <stdio.h>

#include "canbus.h"
#include "peer.h"

/* What a test may ask for. */
enum rpi_bus_value {
	RPI_BUS_SENT,
	RPI_BUS_RECEIVED,
	RPI_BUS_LOST,
	RPI_BUS_SWAPPED,
	RPI_BUS_DUPLICATED,
	RPI_BUS_UNEXPECTED,
};

struct rpi_bus;

/* @file: script of the peer; on failure NULL and one line of text in @err. */
struct rpi_bus *rpi_bus_new(struct sim *sim, const char *file, char *err, size_t errlen);
void rpi_bus_free(struct rpi_bus *b);
struct canbus *rpi_bus_can(struct rpi_bus *b);
void rpi_bus_signal(struct rpi_bus *b, unsigned int n);
uint32_t rpi_bus_value(const struct rpi_bus *b, uint32_t what);
/* Counters as JSON members: "can1_frames": 1, ... */
void rpi_bus_counters(const struct rpi_bus *b, FILE *out);
void rpi_bus_counters_reset(struct rpi_bus *b);

#endif
