/** Gets the files of traces from the user's input: fetches an address, unpacks archives. */
import type { Unpacked } from '../archive/types.ts';
import { unpackFiles } from '../importers/unpack-files.ts';
import type { Given, UpdateListener, Progress } from '../protocol/session.ts';
import type { SessionEnvironment } from './environment.ts';

/** Files stay as they are; an address gives what was received, with the fault if that is incomplete. */
export async function fetchGiven(
  given: Given,
  { download, tempFiles }: SessionEnvironment,
  signal: AbortSignal,
  onUpdate: UpdateListener,
): Promise<Unpacked> {
  if (typeof given !== 'string') return { files: given, faults: [] };
  if (download === undefined)
    return { files: [], faults: [{ code: 'address-unreadable', place: { file: given } }] };
  const onProgress = gatheringProgress('fetching', onUpdate);
  // A server may take long to answer.
  onProgress(0, 0);
  const { file, faults } = await download(given, { tempFiles, signal, onProgress });
  return { files: file === undefined ? [] : [file], faults };
}

/** The files of traces, including those in archives, with faults of the archives. */
export async function unpackFetched(
  fetched: Unpacked,
  { openSource, tempFiles }: SessionEnvironment,
  signal: AbortSignal,
  onUpdate: UpdateListener,
): Promise<Unpacked> {
  const onProgress = gatheringProgress('unpacking', onUpdate);
  const options = { open: openSource, tempFiles, signal, onProgress };
  const { files, faults } = await unpackFiles(fetched.files, options);
  return { files, faults: [...fetched.faults, ...faults] };
}

/** ms between two reports of progress. */
const PROGRESS_MS = 200;

function gatheringProgress(
  phase: Progress['phase'],
  onUpdate: UpdateListener,
): (bytes: number, totalBytes: number) => void {
  const begin = performance.now();
  let reportedMs = -Infinity;
  return (bytes, totalBytes) => {
    const now = performance.now();
    if (now - reportedMs < PROGRESS_MS) return;
    // Reports are delayed only after something was received.
    if (bytes > 0) reportedMs = now;
    const seconds = (now - begin) / 1000;
    onUpdate({ progress: { phase, bytes, totalBytes, events: 0, seconds, watermarkNs: 0 } });
  };
}
