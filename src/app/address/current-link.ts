/** Requests in the page's address: a link, an address to be fetched, a lesson, a measurement of this computer. */
import { readAddressOf, readLessonOf, readLink, type Link } from './link.ts';

/** The link in the page's address. */
export function currentLink(): Link | undefined {
  return readLink(window.location.hash);
}

/** Address that a link asks to be fetched, when it is for no trace that was opened before. */
export function currentAddress(): string | undefined {
  return readAddressOf(window.location.hash);
}

/** The name of the lesson that the page's address asks for. */
export function currentLesson(): string | undefined {
  return readLessonOf(window.location.hash);
}

/** Whether the page's address asks to measure this computer. */
export function asksForBench(): boolean {
  return window.location.hash === '#bench';
}

/** Back at the start page: its address is that of the page alone. */
export function clearAddress(): void {
  if (window.location.hash !== '')
    history.pushState(null, '', window.location.pathname + window.location.search);
}
