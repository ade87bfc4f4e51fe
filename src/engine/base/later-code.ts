/** Code that is loaded when it is first needed. */
const loads: (() => Promise<unknown>)[] = [];

const MISSING_CODE = 'MissingCodeError';

/** Tells whether an error, perhaps one of another thread, is that code could not be loaded. */
export function isMissingCode(error: unknown): boolean {
  return error instanceof Error && error.name === MISSING_CODE;
}

/**
 * Loads code. Rejects with an error that `isMissingCode` knows while the server does not send it. Chromium asks the
 * server again at the next call; Firefox remembers that it failed until the page is loaded again.
 */
export async function loadCode<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    const error = new Error('a part of this program could not be loaded', { cause });
    error.name = MISSING_CODE;
    throw error;
  }
}

/** Declares a part that is loaded later, by `loadCode`, at each call of what is returned. */
export function laterCode<Part>(load: () => Promise<Part>): () => Promise<Part> {
  loads.push(load);
  return () => loadCode(load);
}

/** Loads all parts, one after the other, so that nothing waits for them, nor for a server that has gone. */
export async function loadLaterCode(): Promise<void> {
  // What does not come now is asked for again.
  for (const load of loads) await load().catch(() => undefined);
}
