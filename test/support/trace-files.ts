/** Traces between memory and folders. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readMetadata } from './read-metadata.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { repeatedPieces, type RepeatPlan } from './trace-repeater.ts';

/** The files of the trace in `folder`: those beside `metadata`, and the index files. */
export function loadTrace(folder: string): TraceFiles {
  const files: TraceFiles = new Map();
  for (const below of ['', 'index/']) {
    const path = join(folder, below);
    const names = readdirSync(folder).includes('index') || below === '' ? readdirSync(path).sort() : [];
    for (const name of names) {
      if (statSync(join(path, name)).isFile())
        files.set(below + name, new Uint8Array(readFileSync(join(path, name))));
    }
  }
  files.delete('ABOUT.md');
  return files;
}

/** The model that the trace's metadata give; throws where they are faulty. */
export function modelOf(files: TraceFiles): TraceModel {
  const read = readMetadata(files.get('metadata') ?? new Uint8Array(), 'metadata');
  if (!read.ok) throw new Error(`metadata: ${JSON.stringify(read.fault)}`);
  return read.value.model;
}

/** Writes the files below `folder`, which is made. */
export function saveTrace(files: TraceFiles, folder: string): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Writes a repeated trace, never more than one round of a stream in memory. Returns its number of events. */
export function saveRepeated(plan: RepeatPlan, rounds: number, folder: string): number {
  saveTrace(plan.kept, folder);
  for (const stream of plan.streams) {
    const path = join(folder, stream.file);
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'w');
    for (const piece of repeatedPieces(stream, rounds)) writeSync(file, piece);
    closeSync(file);
  }
  return plan.events * rounds;
}
