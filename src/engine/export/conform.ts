/**
 * Comparison of what we read with golden results made by independent readers: traces of a corpus, and the cases of
 * packs (one metadata text and at most one data stream each). Pure: opening folders and files is the caller's.
 */
import type { Fault, FaultCode } from '../base/fault.ts';
import type { DecodeMemory } from '../ctf/decode/wasm/decode-memory.ts';
import { readMetadata } from '../ctf/metadata/metadata.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import { memorySource } from '../io/memory-source.ts';
import { summariseTraces, type CanonicalSummary } from './canonical-streams.ts';

/** An entry of a golden file of whole traces. */
export interface GoldenTrace {
  readonly strict: boolean;
  /** Absent where the trace must be refused. */
  readonly sha256?: string;
  /** With times in exact integers, where the reader's doubles differ. */
  readonly sha256_exact_time?: string;
  readonly events?: number;
  readonly first_ns?: string | null;
  readonly last_ns?: string | null;
  readonly discarded_events?: number;
  readonly discarded_packets?: number;
  /** Present: what is wrong with the trace, which must be refused. */
  readonly kind?: string;
}

/** A case of a pack. */
export interface GoldenCase {
  readonly strict: boolean;
  readonly expect: 'pass' | 'fail';
  readonly metadata?: string;
  /** Hex. */
  readonly data?: string;
  readonly text?: string | null;
}

/** How a run over a golden file went. */
export interface ConformGroup {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** What reading a trace gave: a summary, or the fault that kept it from being opened. */
export type Reading = CanonicalSummary | Fault;

const WARNINGS: readonly FaultCode[] = [
  'index-disagrees',
  'bad-uuid',
  'metadata-truncated',
  'metadata-unknown-attribute',
  'time-backwards',
  'sync-no-packets',
  'sync-no-match',
  'sync-peer-missing',
  'sync-failed',
];

/** Faults that stop reading something; the others are warnings. */
export function isRefusal({ code }: Fault): boolean {
  return !WARNINGS.includes(code);
}

function refusalOf(reading: Reading): Fault | undefined {
  return 'code' in reading ? reading : reading.faults.find(isRefusal);
}

/** What is wrong with a reading of a trace; undefined: nothing. */
export function compareTrace(golden: GoldenTrace, reading: Reading): string | undefined {
  const refusal = refusalOf(reading);
  if (golden.kind !== undefined)
    return refusal === undefined ? `read, though it has ${golden.kind}` : undefined;
  if (refusal !== undefined || 'code' in reading) return `refused: ${JSON.stringify(refusal)}`;
  if (reading.events !== golden.events) return `${reading.events} events and not ${golden.events}`;
  const expected = golden.sha256_exact_time ?? golden.sha256;
  if (reading.sha256 !== expected) return `digest ${reading.sha256} and not ${expected}`;
  if (golden.sha256_exact_time === undefined) {
    const times = `${reading.firstNs ?? null} to ${reading.lastNs ?? null}`;
    const goldenTimes = `${golden.first_ns ?? null} to ${golden.last_ns ?? null}`;
    if (times !== goldenTimes) return `times ${times} and not ${goldenTimes}`;
  }
  const lost = `${reading.discardedEvents} events, ${reading.discardedPackets} packets`;
  const goldenLost = `${golden.discarded_events ?? 0} events, ${golden.discarded_packets ?? 0} packets`;
  return lost === goldenLost ? undefined : `lost ${lost} and not ${goldenLost}`;
}

/** What is wrong with our answer to a case of a pack; undefined: nothing. Without `memory` the interpreter decodes. */
export async function checkCase(
  golden: GoldenCase,
  metadata: Uint8Array,
  memory?: DecodeMemory,
): Promise<string | undefined> {
  let text = '';
  const refusal = refusalOf(await readCase(golden, metadata, (piece) => void (text += piece), memory));
  const expected = golden.text ?? '';
  if (golden.expect === 'pass') {
    if (refusal !== undefined) return `refused: ${JSON.stringify(refusal)}`;
    return text === expected ? undefined : `gave\n${text}and not\n${expected}`;
  }
  if (refusal === undefined) return 'read, though it should be refused';
  if (refusal.place.file === undefined) return `refused without place: ${JSON.stringify(refusal)}`;
  return text.startsWith(expected) ? undefined : `delivered\n${text}and not\n${expected}`;
}

async function readCase(
  golden: GoldenCase,
  metadata: Uint8Array,
  sink: (text: string) => void,
  memory: DecodeMemory | undefined,
): Promise<Reading> {
  const read = readMetadata(metadata, 'metadata');
  if (!read.ok) return read.fault;
  const { model } = read.value;
  if (golden.data === undefined) return summariseTraces([{ model, streams: [] }], sink, memory);
  const source = memorySource('stream', hexBytes(golden.data));
  const indexed = await indexStreamFile(model, source);
  if (!indexed.ok) return indexed.fault;
  const { packets, faults } = indexed.value;
  const streams = packets.length === 0 ? [] : [[{ source, packets }]];
  const summary = await summariseTraces([{ model, streams }], sink, memory);
  return { ...summary, faults: [...faults, ...summary.faults] };
}

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** Runs over the strict entries of a golden file. */
export async function conformGroup<Golden extends { readonly strict: boolean }>(
  name: string,
  entries: Readonly<Record<string, Golden>>,
  check: (golden: Golden, name: string) => Promise<string | undefined>,
): Promise<ConformGroup> {
  const strict = Object.entries(entries).filter(([, golden]) => golden.strict);
  const failed: { name: string; reason: string }[] = [];
  for (const [entry, golden] of strict) {
    const reason = await check(golden, entry);
    if (reason !== undefined) failed.push({ name: entry, reason });
  }
  return { name, passed: strict.length - failed.length, total: strict.length, failed };
}
