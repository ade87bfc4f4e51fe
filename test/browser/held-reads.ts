/**
 * Reading of a trace that goes on as far as a test says, however fast the machine: the decode workers ask the test
 * before they read a chunk.
 */
import type { BrowserContext, Page } from 'playwright';
import { expect } from 'vitest';
import { changeWorkers } from './changed-workers.ts';

/** A read of a chunk that a worker asks for. */
interface Asked {
  readonly id: string;
  /** Bytes of the file, and the one at which the chunk begins. */
  readonly size: number;
  readonly offset: number;
}

declare global {
  interface Window {
    heldReads?: {
      readonly asked: Asked[];
      grant(read: Asked): void;
      grantAll(): void;
      /** Texts on canvases, in order. */
      readonly painted: string[];
    };
  }
}

/** ms: the page is told of progress so often at most, and of each chunk if they come farther apart. */
const APART_MS = 500;

/** Has the workers of pages to come ask. */
export async function holdReads(context: BrowserContext): Promise<void> {
  await changeWorkers(context, { decode: askBeforeReading });
  await context.addInitScript(listenForReads);
}

/**
 * Lets the first chunks of files be read one after the other, each shown by the page.
 * @param sizes of the files, in bytes, in the order in which their chunks are planned: few are asked for at a time
 */
export async function readFirstChunks(page: Page, sizes: readonly number[]): Promise<void> {
  const facts = page.locator('.progress-facts');
  let shown = '';
  for (const size of sizes) {
    await page.waitForTimeout(APART_MS);
    await page.waitForFunction((wanted) => {
      const reads = window.heldReads;
      const at = reads?.asked.findIndex((read) => read.size === wanted && read.offset === 0) ?? -1;
      if (reads === undefined || at < 0) return false;
      reads.grant(reads.asked.splice(at, 1)[0]);
      return true;
    }, size);
    await expect.poll(() => facts.innerText(), { timeout: 60_000 }).not.toBe(shown);
    shown = await facts.innerText();
  }
}

/** Nothing is held any more. */
export async function letRead(page: Page): Promise<void> {
  await page.evaluate(() => window.heldReads?.grantAll());
}

/** In a decode worker. Each chunk is read into memory from its begin; a reader of a slice reads one after the other. */
function askBeforeReading(): void {
  const channel = new BroadcastChannel('held-reads');
  const waiting = new Map<string, () => void>();
  channel.onmessage = ({ data }: MessageEvent<string>) => {
    waiting.get(data)?.();
    waiting.delete(data);
  };
  const ask = (place: object) =>
    new Promise<void>((go) => {
      const id = crypto.randomUUID();
      waiting.set(id, go);
      channel.postMessage({ id, ...place });
    });
  const places = new WeakMap<Blob, { readonly size: number; readonly offset: number }>();
  const { slice, stream } = Blob.prototype;
  Blob.prototype.slice = function (this: Blob, offset = 0, ...rest) {
    const part = slice.call(this, offset, ...rest);
    places.set(part, { size: this.size, offset });
    return part;
  };
  Blob.prototype.stream = function (this: Blob) {
    const bytes = stream.call(this);
    const place = places.get(this);
    if (place === undefined) return bytes;
    const reader = bytes.getReader({ mode: 'byob' });
    let at = place.offset;
    let asked: Promise<void> | undefined;
    const read = async (room: Uint8Array<ArrayBuffer>) => {
      if (room.byteOffset === 0) asked = ask({ size: place.size, offset: at });
      await asked;
      const part = await reader.read(room);
      at += part.value?.length ?? 0;
      return part;
    };
    return { getReader: () => ({ read, cancel: () => reader.cancel() }) } as unknown as typeof bytes;
  };
}

/** In the page. */
function listenForReads(): void {
  const channel = new BroadcastChannel('held-reads');
  const asked: Asked[] = [];
  const grant = ({ id }: Asked) => channel.postMessage(id);
  let onRead = (read: Asked): unknown => asked.push(read);
  channel.onmessage = ({ data }: MessageEvent<Asked>) => onRead(data);
  const painted: string[] = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (this: CanvasRenderingContext2D, text, ...rest) {
    painted.push(text);
    return fillText.call(this, text, ...rest);
  };
  window.heldReads = {
    asked,
    painted,
    grant,
    grantAll: () => {
      onRead = grant;
      asked.splice(0).forEach(grant);
    },
  };
}

/** What the page wrote on canvases, in order. Runs in the page. */
export function paintedTexts(): readonly string[] {
  return window.heldReads?.painted ?? [];
}
