/** Addresses that the user confirmed, and the frames that ask for them (`workers/download-frame.ts`). */
import { transfer } from 'comlink';
import type { DownloadFrame } from '../../workers/download-frame.ts';
import { hiddenFrame } from '../browser/hidden-frame.ts';

export class ConfirmedServers {
  readonly #addresses = new Set<string>();

  /** Allows one request to an address that the user has seen and confirmed. */
  confirm({ href }: URL): void {
    this.#addresses.add(href);
  }

  /**
   * Gives the session's worker a port to a `Server`, which asks for the file at an address.
   * @throws for an address that was not confirmed, and where the frame cannot be loaded
   */
  async ask(address: string): Promise<MessagePort> {
    if (!this.#addresses.delete(address)) throw new Error('the address was not confirmed');
    const frame = await hiddenFrame('download.html', 'A file from another server');
    const inside = insideOf(frame);
    if (inside === undefined) {
      frame.remove();
      throw new Error('the part of this program that asks other servers could not be loaded');
    }
    const { port1, port2 } = new MessageChannel();
    inside.serve(address, port1);
    return transfer(port2, [port2]);
  }
}

/** The object in the frame; undefined: another document was loaded, for example because the server is gone. */
function insideOf({ contentWindow }: HTMLIFrameElement): DownloadFrame | undefined {
  try {
    return (contentWindow as Partial<{ readonly downloadFrame: DownloadFrame }> | null)?.downloadFrame;
  } catch {
    return undefined; // of another origin
  }
}
