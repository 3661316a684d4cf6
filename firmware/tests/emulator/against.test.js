// SPDX-License-Identifier: Apache-2.0
/**
 * Two Picos on one wire, as `resume-rig selftest --against` has them: the second board presses, and
 * what its PIO stamped is held against what the first one's did, whose clock is 20 ppm slower.
 *
 * The boards run one after the other: what the first sees is what the second did, at its times.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { MS, OUTPUTS, Pico } from "./pico.js";
import { Smp } from "./smp.js";
import { UsbHost } from "./usb_host.js";

const RIG = { edges: 2, press: 4 };
const WIRED = ["PWR_OK", "SLP_S3"];
const PULSES = 3;
const WAY_NS = 102 * MS;
/** The first board's second has so much more of true time. */
const SLOW = 20e-6;
/** Stated for each board: 800 ns, and half of a resolution of 40 ns. */
const ALLOWED_NS = 2 * (800 + 20);

function board() {
  const pico = new Pico(process.env.RESUME_RIG_PICO);
  const host = new UsbHost(pico);
  host.plug();
  return { pico, smp: new Smp(host) };
}

/** The stamps of a board's newest edges; those of its start come before them. */
function stamps({ smp }, count) {
  const times = smp.read("rig", RIG.edges, { from: 0 }).e.filter((_, i) => i % 2 === 0);
  return times.slice(-count);
}

test("two boards agree on the edges of one wire, and on the rate of their clocks", () => {
  const second = board();
  for (const channel of WIRED) {
    second.pico.set(channel, false);
  }
  const wire = [[second.pico.now, false]];
  second.pico.mcu.gpio[OUTPUTS.BUTTON].addListener(() => {
    const level = second.pico.isDriven("BUTTON");
    if (level !== wire.at(-1)[1]) {
      wire.push([second.pico.now, level]);
      WIRED.forEach((channel) => second.pico.set(channel, level));
    }
  });
  second.pico.run(WAY_NS + 20 * MS); // the start counts as a release
  for (let i = 0; i < PULSES; i++) {
    assert.ok(second.smp.act(RIG.press, { act: 0, dur: 2 * MS, tok: i + 1 }).end);
    second.pico.run(WAY_NS + 2 * MS);
  }
  assert.equal(wire.length, 1 + 2 * PULSES);

  const first = board();
  const base = first.pico.now + 5 * MS;
  for (const [ns, level] of wire) {
    // In the emulator a board's clock is its time, so a slow one meets the edges earlier.
    first.pico.at(base + (ns - wire[0][0]) * (1 - SLOW), () => WIRED.forEach((channel) => first.pico.set(channel, level)));
  }
  first.pico.run(wire.at(-1)[0] - wire[0][0] + 20 * MS);

  const edges = WIRED.length * wire.length;
  const [ours, theirs] = [stamps(first, edges), stamps(second, edges)];
  assert.deepEqual([ours.length, theirs.length], [edges, edges]);
  const apart = ours.map((t, i) => t - ours[0] - (theirs[i] - theirs[0]));
  const [low, high] = [[-Infinity], [Infinity]];
  for (let i = 0; i < apart.length; i++) {
    for (let j = i + 1; j < apart.length; j++) {
      const span = theirs[j] - theirs[i];
      if (span > MS) {
        low.push((apart[j] - apart[i] - 2 * ALLOWED_NS) / span);
        high.push((apart[j] - apart[i] + 2 * ALLOWED_NS) / span);
      }
    }
  }
  const bounds = [Math.max(...low), Math.min(...high)];
  assert.ok(bounds[0] <= -SLOW && -SLOW <= bounds[1], `the rate is in ${bounds}`);
  const rest = apart.map((ns, i) => ns + SLOW * (theirs[i] - theirs[0]));
  const spread = Math.max(...rest) - Math.min(...rest);
  assert.ok(spread <= ALLOWED_NS, `the stamps of two boards differ by ${spread} ns`);
  console.log(`rate ${bounds.map((rate) => (rate * 1e6).toFixed(2))} ppm, stamps within ${spread} ns`);
});
