/**
 * A worker's script, kept in memory: a page that is open goes on reading when its server is gone, or has another version
 * by now.
 */
export class OwnScript {
  readonly #url: string;
  /** Of a blob. */
  #kept: string | undefined;
  #isLost = false;

  /** @param url of this page's own server */
  constructor(url: string) {
    this.#url = url;
  }

  /** From which a worker can be started. */
  get url(): string {
    return (this.#isLost ? this.#kept : undefined) ?? this.#url;
  }

  /** A worker could not be started: from now on the script that is kept is taken, if there is one. */
  lost(): void {
    this.#isLost = true;
  }

  /** Keeps the script; where it is not to be had nothing is lost. */
  async keep(): Promise<void> {
    try {
      const response = await fetch(this.#url, { cache: 'force-cache' });
      // Some servers answer with a page where there is no file.
      const isScript = /javascript/.test(response.headers.get('content-type') ?? '');
      if (!response.ok || !isScript) return;
      const bytes = await response.arrayBuffer();
      this.#kept = URL.createObjectURL(new Blob([bytes], { type: 'text/javascript' }));
    } catch {
      // The server is gone already.
    }
  }
}
