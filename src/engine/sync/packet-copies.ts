/**
 * Packets instead of events. A packet is recorded at every device of a host that handles it (a bond and its card, a
 * bridge, both ends of a veth), and a lost one is retransmitted with the same numbers: both have several events with
 * one key. The IPv4 identification tells which are one packet; without it the address of its buffer does.
 */
import { addTo } from '../base/group-by.ts';
import { WORD_BUFFER, WORD_DEVICE, WORD_ID } from '../linux/states/reduce/packet-rows.ts';
import type { PacketEvent, PacketKeys } from './packet-keys.ts';

/** One packet on one host: its sendings, or its receipts, in their order. */
export interface PacketCopy<Event extends PacketEvent = PacketEvent> {
  readonly host: number;
  readonly isSent: boolean;
  /** Identification; 0: none. */
  readonly id: number;
  readonly events: Event[];
}

/** Devices that one buffer passes at most: bounds the work that a trace can cause. */
const MOST_DEVICES = 32;

/** Packets of the events with one key, in order of their first events. */
export function copiesOf<Event extends PacketEvent>(
  events: readonly Event[],
  keys: PacketKeys,
): PacketCopy<Event>[] {
  const copies: PacketCopy<Event>[] = [];
  const newest = new Map<string, PacketCopy<Event>>();
  const device = ({ host, row }: PacketEvent) => keys.word(host, row, WORD_DEVICE);
  for (const event of events) {
    const { host, row, isSent } = event;
    const id = keys.word(host, row, WORD_ID);
    const buffer = keys.word(host, row, WORD_BUFFER);
    const name = `${host} ${isSent ? 1 : 0} ${id === 0 ? 'buffer' : 'id'} ${id || buffer}`;
    const known = id === 0 && buffer === 0 ? undefined : newest.get(name);
    const isSame =
      known !== undefined &&
      (id !== 0 ||
        (known.events.length < MOST_DEVICES && known.events.every((one) => device(one) !== device(event))));
    if (isSame) known.events.push(event);
    else {
      const copy = { host, isSent, id, events: [event] };
      copies.push(copy);
      newest.set(name, copy);
    }
  }
  return copies;
}

/** Copies of one key that only order and time distinguish. */
export interface OpenCopies<Event extends PacketEvent = PacketEvent> {
  readonly sent: readonly PacketCopy<Event>[];
  readonly received: readonly PacketCopy<Event>[];
}

export interface MatchedCopies<Event extends PacketEvent> {
  /** Sending and receipt on one host. */
  readonly own: readonly (readonly [Event, Event])[];
  /** Sent and received, on two hosts. */
  readonly between: readonly (readonly [PacketCopy<Event>, PacketCopy<Event>])[];
  readonly open: readonly OpenCopies<Event>[];
  /** Received or sent with an unknown other end. */
  readonly left: readonly PacketCopy<Event>[];
}

type Pair<Event extends PacketEvent> = readonly [PacketCopy<Event>, PacketCopy<Event>];

/**
 * Matches the two ends of packets with one key. A packet of a host to itself comes from its last earlier sending; one
 * between hosts keeps the identification with which it was sent, or without one must be the only packet.
 * @param copies in order of their first events
 */
export function matchCopies<Event extends PacketEvent>(
  copies: readonly PacketCopy<Event>[],
): MatchedCopies<Event> {
  const { own, senders, arrived } = matchOwn(copies);
  const sent = copies.filter(({ isSent }) => isSent);
  const between = matchByIds(sent, arrived);
  const known = new Set(between.flat());
  const open: OpenCopies<Event>[] = [];
  for (const host of new Set(arrived.map((copy) => copy.host))) {
    const here = arrived.filter((copy) => copy.host === host && !known.has(copy));
    const there = sent.filter((copy) => copy.host !== host && !known.has(copy));
    // A packet to the host itself also went elsewhere only if nothing else can have.
    const others = there.filter((copy) => !senders.has(copy));
    const [from, to] = withoutIds(others.length > 0 ? others : there, here);
    if (from.length === 0 || to.length === 0) continue;
    if (from.length === 1 && to.length === 1) between.push([from[0], to[0]]);
    else open.push({ sent: from, received: to });
    for (const copy of [...from, ...to]) known.add(copy);
  }
  const left = [...arrived, ...sent.filter((copy) => !senders.has(copy))].filter((copy) => !known.has(copy));
  return { own, between, open, left };
}

/** Packets of a host to itself, with all hosts that sent one, and the remaining received ones. */
function matchOwn<Event extends PacketEvent>(copies: readonly PacketCopy<Event>[]) {
  const own: (readonly [Event, Event])[] = [];
  const senders = new Set<PacketCopy>();
  const arrived: PacketCopy<Event>[] = [];
  const nameOf = ({ host, id }: PacketCopy) => `${host} ${id}`;
  const sent = new Map<string, PacketCopy<Event>[]>();
  for (const copy of copies.toReversed()) if (copy.isSent) addTo(sent, nameOf(copy), copy);
  for (const copy of copies) {
    if (copy.isSent) continue;
    const first = sent.get(nameOf(copy))?.at(-1);
    if (first === undefined || first.events[0].time > copy.events[0].time) {
      arrived.push(copy);
      continue;
    }
    senders.add(first);
    if (copy.id === 0) sent.get(nameOf(copy))?.pop();
    for (const event of copy.events) {
      const last = first.events.findLast(({ time }) => time <= event.time);
      if (last !== undefined) own.push([last, event]);
    }
  }
  return { own, senders, arrived };
}

/** If several hosts sent an identification, one forwarded it: packets with only one possible sender go first. */
function matchByIds<Event extends PacketEvent>(
  sent: readonly PacketCopy<Event>[],
  arrived: readonly PacketCopy<Event>[],
): Pair<Event>[] {
  const byId = new Map<number, PacketCopy<Event>[]>();
  for (const copy of sent) if (copy.id !== 0) addTo(byId, copy.id, copy);
  const found: Pair<Event>[] = [];
  let waiting = arrived.filter(({ id }) => byId.has(id));
  for (let before = -1; before !== found.length && waiting.length > 0;) {
    before = found.length;
    waiting = waiting.filter((copy) => {
      const senders = byId.get(copy.id)?.filter(({ host }) => host !== copy.host) ?? [];
      if (senders.length !== 1) return true;
      found.push([senders[0], copy]);
      byId.set(
        copy.id,
        (byId.get(copy.id) ?? []).filter((other) => other !== senders[0]),
      );
      return false;
    });
  }
  return found;
}

/** Copies that identifications do not distinguish, as one of the two ends has none. */
function withoutIds<Event extends PacketEvent>(
  sent: readonly PacketCopy<Event>[],
  received: readonly PacketCopy<Event>[],
): [PacketCopy<Event>[], PacketCopy<Event>[]] {
  const from = sent.filter(({ id }) => id === 0 || received.some((copy) => copy.id === 0));
  const to = received.filter(({ id }) => id === 0 || from.some((copy) => copy.id === 0));
  return [from, to];
}
