/** Measures how long a trace takes to be read on this computer, by so many workers. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionEnvironment } from '../engine/open/environment.ts';
import { Session } from '../engine/open/session.ts';
import { throwawayEnvironment } from './throwaway-session.ts';

/**
 * Measures the time from the files to the last row and statistic, without pictures and storage, in ms; undefined: the
 * files hold no trace, or it could not be read.
 */
export async function readingTime(
  environment: SessionEnvironment,
  files: readonly SourceRef[],
  workers: number,
): Promise<number | undefined> {
  const session = new Session({ ...throwawayEnvironment(environment), layers: {}, makesPictures: false });
  try {
    let end: (isWhole: boolean) => void;
    const ended = new Promise<boolean>((resolve) => (end = resolve));
    const begin = performance.now();
    const opened = await session.open(files, { workers }, ({ progress: { phase } }) => {
      if (phase === 'done' || phase === 'cancelled' || phase === 'failed') end(phase === 'done');
    });
    return opened.ok && (await ended) ? performance.now() - begin : undefined;
  } finally {
    await session.close();
  }
}
