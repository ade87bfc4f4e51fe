/** Saves the file at an address, as far as it comes. The request is made elsewhere (`download-frame.ts`). */
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
      // Nobody reads what else it sends, and the connection would stay open.
      await end();
    }
  };
}

type Saving = Parameters<Download>[1];

async function saveFile(address: string, url: URL, server: Server, saving: Saving): Promise<Downloaded> {
  let answer: Awaited<ReturnType<Server['ask']>>;
  try {
    answer = await server.ask();
  } catch (error) {
    if (saving.signal.aborted) return cancelled(address);
    // The browser does not say which it was.
    const reasons =
      'The server does not answer, does not let other pages read the file, or leads to another address';
    return failed(address, `${reasons} (${messageOf(error)})`);
  }
  if (!answer.isFine) return failed(address, `HTTP ${answer.status}`);
  const tempFile = await saving.tempFiles.begin();
  if (!tempFile.ok) return { faults: [tempFile.fault] };
  const fault = await save(server, tempFile.value, answer.totalBytes, saving);
  const file = await tempFile.value.finish(nameOfAddress(url));
  const faults: Fault[] = fault === undefined ? [] : [{ ...fault, place: { file: address } }];
  return file.ok ? { file: file.value, faults } : { faults: [...faults, file.fault] };
}

/** @returns why not all was saved; what came stays. undefined: all was */
async function save(
  server: Server,
  tempFile: TempFile,
  totalBytes: number,
  { signal, onProgress }: Saving,
): Promise<Fault | undefined> {
  try {
    for (;;) {
      const bytes = await server.read();
      if (bytes === undefined) return undefined;
      const written = await tempFile.write(bytes);
      if (!written.ok) return written.fault;
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
