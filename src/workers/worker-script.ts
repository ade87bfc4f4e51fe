/**
 * A worker's script of this page's own server, and the workers that run it. They start from a blob that imports the
 * script: a worker from a blob has the content security policy of who starts it. One that starts from a file has only
 * what the file's own headers say, which a static host does not set (docs/security.md).
 */
export class WorkerScript {
  readonly #address: string;
  readonly #importing: string;
  readonly #type: WorkerType;
  /** Address of a blob with all of the script; undefined: it is not kept. */
  #kept: string | undefined;
  #isLost = false;

  /** @param address of this page's own server, as a build names it */
  constructor(address: string) {
    this.#address = new URL(address, import.meta.url).href;
    const isBlob = this.#address.startsWith('blob:');
    // A page from a disk has its scripts as blobs, which it can neither import nor run as modules.
    this.#type = isBlob ? 'classic' : 'module';
    this.#importing = isBlob
      ? this.#address
      : scriptUrl(BEGIN.replace('ADDRESS', () => JSON.stringify(this.#address)));
  }

  start(): Worker {
    return new Worker((this.#isLost ? this.#kept : undefined) ?? this.#importing, { type: this.#type });
  }

  /** Called when a worker could not be started: from now on the kept script is used, if there is one. */
  lost(): void {
    this.#isLost = true;
  }

  /** Keeps the script, if it can be fetched, so that a page goes on when its server is gone or has another version. */
  async keep(): Promise<void> {
    try {
      const response = await fetch(this.#address, { cache: 'force-cache' });
      // Some servers answer with a page where there is no file.
      const isScript = /javascript/.test(response.headers.get('content-type') ?? '');
      if (response.ok && isScript) this.#kept = scriptUrl(await response.arrayBuffer());
    } catch {
      // The server is gone already.
    }
  }
}

/**
 * The code that a worker begins with. A static import would count as a worker of that address, which the policy refuses.
 * While import() loads, messages are kept; afterwards each is dispatched in its own task, as it would have been, so that
 * one can be answered before the next.
 */
const BEGIN = `const early = [];
const keep = (event) => {
  if (!event.isTrusted) return;
  early.push(event);
  event.stopImmediatePropagation();
};
const pass = () => {
  const event = early.shift();
  if (event === undefined) return removeEventListener('message', keep);
  setTimeout(pass);
  dispatchEvent(new MessageEvent('message', event));
};
addEventListener('message', keep);
import(ADDRESS).then(pass, (error) => setTimeout(() => { throw error; }));`;

function scriptUrl(content: BlobPart): string {
  return URL.createObjectURL(new Blob([content], { type: 'text/javascript' }));
}
