/** Importing a recording of perf or trace-cmd into temporary files, in this thread, on one core. */
import { statSync } from 'node:fs';
import { unpackFiles } from '../src/engine/importers/unpack-files.ts';
import { nodeTempFiles } from '../src/engine/io/node-temp-files.ts';
import { openNodeSource } from '../src/engine/io/node-source.ts';
import { median } from './measure.mjs';
import { processMs } from './thread-time.ts';

/** Processor time of the process, and its peak memory above what it had before. */
export async function importBench(path: string, rounds: number): Promise<Record<string, number>> {
  const { size } = statSync(path);
  const before = process.resourceUsage().maxRSS;
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const begin = processMs();
    await unpackFiles([{ kind: 'path', path, size, absolute: path }], {
      open: openNodeSource,
      tempFiles: nodeTempFiles(),
    });
    times.push(processMs() - begin);
  }
  const ms = median(times);
  const peakBytes = 1024 * (process.resourceUsage().maxRSS - before);
  return { 'import.ms': ms, 'import.mbPerS': size / 1000 / ms, 'import.peakBytes': peakBytes };
}
