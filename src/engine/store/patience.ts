/** A limit for what a browser may never answer. */

/** ms between two looks. */
const LOOK_MS = 1000;

/**
 * Waits for a promise, for so many seconds at most. Looks are counted, not hours: time in which this thread stood still, as
 * in a suspended page, does not count.
 * @throws Error in words when the time is over, or for what the promise rejects
 */
export function within<T>(promise: Promise<T>, seconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let looks = 0;
    const timer = setInterval(() => {
      if (++looks * LOOK_MS < seconds * 1000) return;
      clearInterval(timer);
      reject(new SilenceError(seconds));
    }, LOOK_MS);
    promise.then(resolve, reject).finally(() => clearInterval(timer));
  });
}

export class SilenceError extends Error {
  constructor(seconds: number) {
    super(`the storage of the browser did not answer for ${seconds} s: another visit may still hold it`);
  }

  override toString(): string {
    return this.message;
  }
}
