# SPDX-License-Identifier: GPL-2.0-only
#
# Of the counters of a Raspberry Pi with an MCP2515 at chip select 0.

# of the CPU, whatever the reason
def interrupts: .gpio_interrupts + .spi_interrupts + .dma_interrupts;

# A message of spi-bcm2835dma is a start of the channel that has the most control blocks; one of the
# kernel's driver, a chip select.
def messages:
	. as $c
	| if .dma_starts == 0 then .cs0_spi_selects
	  else [range(16) | tostring | { blocks: $c["dma\(.)_cbs"], starts: $c["dma\(.)_starts"] } |
		select(.blocks)] | max_by(.blocks).starts
	  end;
