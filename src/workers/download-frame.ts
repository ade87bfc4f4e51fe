/** Entry of the frame that asks another server, as the page's policy lets no other (docs/security.md). */
import { expose } from 'comlink';
import { readAddress } from '../engine/io/web-address.ts';
import { FetchedServer, type Server } from './fetched-server.ts';

/** The object that the page finds at the frame's window once that is loaded. */
export interface DownloadFrame {
  /** Serves a confirmed address over a port; the frame removes itself when that has ended. */
  serve(address: string, port: MessagePort): void;
}

const downloadFrame: DownloadFrame = {
  serve(address, port) {
    const url = readAddress(address);
    if (url === undefined) return;
    allowOnly(url);
    const server = new FetchedServer(url);
    const ended: Server = {
      ask: () => server.ask(),
      read: () => server.read(),
      end: async () => {
        await server.end();
        // After the answer, which a frame that is gone could not send.
        setTimeout(() => window.frameElement?.remove());
      },
    };
    expose(ended, port);
  },
};
Object.assign(window, { downloadFrame });

/** Forbids requests to any other server from now on. */
function allowOnly({ origin, hostname }: URL): void {
  // Policies cannot name an address of IP version 6.
  if (hostname.startsWith('[')) return;
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `connect-src ${origin}`;
  document.head.append(policy);
}
