#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Reception by a driver of the MCP2515 under all conditions that a peer, a slow CPU, a slow SPI
# and a wrong INT can make: T1 to T5, T19, T20 and T25 of the cases that tests/rig/mcp251x-cases.t
# names. The peers are at 500 kbit/s, from signal 10 on at 1 Mbit/s. STALLS: step of T4 in us.
# shellcheck disable=SC2034 # RIG_BITRATE is can_up's

. /rig/lib.sh
. /rig/mcp251x-lib.sh

# Which have an order: full, sweep, fast, full, sweep, sweep_slow; positions, latency, timestamps, slow_reader.
N=${N:-500}
PHASES=${PHASES:-full sweep clocks fast full sweep sweep_slow positions latency timestamps slow_reader int}
rate=500k

# each signal brings the next kind, so that all have to be there
full() {
	_signal=1
	[ $rate = 500k ] || _signal=3
	burst T1 "$rate, SFF, no data" "T1_${rate}_sff0" $_signal "$N" -i
	burst T1 "$rate, SFF, 1 byte" "T1_${rate}_sff1" $_signal "$N" -l 1 -f 123
	burst T1 "$rate, SFF, 8 bytes" "T1_${rate}_sff8" $_signal "$N" -m
	is "$(of_listener torn)" 0 "T1 $rate, SFF, 8 bytes: none is torn"
	burst T1 "$rate, EFF, no data" "T1_${rate}_eff0" $_signal "$N" -i
	burst T1 "$rate, EFF, 8 bytes" "T1_${rate}_eff8" $_signal "$N" -f 12345678
	burst T1 "$rate, RTR, 47 bits" "T1_${rate}_rtr" $_signal "$N" -i
}

# a frame, a pause of 1, 2, 3 us ..., two frames, again and again
sweep() {
	_signal=7
	[ $rate = 500k ] || _signal=17
	[ $rate = 500k ] && _frames=${SWEEP_500K:-0} || _frames=${SWEEP_1M:-0}
	[ "$_frames" -gt 0 ] || return
	burst T2 "$rate, pauses in steps of 1 us" "T2_$rate" $_signal "$_frames" -i
}

# The same with an SPI of 2.5 MHz: reading a buffer takes longer than a frame, both are used all the
# time. What is lost has to be counted.
sweep_slow() {
	[ "${SWEEP_1M:-0}" -gt 0 ] || return
	rigctl board 1 62500000 >/dev/null
	over=$(stat_of rx_over_errors)
	listen -n "$SWEEP_1M" -t 50 -s 1000 -i
	window_start
	rigctl signal 17
	wait "$listener"
	settle_down
	window_stop T2_slow
	rigctl board 1 250000000 >/dev/null
	over=$(($(stat_of rx_over_errors) - over))
	result T2_slow_sent "$SWEEP_1M"
	result T2_slow_received "$(of_listener received)"
	result T2_slow_over $over
	[ "$(of_listener swapped) $(of_listener duplicated)" = "0 0" ] &&
		{ [ "$(of_listener received)" = "$SWEEP_1M" ] || [ $over -gt 0 ]; }
	judge T2 "1M, pauses in steps of 1 us, SPI of 2.5 MHz" $? "$(figures), overruns counted $over"
}

# The core clock is not what the device tree says: SPI is as much slower than asked for.
clocks() {
	for mhz in 8 4 2 1 0.5; do
		rigctl board 1 "$(echo $mhz | awk '{ print $1 * 25000000 }')" >/dev/null
		clocked "$mhz" 96 "no data" -i
		clocked "$mhz" 228 "8 bytes" -f 123
	done
	rigctl board 1 250000000 >/dev/null
}

# clocked MHZ FRAME_US WHAT CANCHECK-OPTION...: lossless when 20 bytes and 15 us fit into a
# frame's time, else each loss is followed by an overrun that is counted
clocked() {
	_mhz=$1 _us=$2 _what="$1 MHz, 500k, $3"
	shift 3
	over=$(stat_of rx_over_errors)
	listen -n "$CLOCKED" -t 50 -s 1000 "$@"
	window_start
	rigctl signal 2
	wait "$listener"
	settle_down
	window_stop "T25_${_mhz}_$_us"
	over=$(($(stat_of rx_over_errors) - over))
	result "T25_${_mhz}_${_us}_sent" "$CLOCKED"
	result "T25_${_mhz}_${_us}_received" "$(of_listener received)"
	result "T25_${_mhz}_${_us}_over" $over
	_rc=0
	_bound=$(echo "$_us" | awk '{ print 160 / ($1 - 15) }')
	_lost=$((CLOCKED - $(of_listener received)))
	[ "$(of_listener swapped) $(of_listener duplicated)" = "0 0" ] || _rc=1
	# now and then a look at other registers needs a little of the time, too: next to the bound
	# either is right
	if echo "$_mhz $_bound" | awk '{ exit !($1 >= 1.05 * $2) }'; then
		[ $_lost -eq 0 ] || _rc=1
		_bound="above the bound of $_bound"
	else
		[ $_lost -eq 0 ] || [ $over -gt 0 ] || _rc=1
		_bound="not above the bound of $_bound"
	fi
	judge T25 "$_what" $_rc "lost $_lost of $CLOCKED, overruns counted $over, $_bound MHz"
}

CLOCKED=${CLOCKED:-100}

fast() {
	rigctl signal 10
	rate=1M RIG_BITRATE=1000000
	can_up || bail "can0 does not come up"
}

# numbers FIRST STEP LAST, with commas
numbers() {
	seq -s , "$1" "$2" "$3"
}

# the CPU stands still at the first access after the interrupt, so that reading begins at each
# byte's time of the frames that follow; and at each of the next accesses
positions() {
	cancheck -m -t 1000 -1 can0 >/tmp/torn &
	_torn=$!
	sleep 0.01
	window_start
	cansweep -n 1:1 -b 800 -s "$(numbers 0 "${POSITIONS:-2}" 145)" -m 6 -g 18 can0 >/tmp/rx
	positions_judge "the first access after the interrupt"
	cansweep -n 2:24 -b 114000 -s 1 -m 6 -g 18 can0 >/tmp/rx
	positions_judge "each of the next ones"
	window_stop T3
	wait $_torn
	judge_if T3 "contents" "$(sed -n 's/^RESULT //p' /tmp/torn | tr '\n' ' ')" \
		grep -q "^RESULT torn=0" /tmp/torn
}

# swaps, repetitions, losses that no overflow tells of
positions_judge() {
	sed -n '/^# /p' /tmp/rx
	[ "$(of_listener bad_order) $(of_listener bad_loss)" = "0 0" ] &&
		[ "$(of_listener trials)" -gt 0 ]
	judge T3 "CPU stands still at $1" $? "trials $(of_listener trials), with frames out of order $(of_listener bad_order), with losses not told $(of_listener bad_loss)"
}

# latency from the interrupt to the first access: from which one on frames are lost
latency() {
	window_start
	cansweep -v -n 1:1 -b 1000 -s "$(numbers 0 "${STALLS:-10}" 300)" -m 24 -g 20 -i can0 >/tmp/rx
	window_stop T4
	sed -n 's/^TRIAL/# &/p; /^# /p' /tmp/rx
	_limit=$(awk '/^TRIAL/ { split($3, s, "="); split($5, l, "="); if (l[2] > 0) { print s[2] / 1000; exit } }' /tmp/rx)
	result T4_limit_us "${_limit:-none}"
	# two frames of 48 us, minus a service of 48 us, which is the longest that keeps up
	[ "${_limit:-999}" -gt 48 ]
	judge T4 "latency to the first loss, 1M, no data" $? "${_limit:-beyond 300} us"
	[ "$(of_listener bad_loss)" = 0 ]
	judge T4 "each loss makes an error frame" $? "trials $(of_listener trials), lost $(of_listener lost), overflows $(of_listener overflows), without one $(of_listener bad_loss)"
	[ "$(of_listener bad_order)" = 0 ]
	judge T4 "order after a loss" $? "trials out of order $(of_listener bad_order)"
}

# stamps SIGNAL: the greatest difference between times of reception, in us, a frame every ms
stamps() {
	candump -L -n 100 -T 1000 can0,126:7FF >/tmp/dump &
	listener=$!
	sleep 0.05
	rigctl signal "$1"
	wait "$listener"
	awk '{ t = substr($1, 2) - NR / 1000
		if (NR == 1 || t < low) low = t
		if (NR == 1 || t > high) high = t
		if (NR > 1 && substr($1, 2) < last) back++
		last = substr($1, 2) }
	END { printf "%d %d %d\n", NR, (high - low) * 1e6 + 0.5, back }' /tmp/dump
}

# a frame of 4 bytes: 83 us
timestamps() {
	for load in 'an idle CPU' 'network load'; do
		_load=''
		if [ "$load" = 'network load' ]; then
			netload 1 &
			_load=$!
			sleep 0.05
			_figures=$(stamps 4)
		else
			_figures=$(stamps 4)
		fi
		[ -z "$_load" ] || kill "$_load"
		echo "$_figures" | awk '{ exit !($1 == 100 && $2 < 83 && !$3) }'
		judge T20 "timestamps, $load" $? "frames, greatest error in us, steps back: $_figures"
	done
}

# a reader that does not read: the socket's loss, not the driver's
slow_reader() {
	_dropped=$(stat_of rx_dropped) over=$(stat_of rx_over_errors)
	_packets=$(stat_of rx_packets)
	candump -d -r 8192 can0,123:7FF >/tmp/dump 2>&1 &
	listener=$!
	sleep 0.05
	kill -STOP "$listener"
	window_start
	rigctl signal 5
	settle_down
	window_stop T19
	kill -CONT "$listener"
	rigctl signal 5
	sleep 0.1
	kill "$listener"
	wait "$listener" 2>/dev/null
	_lost=$(grep -o 'DROPCOUNT.*' /tmp/dump | head -n 1)
	_packets=$(($(stat_of rx_packets) - _packets))
	_dropped=$(($(stat_of rx_dropped) - _dropped)) over=$(($(stat_of rx_over_errors) - over))
	[ -n "$_lost" ] && [ "$_packets $_dropped $over" = "$((N + 1)) 0 0" ]
	judge T19 "a reader that sleeps" $? "socket says '$_lost'; driver: received $_packets of $((N + 1)), dropped $_dropped, overruns $over"
	queues
}

queues() {
	# nobody acknowledges: the queue fills up
	rigctl signal 8
	sleep 0.01
	ip link set can0 txqueuelen 10
	for kind in pfifo_fast 'fq_codel limit 10'; do
		# shellcheck disable=SC2086
		tc qdisc replace dev can0 root $kind 2>/tmp/err || {
			result "T19/$kind" "not provoked: $(head -n 1 /tmp/err)"
			diag "T19 $kind: $(cat /tmp/err)"
			continue
		}
		timeout 2 cangen can0 -g 0 -I 5F1 -L 8 -n 200 >/tmp/gen 2>&1
		_said=$(head -n 1 /tmp/gen)
		_drops=$(tc -s qdisc show dev can0 | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' | head -n 1)
		# told to the writer, or counted by the qdisc
		_rc=0
		case $_said in
		*"No buffer space"*) ;;
		*) [ "${_drops:-0}" -gt 0 ] || _rc=1 ;;
		esac
		judge T19 "a full queue, $kind" $_rc "write: '$_said', dropped by the qdisc ${_drops:-?}, by the driver $(stat_of tx_dropped)"
	done
	rigctl signal 9
	ip link set can0 down
	tc qdisc del dev can0 root 2>/dev/null
	can_up || diag "can0 does not come up"
	sleep 0.2
}

# INT is wrong, and right again
int() {
	# always high: nobody calls
	rigctl board 9 1 >/dev/null
	listen -n 20 -f 127 -t 200 -s 500
	rigctl signal 11
	wait "$listener"
	judge_if T5 "INT stuck high, a frame every 12 ms" "$(figures)" \
		[ "$(of_listener received) $(of_listener lost)" = "20 0" ]
	rigctl board 9 0 >/dev/null
	sleep 0.05
	judge_if T5 "INT right again after stuck high" "sends and receives" alive 12 128
	int_low
	case " $RIG_DT " in
	*" edge "*) int_edge ;;
	esac
}

int_edge() {
	for i in 1 2 3; do
		listen -n 10 -f 129 -t 200 -s 500
		rigctl board 9 3 >/dev/null
		rigctl signal 15
		wait "$listener"
		judge_if T5 "edge $i lost, a frame every 6 ms" "$(figures)" \
			[ "$(of_listener received) $(of_listener lost)" = "10 0" ]
	done
}

# always low, with nothing to be done: an interrupt for ever, if somebody lets it
int_low() {
	can_up || diag "can0 does not come up"
	listen -n 100 -f 12A -t 200 -s 2000
	window_start
	rigctl board 9 2 >/dev/null
	rigctl signal 13
	wait "$listener"
	rigctl board 9 0 >/dev/null
	window_stop T5_low
	# without an edge, nothing tells for up to 10 ms, and there are two buffers
	_late=0
	case " $RIG_DT " in
	*" edge "*) _late=8 ;;
	esac
	[ "$(of_listener lost)" -le $_late ] &&
		[ $(($(of_listener received) + $(of_listener lost))) = 100 ]
	judge T5 "INT stuck low, a frame every ms" $? "$(figures)"
	sleep 0.05
	judge_if T5 "INT right again after stuck low" "sends and receives" alive 14 12B
}

need_can0
can_up || bail "can0 does not come up"
for phase in $PHASES; do
	$phase
done
ip -details -statistics link show can0 | sed 's/^/# /'
cases_done
