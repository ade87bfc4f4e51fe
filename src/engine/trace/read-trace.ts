/** One trace of an experiment: metadata, packet indexes, streams. What cannot be read is told, the rest is kept. */
import type { Fault } from '../base/fault.ts';
import { ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import { readMetadata } from '../ctf/metadata/metadata.ts';
import type { TraceModel } from '../ctf/model.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import { splitPath } from './find-traces.ts';
import type { TraceFiles } from './find-traces.ts';
import { fingerprint, markFile } from './fingerprint.ts';
import type { FileMark } from './fingerprint.ts';
import { assembleStreams } from './stream-assembly.ts';
import type { AssembledStream } from './stream-assembly.ts';
import type { Domain, StreamFile } from './types.ts';

export interface ReadTrace {
  readonly folder: string;
  readonly model: TraceModel;
  readonly domain: Domain;
  readonly hostname: string;
  readonly fingerprint: string;
  readonly streams: readonly AssembledStream[];
  readonly faults: readonly Fault[];
}

/** Fails when the metadata cannot be read; faults of data stream files are within. */
export async function readTrace(files: TraceFiles, open: SourceOpener): Promise<Result<ReadTrace>> {
  const bytes = await readWhole(files.metadata, open);
  if (!bytes.ok) return bytes;
  const metadata = readMetadata(bytes.value, files.metadata.path);
  if (!metadata.ok) return metadata;
  const { model, warnings } = metadata.value;
  const faults = [...warnings];
  const data: StreamFile[] = [];
  const marks: FileMark[] = [];
  for (const ref of files.data) {
    const indexed = await indexFile(model, ref, files.indexes.get(splitPath(ref.path).name), open);
    if (!indexed.ok) {
      faults.push(indexed.fault);
      continue;
    }
    faults.push(...indexed.value.faults);
    data.push(indexed.value.file);
    marks.push(indexed.value.mark);
  }
  return ok({
    folder: files.folder,
    model,
    domain: domainOf(model),
    hostname: environmentText(model, 'hostname'),
    fingerprint: fingerprint(bytes.value, marks),
    streams: assembleStreams(data),
    faults,
  });
}

interface IndexedRef {
  readonly file: StreamFile;
  readonly mark: FileMark;
  readonly faults: readonly Fault[];
}

async function indexFile(
  model: TraceModel,
  ref: SourceRef,
  index: SourceRef | undefined,
  open: SourceOpener,
): Promise<Result<IndexedRef>> {
  const source = await open(ref);
  if (!source.ok) return source;
  try {
    // An index that cannot be read is no loss: the packets tell the same.
    const known = index === undefined ? undefined : await readWhole(index, open);
    const indexed = await indexStreamFile(model, source.value, known?.ok === true ? known.value : undefined);
    if (!indexed.ok) return indexed;
    const { packets, faults } = indexed.value;
    const mark = await markFile(splitPath(ref.path).name, source.value, packets);
    return mark.ok ? ok({ file: { source: ref, packets }, mark: mark.value, faults }) : mark;
  } finally {
    await source.value.close?.();
  }
}

async function readWhole(ref: SourceRef, open: SourceOpener): Promise<Result<Uint8Array>> {
  const source = await open(ref);
  if (!source.ok) return source;
  const bytes = await source.value.read(0, source.value.size);
  await source.value.close?.();
  return bytes;
}

export function environmentText(model: TraceModel, name: string): string {
  return String(model.environment.find((entry) => entry.name === name)?.value ?? '');
}

/** By the environment; traces that tell nothing are the kernel's when they log what only a scheduler can. */
function domainOf(model: TraceModel): Domain {
  const told = environmentText(model, 'domain');
  if (told === 'kernel' || told === 'ust') return told;
  const schedules = model.streams.some((stream) =>
    stream.events.some(({ name }) => name === 'sched_switch' || name === 'sched:sched_switch'),
  );
  return schedules ? 'kernel' : 'other';
}
