/** Reads all traces below a folder with the engine, one stream file after the other. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Fault } from '../../src/engine/base/fault.ts';
import { readMetadata } from '../../src/engine/ctf/metadata/metadata.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import { PACKET_HAS_BEGIN } from '../../src/engine/ctf/packets/packet-table.ts';
import {
  summariseTraces,
  type CanonicalFile,
  type TextSink,
} from '../../src/engine/export/canonical-streams.ts';
import type { Reading } from '../../src/engine/export/conform.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';

interface OpenTrace {
  readonly model: TraceModel;
  readonly files: CanonicalFile[];
}

/** Opens everything below `root` and summarises it; several folders of one trace count as one. */
export async function readFolder(root: string, sink?: TextSink): Promise<Reading> {
  const traces = new Map<string, OpenTrace>();
  const faults: Fault[] = [];
  for (const folder of traceFolders(root)) {
    const read = readMetadata(new Uint8Array(readFileSync(join(folder, 'metadata'))), 'metadata');
    if (!read.ok) return read.fault;
    const key = read.value.model.uuid ?? folder;
    const trace = traces.get(key) ?? { model: read.value.model, files: [] };
    traces.set(key, trace);
    for (const path of streamFiles(folder)) {
      const source = memorySource(relative(root, path), new Uint8Array(readFileSync(path)));
      const indexed = await indexStreamFile(trace.model, source, lttngIndexOf(path));
      if (!indexed.ok) return indexed.fault;
      faults.push(...indexed.value.faults);
      if (indexed.value.packets.length > 0) trace.files.push({ source, packets: indexed.value.packets });
    }
  }
  const joined = [...traces.values()].map(({ model, files }) => ({ model, streams: joinStreams(files) }));
  const summary = await summariseTraces(joined, sink);
  return { ...summary, faults: [...faults, ...summary.faults] };
}

/** Files with the same stream class and id are one stream, ordered by begin. */
function joinStreams(files: readonly CanonicalFile[]): CanonicalFile[][] {
  const streams = new Map<string, CanonicalFile[]>();
  for (const file of files) {
    const { hasStreamId, flags, streamClass, streamId } = file.packets;
    const joinable = hasStreamId[0] === 1 && flags.every((bits) => (bits & PACKET_HAS_BEGIN) !== 0);
    const key = joinable ? `${streamClass[0]}/${streamId[0]}` : file.source.name;
    streams.set(key, [...(streams.get(key) ?? []), file]);
  }
  const begin = ({ packets }: CanonicalFile): bigint => packets.begin[0];
  return [...streams.values()].map((all) => all.sort((a, b) => Number(begin(a) - begin(b))));
}

function lttngIndexOf(path: string): Uint8Array | undefined {
  const index = join(dirname(path), 'index', `${basename(path)}.idx`);
  return existsSync(index) ? new Uint8Array(readFileSync(index)) : undefined;
}

function traceFolders(root: string): string[] {
  const here = existsSync(join(root, 'metadata')) ? [root] : [];
  const below = readdirSync(root)
    .sort()
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isDirectory());
  return [...here, ...below.flatMap(traceFolders)];
}

function streamFiles(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => name !== 'metadata' && !name.startsWith('.'))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
