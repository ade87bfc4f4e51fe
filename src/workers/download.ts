/**
 * The one place that asks another server for something: the address that the user confirmed. Nothing of the page or
 * its traces goes with the request: no cookies, no referrer. Where the server leads to another address the request
 * ends, since only the host that was shown was confirmed.
 */
import type { Fault } from '../engine/base/fault.ts';
import { nameOfAddress, readAddress } from '../engine/io/web-address.ts';
import type { Spill } from '../engine/io/spill.ts';
import type { Download, Downloaded } from '../engine/session/environment.ts';

export const download: Download = async (address, { spills, signal, onProgress }) => {
  const url = readAddress(address);
  if (url === undefined) return failed(address, 'no http or https address');
  let response: Response;
  try {
    response = await fetch(url, {
      signal,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal.aborted) return { faults: [{ code: 'cancelled', place: { file: address } }] };
    // The browser does not tell pages which it was.
    const reasons =
      'The server does not answer, does not let other pages read the file, or leads to another address';
    return failed(address, `${reasons} (${messageOf(error)})`);
  }
  const { body } = response;
  if (!response.ok || body === null) {
    await giveUp(body);
    return failed(address, `HTTP ${response.status}`);
  }
  const spill = await spills.begin();
  if (!spill.ok) {
    await giveUp(body);
    return { faults: [spill.fault] };
  }
  const totalBytes = Number(response.headers.get('content-length') ?? 0);
  const fault = await save(body, spill.value, (bytes) => onProgress(bytes, Math.max(bytes, totalBytes)));
  const file = await spill.value.finish(nameOfAddress(url));
  const faults: Fault[] = fault === undefined ? [] : [{ ...fault, place: { file: address } }];
  return file.ok ? { file: file.value, faults } : { faults: [...faults, file.fault] };
};

/** Ends what the server sends: nobody reads it, and the connection would stay open. */
async function giveUp(body: ReadableStream<Uint8Array> | null): Promise<void> {
  // One that broke off has ended already.
  await body?.cancel().catch(() => undefined);
}

/** Why not all was saved; what came stays. */
async function save(
  body: ReadableStream<Uint8Array>,
  spill: Spill,
  onProgress: (bytes: number) => void,
): Promise<Fault | undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      const written = await spill.write(value);
      if (!written.ok) {
        await reader.cancel();
        return written.fault;
      }
      onProgress(spill.size);
    }
  } catch (error) {
    const isCancelled = error instanceof DOMException && error.name === 'AbortError';
    const readSoFar = `${spill.size} bytes`;
    return {
      code: isCancelled ? 'cancelled' : 'address-unreadable',
      place: {},
      found: messageOf(error),
      readSoFar,
    };
  }
}

function failed(file: string, found: string): Downloaded {
  return { faults: [{ code: 'address-unreadable', place: { file }, found }] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
