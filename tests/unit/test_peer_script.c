// SPDX-License-Identifier: GPL-2.0-only
/* Mistakes in a peer's script: one line, with its number and what to do. */
#include <string.h>

#include "peer_script.h"
#include "tap.h"

static const struct {
	const char *script;
	const char *error;
} mistake[] = {
	{ "sned id=1", "line 1: no command 'sned', there are bitrate, mode, " },
	{ "\n# comment\n\n  send id=1\nfoo", "line 5: no command 'foo'" },
	{ "send", "line 1: send needs id=..." },
	{ "send=3", "line 1: no command 'send'" },
	{ "send id", "line 1: 'id' needs a value: id=..." },
	{ "send id=", "line 1: 'id' needs a value: id=..." },
	{ "send id=x", "line 1: id=x: needs a number, or two as in 0x100..0x1ff" },
	{ "send id=0x", "line 1: id=0x: needs a number" },
	{ "send id=1.2", "line 1: id=1.2: needs a number, or two" },
	{ "send id=1..", "line 1: id=1..: needs a number, or two" },
	{ "send id=0x800", "line 1: id=0x800: above 0x7ff, the last id without 'ext'" },
	{ "send id=0x20000000 ext", "line 1: id=0x20000000: above 0x1fffffff" },
	{ "send id=0x7f0..0x800", "line 1: id=0x7f0..0x800: above 0x7ff" },
	{ "send id=5..4", "line 1: id=5..4: the second id is below the first" },
	{ "send id=1 step=0", "line 1: step=0: needs a number from 1 to " },
	{ "send id=1 ext=1", "line 1: 'ext' takes no value" },
	{ "send id=1 id=2", "line 1: 'id=2' means nothing to send, or is there twice" },
	{ "send id=1 colour", "line 1: 'colour' means nothing to send" },
	{ "send id=1 count=0", "line 1: count=0: needs a number from 1 to " },
	{ "send id=1 count=-1", "line 1: count=-1: needs a number from 1 to " },
	{ "send id=1 dlc=16", "line 1: dlc=16: needs a number from 0 to 15" },
	{ "send id=1 data=1", "line 1: data=1: needs two hex digits a byte" },
	{ "send id=1 data=112233445566778899", "line 1: data=112233445566778899: needs two hex" },
	{ "send id=1 data=xx", "line 1: data=xx: not hex digits, 'counter' or 'random(SEED)'" },
	{ "send id=1 data=1122 dlc=1", "line 1: data=1122: more bytes than dlc=1" },
	{ "send id=1 data=random(x)", "line 1: data=random(x): needs a number as seed" },
	{ "send id=1 data=random(1", "line 1: data=random(1: needs a number as seed" },
	{ "send id=1 data=counter dlc=0", "line 1: data=counter needs a dlc above 0" },
	{ "send id=1 rtr data=11", "line 1: a remote frame has no data" },
	{ "send id=1 every=1", "line 1: every=1: needs a time above 0" },
	{ "send id=1 every=0ms", "line 1: every=0ms: needs a time above 0" },
	{ "send id=1 every=1mss", "line 1: every=1mss: needs a time above 0" },
	{ "send id=1 every=99999999999s", "line 1: every=99999999999s: needs a time" },
	{ "send id=1 delay=1ms..", "line 1: delay=1ms..: needs a time or two" },
	{ "send id=1 delay=2ms..1ms", "line 1: delay=2ms..1ms: the second time is below the first" },
	{ "send id=1 every=1ms saturate", "line 1: only one of 'saturate', 'every' and 'delay'" },
	{ "send id=1 first=x", "line 1: first=x: needs the first value of the counter" },
	{ "mode silent\nsend id=1", "line 2: a silent peer cannot send, say 'mode normal' before" },
	{ "stop\nsequence", "line 2: the peer is off the bus, say 'start' before" },
	{ "sequence count=x", "line 1: count=x: needs a number from 1 to " },
	{ "sequence id=1 dlc=2", "line 1: 'dlc=2' means nothing to sequence" },
	{ "bitrate", "line 1: bitrate needs a number from 1000 to 1000000 (bit/s)" },
	{ "bitrate 999", "line 1: bitrate needs a number" },
	{ "bitrate 1000001", "line 1: bitrate needs a number" },
	{ "bitrate 500k", "line 1: bitrate needs a number" },
	{ "bitrate 500000 250000", "line 1: '250000' means nothing to bitrate" },
	{ "mode loud", "line 1: mode is 'normal' or 'silent'" },
	{ "start now", "line 1: 'now' means nothing to start" },
	{ "restart", "line 1: restart needs a time above 0, as in 'restart 100ms'" },
	{ "restart 0s", "line 1: restart needs a time above 0" },
	{ "log many", "line 1: log needs the number of frames to remember" },
	{ "repeat 2\nlog 5\nend", "line 2: 'log' holds for the whole script, put it outside" },
	{ "repeat 2\nexpect id=5\nend", "line 2: 'expect' holds for the whole script" },
	{ "wait", "line 1: wait for a time above 0 (10us, 5ms, 1s), 'signal N'" },
	{ "wait 5", "line 1: wait for a time above 0" },
	{ "wait 0ms", "line 1: wait for a time above 0" },
	{ "wait signal", "line 1: wait signal needs a number from 0 to 31" },
	{ "wait signal 32", "line 1: wait signal needs a number from 0 to 31" },
	{ "wait frame id=0x800", "line 1: id=0x800: above 0x7ff" },
	{ "expect counter=u16", "line 1: counter=u16: is one of u32, u8, id, none" },
	{ "expect counter=id", "line 1: counter=id needs at least four ids" },
	{ "expect id=1..3 counter=id", "line 1: counter=id needs at least four ids" },
	{ "expect first=some", "line 1: first=some: needs a number or 'any'" },
	{ "expect id=1 rtr counter=u8", "line 1: a remote frame has no data to count in" },
	{ "expect dlc=16", "line 1: dlc=16: needs a number from 0 to 15" },
	{ "destroy who=you", "line 1: who=you: is one of me, other, any" },
	{ "destroy bit=201", "line 1: bit=201: needs a number from 0 to 200" },
	{ "destroy count=0", "line 1: count=0: needs a number from 1 to " },
	{ "destroy skip=x", "line 1: skip=x: needs a number from 0 to " },
	{ "repeat\nend", "line 1: repeat needs how many times (1 or more), or 'forever'" },
	{ "repeat 0\nend", "line 1: repeat needs how many times" },
	{ "end", "line 1: end without repeat" },
	{ "send id=1\nrepeat 2\nsend id=2", "line 2: repeat without end" },
	{ "repeat forever\ndestroy\nend", "line 3: nothing in this 'repeat forever' takes time" },
	{ "repeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\n"
	  "repeat 1", "line 9: repeats are nested deeper than 8" },
	{ "send a b c d e f g h i j k l m n o p q r s t u v w x", "line 1: more than 24 words" },
};

static void test_mistakes(void)
{
	for (size_t i = 0; i < sizeof(mistake) / sizeof(mistake[0]); i++) {
		struct peer_script s;
		char err[256] = "";
		bool good = peer_script_parse(&s, mistake[i].script, err, sizeof(err));

		ok(!good && !strncmp(err, mistake[i].error, strlen(mistake[i].error)) &&
		   !strchr(err, '\n'), "%s", mistake[i].error);
		if (good)
			peer_script_free(&s);
		else if (strncmp(err, mistake[i].error, strlen(mistake[i].error)))
			printf("#   got: %s\n", err);
	}
}

static void test_short_buffer(void)
{
	struct peer_script s;
	char err[8] = "1234567";

	ok(!peer_script_parse(&s, "foo", err, 4), "an error needs no room");
	ok(strlen(err) == 3 && !strcmp(err + 4, "567"), "and keeps to what there is");
	ok(!peer_script_parse(&s, "foo", NULL, 0), "even none");
}

static void test_good(void)
{
	static const char text[] =
		"# all there is\r\n"
		"bitrate 500000\n"
		"mode normal\n"
		"restart 100ms   # after bus-off\n"
		"log 20\n"
		"expect id=0x100..0x1ff dlc=8 counter=u32 count=1000\n"
		"expect sequence\n"
		"\twait 10ms\n"
		"destroy skip=10 count=2 bit=30 who=other\n"
		"repeat 3\n"
		"\tsend count=10 id=0x10..0x1f step=3 dlc=8 data=counter every=1ms first=5\n"
		"end";
	struct peer_script s;
	char err[256] = "";

	ok(peer_script_parse(&s, text, err, sizeof(err)), "a script with everything: %s", err);
	is(s.commands, 7, "its commands");
	is(s.expects, 2, "its expectations");
	is(s.restart, 100000000, "restart 100ms");
	is(s.log, 20, "log 20");
	is(s.command[5].line, 11, "each command knows its line");
	is(peer_ids_count(&s.command[5].send.ids), 6, "0x10..0x1f step=3 are six ids");
	is(s.command[5].send.every, 1000000, "every=1ms");
	peer_script_free(&s);
	ok(peer_script_parse(&s, "", err, sizeof(err)) && !s.commands, "an empty script is one");
	peer_script_free(&s);
}

int main(void)
{
	test_mistakes();
	test_short_buffer();
	test_good();
	return tap_done();
}
