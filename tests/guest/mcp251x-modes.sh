#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What modes.sh leaves open for a chip of the MCP2515 family: alone on the bus, listen-only without
# anybody else who acknowledges, one-shot without acknowledge, one copy of each frame in loopback
# mode, triple sampling.

. /rig/lib.sh

# the counters as ip shows them: "tx 128 rx 0"
berr() {
	ip -details link show can0 | sed -n 's/.*(berr-counter \(.*\)) .*/\1/p'
}

statistic() {
	ethtool -S can0 | sed -n "s/^ *$1: //p"
}

received() { # at least so many by the peers
	[ "$(rigctl get received)" -ge "$1" ]
}

# --- nobody there (signal 1: somebody comes)
lone() {
	can_up berr-reporting off || bail "can0 does not come up"
	cangen can0 -g 0 -p 10 -I 200 -L 8 -D i -x -n 20
	sleep 0.5
	is "$(can_state)" ERROR-PASSIVE "alone: error-passive"
	is "$(berr)" "tx 128 rx 0" "alone: the transmit error counter stops at 128"
	is "$(stat_of tx_packets)" 0 "alone: nothing counts as sent"
	is "$(rigctl get received)" 0 "alone: nothing is received"
	rigctl signal 1
	check "alone: all frames are sent when somebody comes" wait_for 5 received 20
	sleep 0.05
	is "$(rigctl get received) $(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)" \
		"20 0 0 0" "alone: each once, in order"
	is "$(stat_of tx_packets)" 20 "alone: and counted"
	# 20 good frames: 128 - 20 = 108
	is "$(berr)" "tx 108 rx 0" "alone: the counter goes down again"
	check "alone: from passive to warning" wait_for 1 in_state ERROR-WARNING
	cangen can0 -g 0 -p 10 -I 200 -L 8 -D 14000000 -x -n 20
	check "alone: and to error-active" wait_for 1 in_state ERROR-ACTIVE
}

# --- one-shot: nobody acknowledges (signal 2: they are gone, 3: they come back)
one_shot() {
	rigctl signal 2
	sleep 0.01
	can_up one-shot on || bail "one-shot is refused"
	before=$(rigctl get received)
	packets=$(stat_of tx_packets)
	cansend can0 201#01
	cansend can0 201#02
	sleep 0.1
	is "$(statistic tx_one_shot_failed)" 2 "one-shot: two frames without acknowledge are given up"
	is "$(stat_of tx_packets)" "$packets" "one-shot: they do not count as sent"
	# one attempt each
	is "$(berr)" "tx 16 rx 0" "one-shot: one attempt each"
	rigctl signal 3
	sleep 0.01
	cansend can0 201#03
	sleep 0.05
	is $(($(rigctl get received) - before)) 1 "one-shot: the next one is sent"
	can_up one-shot off || fail "one-shot off is refused"
}

# --- listen-only: the peer (signal 4) sends to us alone, over and over; its friend comes with
# signal 5. Once the peer is error-passive its frames look good to us, each time.
listen_only() {
	can_up listen-only on || bail "listen-only is refused"
	rm -f /tmp/dump
	candump -L can0 >/tmp/dump 2>/dev/null &
	listener=$!
	sleep 0.1
	sent=$(rigctl get sent)
	rigctl signal 4
	sleep 0.2
	is "$(rigctl get sent)" "$sent" "listen-only: no frame of the peer is acknowledged by us"
	is "$(berr)" "tx 0 rx 0" "listen-only: the error counters are off"
	rigctl signal 5
	sleep 0.05
	is $(($(rigctl get sent) - sent)) 1 "listen-only: another one acknowledges it"
	heard=$(wc -l </tmp/dump)
	sleep 0.05
	kill $listener
	is "$(wc -l </tmp/dump)" "$heard" "listen-only: and then there is silence"
	is "$(sed 's/.* //' /tmp/dump | sort -u)" "300#AABB" "listen-only: the frame is received"
	can_up listen-only off || fail "listen-only off is refused"
}

# --- loopback
loopback() {
	can_up loopback on || bail "loopback is refused"
	before=$(rigctl get received)
	rm -f /tmp/dump
	candump -L can0 >/tmp/dump 2>/dev/null &
	listener=$!
	sleep 0.1
	for frame in 123#00 123#01 00000124#02 125#R 126#; do
		cansend can0 $frame
	done
	sleep 0.1
	kill $listener
	is "$(sed 's/.* //' /tmp/dump | tr '\n' ' ')" "123#00 123#01 00000124#02 125#R 126# " \
		"loopback: one copy of each frame, in order"
	is "$(rigctl get received)" "$before" "loopback: nothing gets out"
	can_up loopback off || fail "loopback off is refused"
}

# --- triple sampling
triple() {
	can_up triple-sampling on || bail "triple-sampling is refused"
	# CNF2, SAM
	is $(($(rigctl board 10 $((0x29))) & 0x40)) 64 "triple sampling is on in the chip"
	before=$(rigctl get received)
	cansend can0 202#0102
	sleep 0.05
	is $(($(rigctl get received) - before)) 2 "triple sampling: frames are sent"
	can_up triple-sampling off || fail "triple-sampling off is refused"
	is $(($(rigctl board 10 $((0x29))) & 0x40)) 0 "triple sampling is off in the chip"
}

need_can0
for phase in ${PHASES:-lone one_shot listen_only loopback triple}; do
	$phase
done
ip -details -statistics link show can0 | sed 's/^/# /'
ethtool -S can0 | sed 's/^/# /'
tap_done
