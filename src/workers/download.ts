/** Saves as much of the file at an address as comes. The request is made elsewhere (`download-frame.ts`). */
import type { Fault } from '../engine/base/fault.ts';
import { nameOfAddress, readAddress } from '../engine/io/web-address.ts';
import type { TempFile } from '../engine/io/temp-file.ts';
import type { Download, Downloaded } from '../engine/open/environment.ts';
import type { Server } from './fetched-server.ts';

/** Finds the server of an address; rejects for one that the user did not confirm, or where no server can be asked. */
export type FindServer = (address: string) => Promise<Server>;

export function downloadBy(find: FindServer): Download {
  return async (address, saving) => {
    const url = readAddress(address);
    if (url === undefined) return failed(address, 'no http or https address');
    let server: Server;
    try {
      server = await find(address);
    } catch (error) {
      return failed(address, messageOf(error));
    }
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= server.end());
    saving.signal.addEventListener('abort', end);
    try {
      if (saving.signal.aborted) return cancelled(address);
      return await saveFile(address, url, server, saving);
    } finally {
      saving.signal.removeEventListener('abort', end);
      // Ends the connection, which would stay open. The end is not awaited if the user stopped.
      const ending = end();
      if (!saving.signal.aborted) await ending;
    }
  };
}

type Saving = Parameters<Download>[1];

async function saveFile(address: string, url: URL, server: Server, saving: Saving): Promise<Downloaded> {
  const stopped = stopOf(saving.signal);
  let answer: Awaited<ReturnType<Server['ask']>>;
  try {
    answer = await Promise.race([server.ask(), stopped]);
  } catch (error) {
    if (saving.signal.aborted) return cancelled(address);
    // The browser does not say which of these happened.
    const reasons =
      'The server does not answer, does not let other pages read the file, or leads to another address';
    return failed(address, `${reasons} (${messageOf(error)})`);
  }
  if (!answer.isFine) return failed(address, `HTTP ${answer.status}`);
  const refused = await refusalOf(answer.totalBytes);
  if (refused !== undefined) return { faults: [{ ...refused, place: { file: address } }] };
  const tempFile = await saving.tempFiles.begin();
  if (!tempFile.ok) return { faults: [tempFile.fault] };
  const fault = await save(server, tempFile.value, answer.totalBytes, saving, stopped);
  const file = await tempFile.value.finish(nameOfAddress(url));
  const faults: Fault[] = fault === undefined ? [] : [{ ...fault, place: { file: address } }];
  if (!file.ok) return { faults: [...faults, file.fault] };
  // The part of a file that is too large is of no use.
  return fault?.code === 'over-limit' ? { faults } : { file: file.value, faults };
}

/** Rejects when the user stops: a server that was ended, or whose frame has gone, answers nothing any more. */
function stopOf(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  // Not an error if nothing waits for it.
  stopped.catch(() => undefined);
  return stopped;
}

/** Largest file that is fetched, bytes. */
const MOST_BYTES = 2 ** 36;
/** Bytes that a server may send beyond the announced size, or without announcing one. */
const MOST_UNTOLD_BYTES = 2 ** 31;

/** Fault if a file of the announced size is not fetched, before any of it comes. */
async function refusalOf(
  totalBytes: number,
): Promise<Pick<Fault, 'code' | 'expected' | 'found'> | undefined> {
  const found = `a file of ${totalBytes} bytes`;
  if (totalBytes > MOST_BYTES)
    return { code: 'over-limit', expected: `a file of at most ${MOST_BYTES} bytes`, found };
  // Only browsers have such limits.
  const { usage = 0, quota = Infinity } = (await globalThis.navigator?.storage?.estimate()) ?? {};
  const room = Math.max(0, quota - usage);
  return totalBytes > room ? { code: 'spill-full', expected: `at most ${room} bytes`, found } : undefined;
}

/** @returns why not all was saved; what came stays. undefined: all was */
async function save(
  server: Server,
  tempFile: TempFile,
  totalBytes: number,
  { signal, onProgress }: Saving,
  stopped: Promise<never>,
): Promise<Fault | undefined> {
  const most = Math.max(totalBytes, MOST_UNTOLD_BYTES);
  try {
    for (;;) {
      const bytes = await Promise.race([server.read(), stopped]);
      if (bytes === undefined) return undefined;
      if (tempFile.size + bytes.length > most) {
        const found = 'a body without end';
        return { code: 'over-limit', place: {}, expected: `a file of at most ${most} bytes`, found };
      }
      const written = await tempFile.write(bytes);
      if (!written.ok) return written.fault;
      signal.throwIfAborted();
      onProgress(tempFile.size, Math.max(tempFile.size, totalBytes));
    }
  } catch (error) {
    const code = signal.aborted ? 'cancelled' : 'address-unreadable';
    return { code, place: {}, found: messageOf(error), readSoFar: `${tempFile.size} bytes` };
  }
}

function cancelled(file: string): Downloaded {
  return { faults: [{ code: 'cancelled', place: { file } }] };
}

function failed(file: string, found: string): Downloaded {
  return { faults: [{ code: 'address-unreadable', place: { file }, found }] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
