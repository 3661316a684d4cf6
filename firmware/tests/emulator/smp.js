// SPDX-License-Identifier: Apache-2.0
/** SMP over the serial transport, as docs/reference/wire.md has it, and as much CBOR as it needs. */
import { MS, S } from "./pico.js";

const LINE = 124; // base64 characters of a line
const INDEFINITE = 31;
const BREAK = 0xff;
const INFO = 0;
const PERMIT = 18;
const GROUP = { os: 0, image: 1, rig: 64 };

/* ----------------------------------------------------------------------------------- CBOR -- */

function head(major, value) {
  const big = BigInt(value);
  const sizes = [
    [24n, 0],
    [0x100n, 1],
    [0x10000n, 2],
    [0x100000000n, 4],
    [1n << 64n, 8],
  ];
  const bytes = sizes.find(([limit]) => big < limit)[1];
  if (bytes === 0) {
    return [(major << 5) | Number(big)];
  }
  const body = Array.from({ length: bytes }, (_, i) => Number((big >> BigInt(8 * (bytes - 1 - i))) & 0xffn));
  return [(major << 5) | (24 + Math.log2(bytes)), ...body];
}

export function encode(value) {
  if (typeof value === "boolean") {
    return [value ? 0xf5 : 0xf4];
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return head(0, value);
  }
  if (value instanceof Uint8Array) {
    return [...head(2, value.length), ...value];
  }
  if (typeof value === "string") {
    const bytes = [...Buffer.from(value)];
    return [...head(3, bytes.length), ...bytes];
  }
  const pairs = Object.entries(value);
  return [...head(5, pairs.length), ...pairs.flatMap(([key, item]) => [...encode(key), ...encode(item)])];
}

/** Times above 2^53 ns (104 days) are not met here; an integer above it is a nonce, and a bigint. */
export function decode(bytes) {
  let at = 0;
  // The OS group's maps have no length.
  const open = (major) => {
    const items = [];
    while (bytes[at] !== BREAK) {
      items.push(item());
    }
    at += 1;
    return major === 4 ? items : Object.fromEntries(items.flatMap((key, i) => (i % 2 ? [] : [[key, items[i + 1]]])));
  };
  const item = () => {
    const major = bytes[at] >> 5;
    const additional = bytes[at++] & 31;
    if (major === 7) {
      return additional === 21;
    }
    let argument = additional;
    if (additional === INDEFINITE) {
      return open(major);
    }
    if (additional >= 24) {
      const size = 1 << (additional - 24);
      const whole = bytes.slice(at, (at += size)).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
      argument = whole > BigInt(Number.MAX_SAFE_INTEGER) ? whole : Number(whole);
    }
    switch (major) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
      case 3: {
        const body = bytes.slice(at, (at += argument));
        return major === 2 ? body : Buffer.from(body).toString();
      }
      case 4:
        return Array.from({ length: argument }, item);
      default:
        return Object.fromEntries(Array.from({ length: argument }, () => [item(), item()]));
    }
  };
  return item();
}

/* ---------------------------------------------------------------------------------- frames -- */

/** CRC-16/XMODEM. */
function crc16(bytes) {
  return bytes.reduce((crc, byte) => {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    }
    return crc & 0xffff;
  }, 0);
}

export function frame(packet) {
  const crc = crc16(packet);
  const length = packet.length + 2;
  const text = Buffer.from([length >> 8, length & 255, ...packet, crc >> 8, crc & 255]).toString("base64");
  const lines = text.match(new RegExp(`.{1,${LINE}}`, "g"));
  return lines.flatMap((line, i) => [...(i ? [4, 20] : [6, 9]), ...Buffer.from(line), 10]);
}

/** Takes a whole packet off the front of received bytes; null: there is none yet. */
export function unframe(bytes) {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at);
    if (end < 0) {
      return null;
    }
    const starts = bytes[at] === 6 && bytes[at + 1] === 9;
    if (starts || (bytes[at] === 4 && bytes[at + 1] === 20 && text)) {
      text = (starts ? "" : text) + Buffer.from(bytes.slice(at + 2, end)).toString();
      const packet = Buffer.from(text, "base64");
      if (packet.length >= 2 && packet.length >= 2 + packet.readUInt16BE(0)) {
        bytes.splice(0, end + 1);
        const body = [...packet.subarray(2, packet.readUInt16BE(0))];
        const crc = packet.readUInt16BE(packet.readUInt16BE(0));
        return { packet: body, whole: crc16(body) === crc };
      }
    }
    at = end + 1;
  }
  return null;
}

/* ---------------------------------------------------------------------------------- client -- */

export class Smp {
  constructor(host) {
    this.host = host;
    this.sequence = 0;
  }

  /** Ask, and do not wait for the reply; returns the request's sequence number. */
  begin(operation, group, command, fields = {}) {
    const payload = encode(fields);
    const sequence = (this.sequence = (this.sequence + 1) & 255);
    // Version 2 of the header: errors are maps of their group.
    const header = [operation | 8, 0, payload.length >> 8, payload.length & 255, 0, GROUP[group], sequence, command];
    this.host.send(frame([...header, ...payload]));
    return sequence;
  }

  /** Ask, and return the reply's map; throws when it is damaged, late or an error. */
  ask(operation, group, command, fields = {}, patienceNs = 2 * S) {
    const { host } = this;
    const sequence = this.begin(operation, group, command, fields);
    let reply = null;
    host.pico.run(patienceNs, () => {
      reply = host.received.at(-1) === 10 ? unframe(host.received) : null;
      return reply !== null;
    });
    if (reply === null) {
      throw new Error(`no reply to command ${command} of ${group} within ${patienceNs / MS} ms`);
    }
    if (!reply.whole) {
      throw new Error(`the reply to command ${command} of ${group} is damaged`);
    }
    if (reply.packet[6] !== sequence) {
      throw new Error(`a reply to another request: ${reply.packet[6]}, not ${sequence}`);
    }
    return decode(reply.packet.slice(8));
  }

  /** Read as a host does that comes back: what an earlier one was answered is skipped, and what finds no answer in 300 ms is asked again. */
  readBehindOthers(group, command, fields) {
    for (let tries = 0; tries < 6; tries++) {
      const sequence = this.begin(0, group, command, fields);
      let reply = null;
      this.host.pico.run(300 * MS, () => {
        reply = this.host.received.at(-1) === 10 ? unframe(this.host.received) : null;
        return reply !== null && reply.whole && reply.packet[6] === sequence;
      });
      if (reply !== null && reply.packet[6] === sequence) {
        return decode(reply.packet.slice(8));
      }
    }
    throw new Error(`no reply to command ${command} of ${group} in 6 tries`);
  }

  read(group, command, fields, patienceNs) {
    return this.ask(0, group, command, fields, patienceNs);
  }

  write(group, command, fields, patienceNs) {
    return this.ask(2, group, command, fields, patienceNs);
  }

  /** What a board has to be shown before it acts: which boot it is, and what info alone tells. */
  sight() {
    const { boot, nonce } = this.read("rig", INFO, {});
    return { boot, nonce };
  }

  /** Ask for an action of the rig group, of the boot that answers. */
  act(command, fields) {
    return this.write("rig", command, { ...fields, ...this.sight() });
  }

  /** Ask for what another group does only by permit. */
  permitted(group, command, fields, patienceNs) {
    this.act(PERMIT, {});
    return this.write(group, command, fields, patienceNs);
  }
}
