/**
 * The one place that asks another server for something: the address that the user confirmed. Nothing of the page or
 * its traces goes with the request: no cookies, no referrer. Where the server leads to another address the request
 * ends, since only the host that was shown was confirmed.
 */
import { transfer } from 'comlink';

/** Head of a server's answer. */
export interface ServerAnswer {
  readonly status: number;
  /** A file follows. */
  readonly isFine: boolean;
  /** Size of the file, bytes; 0: the server does not say. */
  readonly totalBytes: number;
}

/** A server that is asked for one file. */
export interface Server {
  /** Rejects where there is no answer that may be read. */
  ask(): Promise<ServerAnswer>;
  /** Resolves to the next bytes; undefined: that was all. Rejects where the server broke off. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the request, or what is left of it. Nothing may be called after it. */
  end(): Promise<void>;
}

export class FetchedServer implements Server {
  readonly #ending = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(private readonly url: URL) {}

  async ask(): Promise<ServerAnswer> {
    const { ok, status, headers, body } = await fetch(this.url, {
      signal: this.#ending.signal,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      cache: 'no-store',
    });
    this.#reader = body?.getReader();
    const totalBytes = Number(headers.get('content-length') ?? 0);
    return { status, isFine: ok && body !== null, totalBytes };
  }

  async read(): Promise<Uint8Array | undefined> {
    const { value } = (await this.#reader?.read()) ?? {};
    return value && transfer(value, [value.buffer]);
  }

  async end(): Promise<void> {
    this.#ending.abort();
    // One that broke off has ended already.
    await this.#reader?.cancel().catch(() => undefined);
  }
}
