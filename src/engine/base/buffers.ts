/** The buffers behind the columns of a message: what can be handed over instead of copied, and given back when used up. */

/**
 * Buffers of all typed arrays in plain objects, arrays and maps. Left out: empty ones, which are often shared
 * constants, and those that an array sees only a part of, which somebody else may own.
 */
export function buffersOf(message: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  collect(message, buffers);
  return [...buffers];
}

function collect(value: unknown, buffers: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value;
    if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength)
      buffers.add(buffer);
  } else if (value instanceof Map) {
    for (const item of value.values()) collect(item, buffers);
  } else {
    for (const item of Object.values(value)) collect(item, buffers);
  }
}

/**
 * A port whose other end is closed: what is handed to it belongs to nobody. Closed from the first: what is handed over
 * before the end of a task in which that happens stays until then.
 */
const nowhere = closedPort();

function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

/**
 * Gives the memory of a message's columns back at once; nobody may read them any more. A garbage collector does so when
 * it next looks, and what it sees are a few small objects: while a long trace is read, gigabytes would wait for it.
 * `ArrayBuffer.prototype.transfer` would not do: what came in a message or from a file is held by the browser's own
 * objects too (the event, in Chromium), which only a collection ends; handing it over takes it from these.
 */
export function freeBuffers(message: object): void {
  const buffers = buffersOf(message);
  // A message costs as much as copying 100 KiB.
  if (buffers.length === 0) return;
  nowhere.postMessage(undefined, buffers);
}

/**
 * V8 compiles loops over typed arrays as if no buffer was ever given away, and throws all of that code away when one is
 * for the first time. So a thread that will give buffers away does so once before anything is compiled.
 */
export function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
