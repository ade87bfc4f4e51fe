/** Entry of the frame that registers the service worker, which the page's policy refuses (docs/security.md). */

/** The object that the page finds at the frame's window once that is loaded. */
export interface OfflineFrame {
  /** Registers the service worker, and asks the server for a newer one. Rejects where the browser takes none, or the server is gone. */
  register(): Promise<void>;
}

const offlineFrame: OfflineFrame = {
  async register() {
    const registration = await navigator.serviceWorker.register('service-worker.js');
    await registration.update();
  },
};
Object.assign(window, { offlineFrame });
