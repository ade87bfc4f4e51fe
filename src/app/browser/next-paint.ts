/**
 * Resolves when the page has painted what was changed before the call. The browser calls back before it paints; a task
 * that is put behind that runs afterwards. On a page in the background it resolves when that comes to the front.
 */
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
