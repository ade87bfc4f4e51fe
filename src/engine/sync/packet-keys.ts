/** Keys by which packets of several hosts are compared. */
import { hashOf } from '../base/hash.ts';
import * as packetRows from '../linux/states/reduce/packet-rows.ts';
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';

function bits(...words: number[]): number {
  return words.reduce((mask, word) => mask | (1 << word), 0);
}

const FLOW = bits(packetRows.WORD_SOURCE, packetRows.WORD_DESTINATION, packetRows.WORD_PORTS);
const NUMBERS = bits(packetRows.WORD_SEQUENCE, packetRows.WORD_ACKNOWLEDGEMENT, packetRows.WORD_FLAGS);
/**
 * The words that are compared, by protocol. Equal numbers with another length are another division of the same bytes,
 * which match by range.
 */
const WORDS: readonly number[] = [
  FLOW | NUMBERS | bits(packetRows.WORD_LENGTH),
  NUMBERS,
  FLOW | bits(packetRows.WORD_LENGTH, packetRows.WORD_CHECK),
  bits(packetRows.WORD_BUFFER, packetRows.WORD_DEVICE),
];
/** Words that address translation keeps. */
const TRANSLATED = NUMBERS | bits(packetRows.WORD_PORTS, packetRows.WORD_LENGTH, packetRows.WORD_ID);

export interface PacketEvent {
  readonly host: number;
  readonly row: number;
  /** HostNs. */
  readonly time: number;
  readonly isSent: boolean;
}

export class PacketKeys {
  readonly #hosts: readonly PacketRows[];
  /** Number of each address over all hosts, by host. */
  readonly #addresses: readonly Uint32Array[];

  constructor(hosts: readonly PacketRows[]) {
    const numbers = new Map<string, number>();
    this.#hosts = hosts;
    this.#addresses = hosts.map(({ addresses }) =>
      Uint32Array.from(addresses, (address) => {
        const known = numbers.get(address) ?? numbers.size;
        numbers.set(address, known);
        return known;
      }),
    );
  }

  /** An event of a packet, at its host's time. */
  event(host: number, row: number): PacketEvent {
    const { time, direction } = this.#hosts[host];
    return { host, row, time: time[row], isSent: direction[row] === packetRows.PACKET_SENT };
  }

  /** Hash of the key, for tables. */
  hash(host: number, row: number): number {
    return this.#fold(host, row, WORDS[this.protocol(host, row)], addSecretly);
  }

  /** Hash of the key that is the same in each run, so that results may depend on it. */
  mark(host: number, row: number): number {
    return this.#fold(host, row, WORDS[this.protocol(host, row)], add);
  }

  areEqual(host: number, row: number, otherHost: number, otherRow: number): boolean {
    const mask = WORDS[this.protocol(host, row)];
    return this.#areEqual(host, row, otherHost, otherRow, mask);
  }

  /** Hash of a packet's connection and direction. */
  flowHash(host: number, row: number): number {
    return this.#fold(host, row, FLOW, addSecretly);
  }

  isSameFlow(host: number, row: number, otherHost: number, otherRow: number): boolean {
    return this.#areEqual(host, row, otherHost, otherRow, FLOW);
  }

  /** Hash of the words that address translation keeps. */
  translatedHash(host: number, row: number): number {
    return this.#fold(host, row, TRANSLATED, addSecretly);
  }

  isTranslated(host: number, row: number, otherHost: number, otherRow: number): boolean {
    return this.#areEqual(host, row, otherHost, otherRow, TRANSLATED);
  }

  /** KEY_* without KEY_LONG_ADDRESSES. */
  protocol(host: number, row: number): number {
    return this.#hosts[host].keyKind[row] & packetRows.KEY_PROTOCOL;
  }

  /** A word of the key; addresses by their number over all hosts. */
  word(host: number, row: number, word: number): number {
    const { key, keyKind } = this.#hosts[host];
    const value = key[row * packetRows.PACKET_KEY_WORDS + word];
    const isIndex =
      word <= packetRows.WORD_DESTINATION && (keyKind[row] & packetRows.KEY_LONG_ADDRESSES) !== 0;
    return isIndex ? this.#addresses[host][value] : value;
  }

  addresses(host: number, row: number): string {
    return `${this.address(host, row, packetRows.WORD_SOURCE)} ${this.address(host, row, packetRows.WORD_DESTINATION)}`;
  }

  /** Number of an address over all hosts. */
  address(host: number, row: number, word: number): number {
    const isLong = (this.#hosts[host].keyKind[row] & packetRows.KEY_LONG_ADDRESSES) !== 0;
    return this.word(host, row, word) + (isLong ? 0x1_0000_0000 : 0);
  }

  #fold(host: number, row: number, mask: number, step: typeof add): number {
    let hash = this.#hosts[host].keyKind[row];
    for (let word = 0; word < packetRows.PACKET_KEY_WORDS; word++)
      if (((mask >>> word) & 1) !== 0) hash = step(hash, this.word(host, row, word));
    return hash;
  }

  #areEqual(host: number, row: number, otherHost: number, otherRow: number, mask: number): boolean {
    if (this.#hosts[host].keyKind[row] !== this.#hosts[otherHost].keyKind[otherRow]) return false;
    for (let word = 0; word < packetRows.PACKET_KEY_WORDS; word++) {
      if (((mask >>> word) & 1) === 0) continue;
      if (this.word(host, row, word) !== this.word(otherHost, otherRow, word)) return false;
    }
    return true;
  }
}

function addSecretly(hash: number, word: number): number {
  return hashOf(hash ^ word);
}

function add(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}
