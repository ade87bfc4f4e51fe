/** `canonical PATH…`: the canonical form of every event, or its digest. */
import type { Fault } from '../../engine/base/fault.ts';
import { type DecodeMemory, openDecodeMemory } from '../../engine/ctf/decode/wasm/decode-memory.ts';
import {
  type CanonicalFile,
  type CanonicalSummary,
  type CanonicalTrace,
  summariseTraces,
  type TextSink,
} from '../../engine/export/canonical-streams.ts';
import type { ByteSource } from '../../engine/io/byte-source.ts';
import { openNodeSource } from '../../engine/io/node-source.ts';
import type { Trace } from '../../engine/trace/types.ts';
import { openPaths } from '../experiment.ts';
import { reportFaults } from '../messages.ts';
import { print, writeCanonical } from '../output.ts';
import type { Command } from '../options.ts';

export const canonical: Command = async (paths, options) => {
  const { summary, faults } = await summarisePaths(
    paths,
    openDecodeMemory(options.decoder),
    options.sha256 ? undefined : writeCanonical,
  );
  if (options.sha256) print(`${summary.sha256}  ${summary.events}`);
  return reportFaults(faults, options.strict);
};

/** The canonical form of everything at some paths, with the faults of opening and decoding. Without `memory` the interpreter decodes. */
export async function summarisePaths(
  paths: readonly string[],
  memory: DecodeMemory | undefined,
  sink?: TextSink,
): Promise<{ readonly summary: CanonicalSummary; readonly faults: readonly Fault[] }> {
  const { experiment, faults } = await openPaths(paths);
  const sources: ByteSource[] = [];
  const unreadable: Fault[] = [];
  const traces: CanonicalTrace[] = [];
  for (const trace of experiment.traces) traces.push(await withSources(trace, sources, unreadable));
  const summary = await summariseTraces(traces, sink, memory);
  for (const source of sources) await source.close?.();
  return { summary, faults: [...faults, ...unreadable, ...summary.faults] };
}

/** Streams of which a file cannot be opened end before it. */
async function withSources(trace: Trace, sources: ByteSource[], faults: Fault[]): Promise<CanonicalTrace> {
  const streams: CanonicalFile[][] = [];
  for (const stream of trace.streams) {
    const files: CanonicalFile[] = [];
    for (const { source: ref, packets } of stream.files) {
      const source = await openNodeSource(ref);
      if (!source.ok) {
        faults.push(source.fault);
        break;
      }
      sources.push(source.value);
      files.push({ source: source.value, packets });
    }
    if (files.length > 0) streams.push(files);
  }
  return { model: trace.model, streams };
}
