// SPDX-License-Identifier: Apache-2.0
/**
 * The real rpi_pico image, as flashed, in rp2040js. RESUME_RIG_PICO names its UF2.
 *
 * What this cannot show stands in docs/validation.md: analogue behaviour, the crystal, a real bus.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { CHANNELS, MS, Pico, S, US } from "./pico.js";
import { Smp } from "./smp.js";
import { UsbHost } from "./usb_host.js";

const RIG = { info: 0, time: 1, edges: 2, levels: 3, press: 4, lid: 5, light: 7, selftest: 8, faults: 9, samples: 13, bootloader: 16, permit: 18 };
const ECHO = 0;
const RESET = 5;
const NAMES = Object.keys(CHANNELS);
/** As the image states it for its channels. */
const UNCERTAINTY_NS = 800;
const IMAGE = process.env.RESUME_RIG_PICO;

let pico;
let host;
let smp;
let token = 1;

before(() => {
  assert.ok(IMAGE, "RESUME_RIG_PICO names no UF2");
  pico = new Pico(IMAGE);
  host = new UsbHost(pico);
  smp = new Smp(host);
  host.plug();
});

/** The board's clock minus the emulator's, from one exchange; it is right to the round trip. */
function boardMinusEmulator() {
  const sent = pico.now;
  const { rx, tx } = smp.read("rig", RIG.time, {});
  return { least: tx - pico.now, most: rx - sent };
}

function cursor() {
  return smp.read("rig", RIG.edges, { from: 0, max: 0 }).next;
}

/** All edges from a number on, as [time, channel index, level]. */
function edgesFrom(first) {
  const found = [];
  for (let from = first; ; ) {
    const reply = smp.read("rig", RIG.edges, { from });
    assert.equal(reply.first, from, "edges were lost");
    for (let i = 0; i < reply.e.length; i += 2) {
      found.push([reply.e[i], reply.e[i + 1] >> 1, reply.e[i + 1] & 1]);
    }
    from += reply.e.length / 2;
    if (from === reply.next) {
      return found;
    }
  }
}

/** Play [time from now, channel, level], and compare the stamps with when they happened. */
function playAndCompare(planned) {
  const first = cursor();
  const begun = pico.now;
  for (const [ns, channel, level] of planned) {
    pico.at(begun + ns, () => pico.set(NAMES[channel], level === 1));
  }
  pico.run(planned.at(-1)[0] + 5 * MS);
  const found = edgesFrom(first);
  // As texts: the difference of long lists of lists takes assert minutes.
  assert.equal(
    found.map(([, channel, level]) => `${channel}=${level}`).join(" "),
    planned.map(([, channel, level]) => `${channel}=${level}`).join(" "),
  );
  const offsets = found.map(([t], i) => t - begun - planned[i][0]);
  assert.ok(Math.max(...offsets) - Math.min(...offsets) <= UNCERTAINTY_NS, `stamps spread by ${Math.max(...offsets) - Math.min(...offsets)} ns`);
  return { least: Math.min(...offsets), most: Math.max(...offsets) };
}

test("it boots, is found on the bus and says who it is", () => {
  const info = smp.read("rig", RIG.info, {});
  assert.equal(info.board, "rpi_pico/rp2040");
  assert.equal(info.esrc, "pio");
  assert.deepEqual(info.ch.map(([name]) => name), NAMES);
  assert.ok(pico.now < 500 * MS, `it took ${pico.now / MS} ms`);
  assert.deepEqual(smp.read("rig", RIG.levels, {}).lv, 0x1ff);
  // Its clock began at its first count, and not a lap of it later.
  assert.ok(edgesFrom(0).every(([t]) => t < 100 * MS));
  assert.ok(smp.read("rig", RIG.faults, {}).up < 500 * MS);
});

test("a request takes less than 2 ms", () => {
  for (const command of [RIG.time, RIG.levels, RIG.faults]) {
    const begun = pico.now;
    smp.read("rig", command, {});
    assert.ok(pico.now - begun < 2 * MS, `command ${command} took ${(pico.now - begun) / US} us`);
  }
});

test("edges of all nine channels are stamped when they happen", () => {
  const planned = [];
  for (let i = 0; i < 4 * NAMES.length; i++) {
    planned.push([5 * MS + i * 137_777, i % NAMES.length, Math.floor(i / NAMES.length) % 2]);
  }
  const offsets = playAndCompare(planned);
  const clock = boardMinusEmulator();
  // The stamps' offset is the clocks', and both bounds are sure.
  assert.ok(offsets.least >= clock.least - UNCERTAINTY_NS && offsets.most <= clock.most + UNCERTAINTY_NS);
});

test("bursts at 50 kHz and nine edges within a microsecond are all there", () => {
  const led = NAMES.indexOf("LED");
  const planned = [];
  for (let i = 0; i < 600; i++) {
    planned.push([3 * MS + i * 20 * US, led, i % 2]);
  }
  NAMES.forEach((_, i) => planned.push([20 * MS + i * 160, i, 0]));
  NAMES.forEach((_, i) => planned.push([25 * MS + i * 160, i, 1]));
  const up = smp.read("rig", RIG.faults, {}).eovr;
  playAndCompare(planned);
  assert.equal(smp.read("rig", RIG.faults, {}).eovr, up);
});

test("it measures itself", () => {
  const { checks } = smp.write("rig", RIG.selftest, {});
  // How far PIO and timer lie apart when they start is the emulator's, which steps them in turn.
  const failed = checks.filter(([name, ok]) => !ok && name !== "counter_offset_ns");
  assert.deepEqual(failed, []);
  pico.stopPio();
});

test("light is sampled at its rate, and a step of it is found in its millisecond", () => {
  const dark = 200;
  const bright = 2_600;
  pico.shine(dark);
  const begun = pico.now;
  smp.write("rig", RIG.light, { dur: 60 * MS });
  const step = pico.now + 30 * MS;
  pico.at(step, () => pico.shine(bright));
  pico.run(70 * MS);
  const { b, next, first } = smp.read("rig", RIG.light, { from: 0 });
  assert.ok(next - first >= 59 && next - first <= 62, `${next - first} blocks`);
  const blocks = Array.from({ length: b.length / 4 }, (_, i) => b.slice(4 * i, 4 * i + 4));
  const mixed = blocks.filter(([, least, , most]) => least !== most);
  assert.equal(mixed.length, 1, "the step lies in one block");
  const clock = boardMinusEmulator();
  assert.ok(step + clock.least < mixed[0][0] + 1 * MS && step + clock.most >= mixed[0][0]);
  assert.deepEqual([mixed[0][1], mixed[0][3]], [dark, bright]);
  const samples = smp.read("rig", RIG.samples, { from: 0, max: 0 }).next;
  const taken = (pico.now - begun) / S;
  assert.ok(Math.abs(samples - 60 * 50) <= 20, `${samples} samples of 60 ms at 50 kS/s in ${taken} s`);
});

for (const us of [50, 150, 1_000, 3_000]) {
  test(`replies are whole for a host that takes a packet after ${us} us`, () => {
    host.takesAfterNs = us * US;
    try {
      for (const length of [10, 500, 1_000, 1_500]) {
        const text = "resume-rig ".repeat(200).slice(0, length);
        assert.equal(smp.write("os", ECHO, { d: text }).r, text);
      }
      assert.equal(smp.read("rig", RIG.info, {}).proto, 2);
    } finally {
      host.takesAfterNs = 50 * US;
    }
  });
}

test("a press drives its output for its time, and the next one has to wait", () => {
  const { start, end } = smp.act(RIG.press, { act: 0, dur: 50 * MS, tok: token++ });
  assert.equal(end - start, 50 * MS);
  assert.ok(pico.isDriven("BUTTON"));
  const begun = pico.now;
  pico.run(60 * MS, () => !pico.isDriven("BUTTON"));
  assert.ok(pico.now - begun > 45 * MS && pico.now - begun < 51 * MS, `${(pico.now - begun) / MS} ms`);
  const refusal = smp.act(RIG.press, { act: 0, dur: 50 * MS, tok: token++ });
  assert.equal(refusal.err.rc, 17);
  assert.ok(refusal.left > 0 && refusal.left <= 100 * MS);
  assert.ok(!pico.isDriven("BUTTON"));
});

test("an unplugged board lets go by itself, and answers when it is plugged in again", () => {
  const { boot } = smp.read("rig", RIG.time, {});
  const { lease } = smp.read("rig", RIG.info, {});
  smp.act(RIG.lid, { closed: true, tok: token++ });
  assert.ok(pico.isDriven("LID"));
  const begun = pico.now;
  host.unplug();
  pico.run(lease + 10 * MS, () => !pico.isDriven("LID"));
  assert.ok(!pico.isDriven("LID"));
  assert.ok(pico.now - begun <= lease + MS, `it took ${(pico.now - begun) / MS} ms`);
  host.plug();
  assert.equal(smp.read("rig", RIG.time, {}).boot, boot);
  assert.equal(smp.read("rig", RIG.faults, {}).lease, 1);
});

for (const replies of [0, 1, 2, 6]) {
  test(`a host that leaves ${replies} replies of 1,500 bytes unread, and its port, is answered when it is back`, () => {
    const { boot } = smp.read("rig", RIG.time, {});
    const { lease } = smp.read("rig", RIG.info, {});
    const { wdt } = smp.read("rig", RIG.faults, {});
    pico.run(150 * MS);
    smp.act(RIG.lid, { closed: true, tok: token++ });
    host.takesAfterNs = 3600 * S; // it stops reading
    for (let i = 0; i < replies; i++) {
      smp.begin(2, "os", ECHO, { d: "r".repeat(1_500) });
      pico.run(20 * MS);
    }
    host.unplug();
    pico.run(lease + 10 * MS, () => !pico.isDriven("LID"));
    assert.ok(!pico.isDriven("LID"), "the lease ended");
    host.takesAfterNs = 50 * US;
    host.plug();
    const back = pico.now;
    assert.equal(smp.readBehindOthers("rig", RIG.time, {}).boot, boot);
    assert.ok(pico.now - back < 2 * S, `it took ${(pico.now - back) / MS} ms`);
    pico.run(500 * MS); // what it was asked again is answered, too
    host.received.length = 0;
    assert.equal(smp.read("rig", RIG.faults, {}).wdt, wdt);
  });
}

test("who has not read the nonce resets nothing and forces nothing", () => {
  const { boot } = smp.sight();
  const before = smp.read("rig", RIG.faults, {}).ref;
  assert.deepEqual(smp.write("os", RESET, {}).err, { group: 64, rc: 23 });
  for (const blind of [{}, { nonce: 1 }]) {
    const forced = { act: 0, dur: 12 * S, tok: token++, force: true, boot };
    assert.equal(smp.write("rig", RIG.press, { ...forced, ...blind }).err.rc, 23);
    assert.equal(smp.write("rig", RIG.bootloader, { boot, ...blind }).err.rc, 23);
    assert.equal(smp.write("rig", RIG.permit, { boot, ...blind }).err.rc, 23);
  }
  assert.equal(smp.write("rig", RIG.press, { act: 0, dur: 50 * MS, tok: token++ }).err.rc, 2);
  pico.run(600 * MS);
  assert.ok(!pico.isDriven("BUTTON") && !pico.rom.bootsel);
  assert.equal(smp.read("rig", RIG.faults, {}).ref, before + 7);
  assert.equal(smp.sight().boot, boot);
});

test("it leaves for the ROM's bootloader when asked, and not while it drives", () => {
  pico.run(150 * MS);
  smp.act(RIG.lid, { closed: true, tok: token++ });
  assert.equal(smp.act(RIG.bootloader, {}).err.rc, 6);
  smp.act(RIG.lid, { closed: false, tok: token++ });
  pico.run(150 * MS);
  const { t } = smp.act(RIG.bootloader, {});
  assert.equal(smp.act(RIG.press, { act: 0, dur: 50 * MS, tok: token++ }).err.rc, 6);
  assert.ok(t > 0 && !pico.rom.bootsel);
  assert.ok(pico.run(110 * MS, () => pico.rom.bootsel));
  for (const output of ["BUTTON", "LID"]) {
    assert.ok(!pico.isDriven(output), output);
  }
  // The watchdog is off: it would end the copy of the image.
  pico.run(2 * S);
});

test("the watchdog was fed all the time", () => {
  assert.equal(pico.watchdogResets, 0);
});
