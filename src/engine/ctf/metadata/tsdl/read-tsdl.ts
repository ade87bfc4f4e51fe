/**
 * TSDL text → the model of its trace.
 *
 * The default clock of a stream class is the one that its event header is mapped to, else its packet context, else the
 * first of its events' contexts and payloads that is mapped to any. Unmapped timestamps count as mapped (`mapTimestamps`).
 */
import { compare } from '../../../base/compare.ts';
import type { Result } from '../../../base/fault.ts';
import type { ClockClass, EnvironmentEntry, EventClass, StreamClass, TraceModel } from '../../model.ts';
import type { Block, BlockKind, RootItem } from './ast.ts';
import { Binder } from './bind.ts';
import { readByteOrder, readClock, readEnvironment, readEvent, readStream, readTrace } from './blocks.ts';
import type { EventBlock, StreamBlock, TraceBlock } from './blocks.ts';
import { clocksIn, eventHeaderRoles, mapTimestamps, packetContextRoles, packetHeaderRoles } from './roles.ts';
import type { Roots } from './references.ts';
import { MAX_EVENTS } from '../limits.ts';
import { readModel, refuse, reject, type Metadata, type Reading, type Source } from '../source.ts';
import { parseTsdl } from './parser.ts';
import { buildType, declare, innerScope } from './types.ts';
import type { Scope, TypeContext } from './types.ts';

interface StreamDraft extends StreamBlock {
  readonly streamId: bigint;
  readonly events: Map<bigint, EventBlock>;
}

/** Reads metadata in time linear in the text, except for what aliases multiply, which is bounded. */
export function readTsdl(source: Source): Result<Metadata> {
  return readModel(source, (reading) => buildTraceModel(reading, parseTsdl(source)));
}

function buildTraceModel(reading: Reading, items: readonly RootItem[]): TraceModel {
  const blocks = (kind: BlockKind) => items.filter((item): item is Block => item.kind === kind);
  const traceBlock = onlyTrace(reading, blocks('trace'));
  const byteOrder = readByteOrder(reading, traceBlock);
  const environment = readEnvironment(blocks('env'));
  const clocks = readClocks(reading, blocks('clock'), environment);
  const context: TypeContext = {
    ...reading,
    byteOrder,
    leaves: new Map(),
    clocks: new Map(clocks.map(({ name }, index) => [name, index] as const).reverse()),
    environment: new Map(environment.map(({ name, value }) => [name, value])),
  };
  const root = rootScope(context, items);
  const trace = readTrace(context, root, traceBlock);
  const streams = collectStreams(
    context,
    trace,
    blocks('stream').map((block) => readStream(context, root, block)),
  );
  for (const block of blocks('event')) addEvent(context, streams, readEvent(context, root, block));
  const binder = new Binder(reading.source);
  const roots: Roots = { 'packet-header': trace.packetHeader };
  const header = binder.bind('packet-header', roots);
  return {
    version: '1.8',
    environment,
    uuid: trace.uuid,
    byteOrder,
    packetHeader: header && packetHeaderRoles(header),
    streams: [...streams.values()].map((draft) => linkStream(reading.source, binder, clocks, roots, draft)),
    clocks,
  };
}

function onlyTrace(reading: Reading, blocks: readonly Block[]): Block {
  if (blocks.length === 0) reject(reading.source, 0, 'a trace block', 'none');
  if (blocks.length > 1) reject(reading.source, blocks[1].at, 'one trace block', 'a second one');
  return blocks[0];
}

/**
 * Marks the clock `monotonic` of LTTng before 2.1 as absolute: with its offset it counts from the epoch, but the
 * metadata do not say so.
 */
function readClocks(
  reading: Reading,
  blocks: readonly Block[],
  environment: readonly EnvironmentEntry[],
): ClockClass[] {
  const tracer = environment.find(({ name }) => name === 'tracer_name')?.value;
  const isLttng = typeof tracer === 'string' && tracer.startsWith('lttng');
  return blocks.map((block) => {
    const clock = readClock(reading, block);
    return isLttng && clock.name === 'monotonic' ? { ...clock, absolute: true } : clock;
  });
}

function rootScope(context: TypeContext, items: readonly RootItem[]): Scope {
  const scope = innerScope();
  for (const item of items) {
    if (item.kind === 'type') buildType(context, scope, item.type);
    else if (item.kind === 'typealias' || item.kind === 'typedef') declare(context, scope, item);
  }
  return scope;
}

function collectStreams(
  context: Reading,
  trace: TraceBlock,
  blocks: readonly StreamBlock[],
): Map<bigint, StreamDraft> {
  const streams = new Map<bigint, StreamDraft>();
  for (const stream of blocks) {
    const { block } = stream;
    if (stream.id !== undefined && !trace.packetHeader?.indexes.has('stream_id')) {
      reject(context.source, block.end, 'a `stream_id` in the packet header', 'a stream with an id');
    }
    if (stream.id === undefined && streams.size > 0) {
      reject(context.source, block.end, 'the attribute `id` of stream', 'a further stream without');
    }
    const streamId = stream.id ?? 0n;
    if (streams.has(streamId)) {
      reject(context.source, block.end, 'stream ids that differ', `${streamId} again`);
    }
    streams.set(streamId, { ...stream, streamId, events: new Map() });
  }
  return streams;
}

function addEvent(context: Reading, streams: Map<bigint, StreamDraft>, event: EventBlock): void {
  const stream = streamOf(context, streams, event);
  const { block } = event;
  if (event.id === undefined && stream.events.size > 0) {
    reject(context.source, block.end, 'the attribute `id` of event', 'a further event without');
  }
  const id = event.id ?? 0n;
  if (stream.events.has(id)) {
    reject(context.source, block.end, 'event ids that differ in a stream', `${id} again`);
  }
  if (stream.events.size > 0 && !tellsId(stream)) {
    reject(context.source, block.at, 'an unsigned integer `id` in the event header', 'several events');
  }
  if (stream.events.size === MAX_EVENTS) {
    refuse(context.source, block.at, 'over-limit', `at most ${MAX_EVENTS} events in a stream`);
  }
  stream.events.set(id, event);
}

function tellsId({ eventHeader }: StreamDraft): boolean {
  const index = eventHeader?.indexes.get('id');
  if (eventHeader === undefined || index === undefined) return false;
  const { type } = eventHeader.members[index];
  return type.kind === 'leaf' && type.type.kind === 'integer' && !type.type.signed;
}

function streamOf(context: Reading, streams: Map<bigint, StreamDraft>, event: EventBlock): StreamDraft {
  const { block } = event;
  if (event.streamId === undefined && streams.size > 1) {
    reject(context.source, block.end, 'the attribute `stream_id` of event', 'several streams');
  }
  const id = event.streamId ?? streams.keys().next().value ?? 0n;
  const known = streams.get(id);
  if (known !== undefined) return known;
  if (streams.size > 0 || id !== 0n) {
    reject(context.source, block.end, 'the id of a stream block', `stream_id = ${id}`);
  }
  // Metadata without stream blocks have one stream of plain events.
  const implicit: StreamDraft = { block, streamId: id, events: new Map() };
  streams.set(id, implicit);
  return implicit;
}

/** @param clocks gets one more if there is none (`mapTimestamps`) */
function linkStream(
  source: Source,
  binder: Binder,
  clocks: ClockClass[],
  outer: Roots,
  draft: StreamDraft,
): StreamClass {
  const roots: Roots = {
    ...outer,
    'packet-context': draft.packetContext,
    'event-header': draft.eventHeader,
    'event-common-context': draft.eventContext,
  };
  const context = binder.bind('packet-context', roots);
  const header = binder.bind('event-header', roots);
  const packetContext = context && mapTimestamps(context, ['timestamp_begin', 'timestamp_end'], clocks);
  const eventHeader = header && mapTimestamps(header, ['timestamp'], clocks);
  const eventContext = binder.bind('event-common-context', roots);
  const events = [...draft.events].map(([id, event]) => linkEvent(binder, roots, id, event));
  const own = [...clocksIn(eventHeader), ...clocksIn(packetContext)];
  if (new Set(own).size > 1) {
    const found = own.map((index) => `\`${clocks[index].name}\``).join(', ');
    refuse(source, draft.block.at, 'unsupported', 'one clock for the packets and events of a stream', found);
  }
  const clock = own.at(0) ?? clocksIn(eventContext).at(0) ?? clockOfEvents(events);
  return {
    id: draft.streamId,
    packetContext: packetContext && packetContextRoles(packetContext),
    eventHeader: eventHeader && eventHeaderRoles(eventHeader, clock),
    eventContext,
    clock,
    events: events.sort((a, b) => compare(a.id, b.id)),
  };
}

function clockOfEvents(events: readonly EventClass[]): number | undefined {
  for (const { context, payload } of events) {
    const clock = clocksIn(context).at(0) ?? clocksIn(payload).at(0);
    if (clock !== undefined) return clock;
  }
  return undefined;
}

function linkEvent(binder: Binder, outer: Roots, id: bigint, event: EventBlock): EventClass {
  const { name, logLevel } = event;
  const roots: Roots = { ...outer, 'event-context': event.context, 'event-payload': event.payload };
  const context = binder.bind('event-context', roots);
  return { id, name, logLevel, context, payload: binder.bind('event-payload', roots) };
}
