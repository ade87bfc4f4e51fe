/**
 * One model for the chunks of a trace. Metadata grow while it is recorded: a tracer appends the event classes of what
 * is loaded later, and each chunk has those known when it was closed.
 */
import { MAX_EVENTS } from '../ctf/metadata/limits.ts';
import type { EventClass, StreamClass, TraceModel } from '../ctf/model.ts';

/**
 * The model that reads the streams of both: `a` with what only `b` declares. Offsets of clocks and the environment are
 * those of `a`: a tracer may take them anew.
 *
 * @returns undefined where the two contradict each other, so are not chunks of one trace whatever their uuid says
 */
export function uniteModels(a: TraceModel, b: TraceModel): TraceModel | undefined {
  if (a === b) return a;
  const sameFrame =
    a.byteOrder === b.byteOrder && isSame(a.packetHeader, b.packetHeader) && isSame(ratesOf(a), ratesOf(b));
  const streams = sameFrame ? unite(a.streams, b.streams, uniteStreams) : undefined;
  if (streams === undefined) return undefined;
  return streams === a.streams ? a : { ...a, streams };
}

function ratesOf({ clocks }: TraceModel): unknown {
  return clocks.map(({ name, uuid, frequency }) => ({ name, uuid, frequency }));
}

function uniteStreams(a: StreamClass, b: StreamClass): StreamClass | undefined {
  const events = unite(a.events, b.events, uniteEvents);
  if (events === undefined || events.length > MAX_EVENTS) return undefined;
  if (!isSame({ ...a, events: [] }, { ...b, events: [] })) return undefined;
  return events === a.events ? a : { ...a, events };
}

function uniteEvents(a: EventClass, b: EventClass): EventClass | undefined {
  return isSame(a, b) ? a : undefined;
}

/**
 * Union of both lists by id, in order of id; `a` itself where `b` has nothing more. undefined: two of one id
 * contradict.
 */
function unite<Class extends { readonly id: bigint }>(
  a: readonly Class[],
  b: readonly Class[],
  both: (a: Class, b: Class) => Class | undefined,
): readonly Class[] | undefined {
  const byId = new Map(a.map((each) => [each.id, each]));
  let changed = false;
  for (const other of b) {
    const known = byId.get(other.id);
    const united = known === undefined ? other : both(known, other);
    if (united === undefined) return undefined;
    changed ||= united !== known;
    byId.set(other.id, united);
  }
  if (!changed) return a;
  return [...byId.values()].sort((x, y) => (x.id < y.id ? -1 : x.id > y.id ? 1 : 0));
}

/** Equality of plain data. A member that is undefined is as good as none. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [x, y] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) => isSame(x[key], y[key]));
}
