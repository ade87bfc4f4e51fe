/** Code that is loaded when it is first needed. */
const loads: (() => Promise<unknown>)[] = [];

/** Declares a part that is loaded later. Each call of what is returned rejects while the server does not send it. */
export function laterCode<Part>(load: () => Promise<Part>): () => Promise<Part> {
  loads.push(load);
  return load;
}

/** Loads all parts, one after the other, so that nothing waits for them, nor for a server that has gone. */
export async function loadLaterCode(): Promise<void> {
  // What does not come now is asked for again.
  for (const load of loads) await load().catch(() => undefined);
}
