/**
 * Comparison of what we read with golden results made by independent readers: traces of a corpus, and the cases of
 * packs (one metadata text and at most one data stream each). Pure: opening folders and files is the caller's.
 */
import { gunzipSync } from 'node:zlib';
import { type Fault, type Place, isWarning } from '../../../src/engine/base/fault.ts';
import type { DecodeMemory } from '../../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { readMetadata } from '../../support/read-metadata.ts';
import { indexStreamFile } from '../../../src/engine/ctf/packets/packet-index.ts';
import { memorySource } from '../../../src/engine/io/memory-source.ts';
import { summariseTraces, type CanonicalSummary } from '../../../src/engine/export/canonical-streams.ts';
import { CODES_OF_KINDS } from './golden-kinds.ts';

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
  /** Present: what is wrong with the trace, which must be reported. */
  readonly kind?: string;
  /** Of the text of the metadata, from 1. */
  readonly line?: number;
  /** Must be read at least; the digest is of these. */
  readonly events_before_error?: number;
  readonly sha256_before_error?: string | null;
  /** Why readers differ, where they do. */
  readonly notes?: string;
}

/** A case of a pack. */
export interface GoldenCase {
  readonly strict: boolean;
  readonly expect: 'pass' | 'fail';
  readonly metadata?: string;
  /** The same compressed. */
  readonly metadata_gzip_base64?: string;
  /** Hex. */
  readonly data?: string;
  readonly text?: string | null;
  /** Line of the metadata, from 1; 0: none. */
  readonly line?: number;
  /** What the project of the case expects: with places in the metadata, or in bits of the data. */
  readonly project_text?: string;
  readonly notes?: string;
}

/** How a run over a golden file went. */
export interface ConformGroup {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  readonly failed: readonly Difference[];
  /** Entries that are not strict, as readers do not agree, and that we read otherwise than the golden result. */
  readonly deviations: readonly Difference[];
}

interface Difference {
  readonly name: string;
  readonly reason: string;
}

/** What reading a trace gave: a summary, or the fault that kept it from being opened. */
export type Reading = CanonicalSummary | Fault;

function refusalOf(reading: Reading): Fault | undefined {
  return 'code' in reading ? reading : reading.faults.find((fault) => !isWarning(fault));
}

/** Says what is wrong with a reading of a trace; undefined: nothing. */
export function compareTrace(golden: GoldenTrace, reading: Reading): string | undefined {
  if (golden.kind !== undefined) return compareFailing(golden, golden.kind, reading);
  const refusal = refusalOf(reading);
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

/** A trace with something wrong: the fault has its code and line, and what comes before is read. */
function compareFailing(golden: GoldenTrace, kind: string, reading: Reading): string | undefined {
  const faults = 'code' in reading ? [reading] : reading.faults;
  const codes = CODES_OF_KINDS.get(kind) ?? [];
  const isTold = faults.some(
    ({ code, place }) => codes.includes(code) && (golden.line ?? place.line) === place.line,
  );
  if (!isTold) {
    const line = golden.line === undefined ? '' : ` at line ${golden.line}`;
    return `${kind} (${codes.join(', ') || 'no code'})${line} is not told, but ${JSON.stringify(faults)}`;
  }
  const events = 'code' in reading ? 0 : reading.events;
  const least = golden.events_before_error ?? 0;
  if (events < least) return `${events} events and not ${least} before the fault`;
  const digest = golden.sha256_before_error ?? undefined;
  if ('code' in reading || events > least || digest === undefined || reading.sha256 === digest)
    return undefined;
  return `digest ${reading.sha256} and not ${digest} of the events before the fault`;
}

/** Says what is wrong with our answer to a case of a pack; undefined: nothing. Without `memory` the interpreter decodes. */
export async function checkCase(golden: GoldenCase, memory?: DecodeMemory): Promise<string | undefined> {
  let text = '';
  const decoder = new TextDecoder();
  const reading = await readCase(golden, (piece) => void (text += decoder.decode(piece)), memory);
  const refusals = 'code' in reading ? [reading] : reading.faults.filter((fault) => !isWarning(fault));
  const expected = golden.text ?? '';
  if (golden.expect === 'pass') {
    if (refusals.length > 0) return `refused: ${JSON.stringify(refusals)}`;
    return text === expected ? undefined : `gave\n${text}and not\n${expected}`;
  }
  if (refusals.length === 0) return 'read, though it should be refused';
  const isThere = placeTest(golden);
  if (!refusals.some(({ place }) => place.file !== undefined && isThere(place)))
    return `refused elsewhere: ${JSON.stringify(refusals)}`;
  return text.startsWith(expected) ? undefined : `delivered\n${text}and not\n${expected}`;
}

/** Whether a fault is where it is expected: at the golden line, else at a place in the text of the project. */
function placeTest({ line, project_text: text = '' }: GoldenCase): (place: Place) => boolean {
  const eventNumbers = [...text.matchAll(/^\[(\d+):\d+\]/gm)].map((match) => Number(match[1]));
  const lines = line === undefined ? eventNumbers : line > 0 ? [line] : [];
  if (lines.length > 0) return (place) => place.line !== undefined && lines.includes(place.line);
  // A dump of data has the bit of each value, up to the one at which reading stopped; the last packet counts.
  const lastPacket = text.slice(text.lastIndexOf('\n', Math.max(0, text.lastIndexOf(' P {'))) + 1);
  const bytes = [...lastPacket.matchAll(/^ *(\d+) /gm)].map((match) => Math.floor(Number(match[1]) / 8));
  return (place) => bytes.length === 0 || (place.byte !== undefined && bytes.includes(place.byte));
}

async function readCase(
  golden: GoldenCase,
  sink: (text: Uint8Array) => void,
  memory: DecodeMemory | undefined,
): Promise<Reading> {
  const read = readMetadata(metadataOf(golden), 'metadata');
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

function metadataOf({ metadata, metadata_gzip_base64: packed = '' }: GoldenCase): Uint8Array {
  if (metadata !== undefined) return new TextEncoder().encode(metadata);
  return new Uint8Array(gunzipSync(Buffer.from(packed, 'base64')));
}

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** Runs over the entries of a golden file. */
export async function conformGroup<Golden extends { readonly strict: boolean; readonly notes?: string }>(
  name: string,
  entries: Readonly<Record<string, Golden>>,
  check: (golden: Golden, name: string) => Promise<string | undefined>,
): Promise<ConformGroup> {
  const failed: Difference[] = [];
  const deviations: Difference[] = [];
  let total = 0;
  for (const [entry, golden] of Object.entries(entries)) {
    if (golden.strict) total++;
    const reason = await check(golden, entry);
    if (reason === undefined) continue;
    if (golden.strict) failed.push({ name: entry, reason });
    else deviations.push({ name: entry, reason: golden.notes || `readers do not agree: ${reason}` });
  }
  return { name, passed: total - failed.length, total, failed, deviations };
}
