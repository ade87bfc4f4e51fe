/** Code that is loaded on first use. */
const loads: (() => Promise<unknown>)[] = [];

const MISSING_CODE = 'MissingCodeError';

/** Whether an error, possibly from another thread, says that code could not be loaded. */
export function isMissingCode(error: unknown): boolean {
  return error instanceof Error && error.name === MISSING_CODE;
}

/**
 * Loads code. Rejects with an error that `isMissingCode` recognises if the server does not send it. Chromium asks the
 * server again at the next call; Firefox remembers the failure until the page is reloaded.
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

/** Declares a module that is loaded by `loadCode` at each call of the returned function. */
export function laterCode<Part>(load: () => Promise<Part>): () => Promise<Part> {
  loads.push(load);
  return () => loadCode(load);
}

/** Loads all declared modules one after the other, so that later use does not wait, nor depend on the server. */
export async function loadLaterCode(): Promise<void> {
  // What fails now is asked for again on use.
  for (const load of loads) await load().catch(() => undefined);
}
