/**
 * Contents of a link to the page, in the fragment of its address, which no server sees: the trace's fingerprint and
 * name, the visible range, what is selected, the tab, and what features and panels add.
 */
import type { DisplayNs } from '../../engine/base/units.ts';
import { readTime, setTime } from '../format/time-entry.ts';
import type { TimeRange } from '../timeline/timeline.tsx';

/** Parts that any link may have. */
export interface LinkedView {
  /** Fingerprint of the experiment. */
  readonly trace: string;
  readonly name: string;
  /** Address that the trace was fetched from: a reader without the trace is offered to fetch it there. */
  readonly url?: string;
  readonly view?: TimeRange;
  readonly range?: TimeRange;
  /** Selected row, and a time in the selected interval of it. */
  readonly row?: string;
  readonly at?: DisplayNs;
  /** Selected is the system call at that time. */
  readonly isCall?: boolean;
  /** Id of a feature; a link that was written by hand may have another text. */
  readonly tab?: string;
  readonly lesson?: string;
}

export interface Link extends LinkedView {
  /** All parameters, those of features and panels among them. */
  readonly parts: URLSearchParams;
}

/** @param addParts adds the parameters of features and panels */
export function writeLink(link: LinkedView, addParts?: (parts: URLSearchParams) => void): string {
  const parts = new URLSearchParams({ trace: link.trace, name: link.name });
  if (link.url !== undefined) parts.set('url', link.url);
  if (link.view !== undefined) parts.set('view', rangeText(link.view));
  if (link.range !== undefined) parts.set('range', rangeText(link.range));
  if (link.row !== undefined) parts.set('row', link.row);
  setTime(parts, 'at', link.at);
  if (link.isCall) parts.set('call', '1');
  addParts?.(parts);
  if (link.tab !== undefined) parts.set('tab', link.tab);
  if (link.lesson !== undefined) parts.set('lesson', link.lesson);
  return `#${parts.toString()}`;
}

/** Reads a link; undefined when the fragment names no trace. Invalid parts are left out. */
export function readLink(fragment: string): Link | undefined {
  const parts = partsOf(fragment);
  const trace = parts.get('trace');
  if (trace === null || trace === '') return undefined;
  return {
    trace,
    name: parts.get('name') ?? '',
    url: parts.get('url') ?? undefined,
    view: readRange(parts.get('view')),
    range: readRange(parts.get('range')),
    row: parts.get('row') ?? undefined,
    at: readTime(parts.get('at')),
    isCall: parts.get('call') === '1' || undefined,
    tab: parts.get('tab') ?? undefined,
    lesson: parts.get('lesson') ?? undefined,
    parts,
  };
}

/** `#url=…`, with or without a trace. @internal */
export function readAddressOf(fragment: string): string | undefined {
  return partsOf(fragment).get('url') ?? undefined;
}

export function partsOf(fragment: string): URLSearchParams {
  return new URLSearchParams(fragment.replace(/^#/, ''));
}

function rangeText({ from, to }: TimeRange): string {
  return `${Math.round(from)}~${Math.round(to)}`;
}

function readRange(text: string | null): TimeRange | undefined {
  const [from, to] = (text ?? '').split('~').map(readTime);
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined;
}

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
  return partsOf(window.location.hash).get('lesson') ?? undefined;
}

/** Whether the page's address asks to measure this computer. */
export function asksForBench(): boolean {
  return window.location.hash === '#bench';
}

/** Removes the link from the address, for the start page. */
export function clearAddress(): void {
  if (window.location.hash !== '')
    history.pushState(null, '', window.location.pathname + window.location.search);
}
