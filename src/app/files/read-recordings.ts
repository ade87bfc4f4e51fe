/** Reads files of executions; loaded with the first. */
import { decodeDatabase } from '../../engine/layers/executions/database/database.ts';
import { type Recording, recordingOf } from '../../engine/layers/executions/ranking/trend.ts';
import type { Fault } from '../../engine/base/fault.ts';
import type { GatheredFiles } from './dropped-files.ts';

/** A recording of a trend with its file, which is read again when it is compared. */
export interface TrendFile extends Recording {
  readonly read: Blob;
}

type OneFile = Pick<GatheredFiles['files'][number], 'path' | 'file'>;

export async function readExecutions({ path, file }: OneFile) {
  return decodeDatabase(new Uint8Array(await file.arrayBuffer()), path);
}

/** Adds recordings to those of a trend, each once; returns the first fault of unreadable files. */
export async function withRecordings(
  trend: readonly TrendFile[],
  files: readonly OneFile[],
): Promise<{ readonly trend: readonly TrendFile[]; readonly fault: Fault | undefined }> {
  const all = new Map(trend.map((recording) => [recording.trace, recording]));
  let fault: Fault | undefined;
  for (const { path, file } of files) {
    const read = await readExecutions({ path, file });
    if (read.ok) all.set(read.value.trace, { ...recordingOf(path, read.value), read: file });
    else fault ??= read.fault;
  }
  return { trend: [...all.values()], fault };
}
