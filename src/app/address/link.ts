/**
 * What a link to the page says, in the fragment of its address, which no server sees: the trace's fingerprint and
 * name, the visible range, what is selected, the path that is shown, what the user knows of virtual machines, the tab.
 * Times are display ns.
 */
import type { GuestChoice } from '../../engine/graph/guests.ts';
import { isDrawerTab, type DrawerTab } from '../context/drawer-state.ts';
import type { LinkedPath } from '../path/path-target.ts';
import { DEFAULT_CRITERION, isCriterion } from '../path/path-words.ts';

export interface Link {
  /** Fingerprint of the experiment. */
  readonly trace: string;
  readonly name: string;
  /** Where it was fetched from: who does not have it is asked whether to fetch it there too. */
  readonly url?: string;
  readonly view?: LinkRange;
  /** Selected range. */
  readonly range?: LinkRange;
  /** Selected row, and a time in the selected interval of it. */
  readonly row?: string;
  readonly at?: number;
  /** Selected is the system call at that time. */
  readonly isCall?: boolean;
  readonly path?: LinkedPath;
  /** What the user knows of virtual machines among the hosts; default: nothing. */
  readonly guests?: readonly GuestChoice[];
  readonly tab?: DrawerTab;
}

export interface LinkRange {
  readonly from: number;
  readonly to: number;
}

export function writeLink(link: Link): string {
  const parts = new URLSearchParams({ trace: link.trace, name: link.name });
  if (link.url !== undefined) parts.set('url', link.url);
  if (link.view !== undefined) parts.set('view', rangeText(link.view));
  if (link.range !== undefined) parts.set('range', rangeText(link.range));
  if (link.row !== undefined) parts.set('row', link.row);
  if (link.at !== undefined) parts.set('at', String(Math.round(link.at)));
  if (link.isCall) parts.set('call', '1');
  if (link.path !== undefined) writePath(parts, link.path);
  for (const { guest, machine } of link.guests ?? [])
    parts.append('guest', [guest, ...(machine ? [machine.host, machine.pid] : [])].join('~'));
  if (link.tab !== undefined) parts.set('tab', link.tab);
  return `#${parts.toString()}`;
}

/** Undefined when the fragment names no trace. Parts that make no sense are left out. */
export function readLink(fragment: string): Link | undefined {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const trace = parts.get('trace');
  if (trace === null || trace === '') return undefined;
  const tab = parts.get('tab');
  return {
    trace,
    name: parts.get('name') ?? '',
    url: parts.get('url') ?? undefined,
    view: readRange(parts.get('view')),
    range: readRange(parts.get('range')),
    row: parts.get('row') ?? undefined,
    at: readTime(parts.get('at')),
    isCall: parts.get('call') === '1' || undefined,
    path: readPath(parts),
    guests: readGuests(parts.getAll('guest')),
    tab: isDrawerTab(tab) ? tab : undefined,
  };
}

/** `#url=…`, with or without a trace. */
export function readAddressOf(fragment: string): string | undefined {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('url') ?? undefined;
}

/** What is as in a new page is left out. */
function writePath(parts: URLSearchParams, path: LinkedPath): void {
  const { row, at, isCall, criterion, marked, foldLoops } = path;
  parts.set('path', row);
  if (at !== undefined) parts.set('path-at', String(Math.round(at)));
  if (isCall) parts.set('path-call', '1');
  if (criterion !== DEFAULT_CRITERION) parts.set('criterion', criterion);
  for (const unrelated of marked) parts.append('unrelated', unrelated);
  if (foldLoops) parts.set('fold', '1');
}

function readPath(parts: URLSearchParams): LinkedPath | undefined {
  const row = parts.get('path');
  if (row === null) return undefined;
  const criterion = parts.get('criterion');
  return {
    row,
    at: readTime(parts.get('path-at')),
    isCall: parts.get('path-call') === '1' || undefined,
    criterion: isCriterion(criterion) ? criterion : DEFAULT_CRITERION,
    marked: parts.getAll('unrelated'),
    foldLoops: parts.get('fold') === '1',
  };
}

/** `GUEST~HOST~PID`, or `GUEST` for a host that is no virtual machine. */
function readGuests(texts: readonly string[]): GuestChoice[] | undefined {
  const choices = texts
    .filter((text) => /^\d{1,9}(~\d{1,9}~\d{1,9})?$/.test(text))
    .map((text): GuestChoice => {
      const [guest, host, pid] = text.split('~').map(Number);
      return { guest, machine: host === undefined ? undefined : { host, pid } };
    });
  return choices.length > 0 ? choices : undefined;
}

function rangeText({ from, to }: LinkRange): string {
  return `${Math.round(from)}~${Math.round(to)}`;
}

function readRange(text: string | null): LinkRange | undefined {
  const [from, to] = (text ?? '').split('~').map(readTime);
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined;
}

function readTime(text: string | null): number | undefined {
  if (text === null || !/^-?\d{1,16}$/.test(text)) return undefined;
  const time = Number(text);
  return Number.isSafeInteger(time) ? time : undefined;
}
