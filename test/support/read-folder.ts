/** Reads all traces below a folder with the engine, one stream file after the other. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Fault } from '../../src/engine/base/fault.ts';
import { readMetadata } from '../../src/engine/ctf/metadata/metadata.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import {
  summariseTraces,
  type CanonicalFile,
  type TextSink,
} from '../../src/engine/export/canonical-streams.ts';
import { memorySource, type Reading } from '../../src/engine/export/conform.ts';

/** Opens everything below `root` and summarises it; several folders of one trace count as one. */
export async function readFolder(root: string, sink?: TextSink): Promise<Reading> {
  const traces = new Map<string, { model: TraceModel; files: CanonicalFile[] }>();
  for (const folder of traceFolders(root)) {
    const read = readMetadata(new Uint8Array(readFileSync(join(folder, 'metadata'))), 'metadata');
    if (!read.ok) return read.fault;
    const { model } = read.value;
    const key = model.uuid ?? folder;
    const trace = traces.get(key) ?? { model, files: [] };
    traces.set(key, trace);
    for (const path of streamFiles(folder)) {
      const file = await openStreamFile(root, path, trace.model);
      if ('code' in file) return file;
      trace.files.push(file);
    }
  }
  return summariseTraces([...traces.values()], sink);
}

async function openStreamFile(root: string, path: string, model: TraceModel): Promise<CanonicalFile | Fault> {
  const source = memorySource(relative(root, path), new Uint8Array(readFileSync(path)));
  const index = join(dirname(path), 'index', `${basename(path)}.idx`);
  const indexed = await indexStreamFile(
    model,
    source,
    existsSync(index) ? new Uint8Array(readFileSync(index)) : undefined,
  );
  return indexed.ok ? { source, indexed: indexed.value } : indexed.fault;
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
