/** Matches of packets that are the two ends of one, of all hosts: plain columns that can be stored. */
import type { PacketCopy } from './packet-copies.ts';
import type { PacketEvent } from './packet-keys.ts';

/** Several packets have the key, and only order and time distinguish them. */
export const MARK_AMBIGUOUS = 1;
/** UDP has no numbers: only order distinguishes equal packets. For TCP: addresses were translated on the way. */
export const MARK_WEAK = 2;
/** Split or joined on the way (segmentation offload): the packet with the last byte. */
export const MARK_RANGE = 4;
/** Another event of a packet, at a further device of its host: it counts once. */
export const MARK_REPEATED = 8;

/** Matches of one host, a row for each of its packets (`PacketRows`). */
export interface PacketMatches {
  /** Host and row of the other end; -1 none. For a packet that arrived in pieces the last piece. */
  readonly peerHost: Int16Array;
  readonly peer: Int32Array;
  /** MARK_*. */
  readonly marks: Uint8Array;
}

export function noMatches(length: number): PacketMatches {
  return {
    peerHost: new Int16Array(length).fill(-1),
    peer: new Int32Array(length).fill(-1),
    marks: new Uint8Array(length),
  };
}

type RowOfHost = Pick<PacketEvent, 'host' | 'row'>;

/**
 * Notes that two rows are the ends of one packet.
 * @param matches by host
 * @param marks MARK_*, added to those of both
 */
export function link(
  matches: readonly PacketMatches[],
  sent: RowOfHost,
  received: RowOfHost,
  marks: number,
): void {
  point(matches, sent, received, marks);
  point(matches, received, sent, marks);
}

/** Notes a packet between hosts with all its events: its last sending and its first receipt count. */
export function linkCopies(
  matches: readonly PacketMatches[],
  sent: PacketCopy,
  received: PacketCopy,
  marks: number,
): readonly [PacketEvent, PacketEvent] {
  const last = sent.events[sent.events.length - 1];
  const [first] = received.events;
  for (const event of sent.events) if (event !== last) point(matches, event, first, MARK_REPEATED);
  for (const event of received.events)
    if (event !== first) point(matches, event, last, marks | MARK_REPEATED);
  link(matches, last, first, marks);
  return [last, first];
}

function point(matches: readonly PacketMatches[], from: RowOfHost, to: RowOfHost, marks: number): void {
  const { peerHost, peer, marks: known } = matches[from.host];
  peerHost[from.row] = to.host;
  peer[from.row] = to.row;
  known[from.row] |= marks;
}
