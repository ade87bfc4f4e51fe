/** Results of the search, in groups: rows first, then things of each feature. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ranked, type Thing } from '../commands/command.ts';
import { quoted, showEvents } from '../events/show-events.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import type { OpenPage } from '../features/feature.ts';
import { FEATURES } from '../features/registry.ts';
import { formatDuration } from '../format/numbers.ts';
import { hostName, plural } from '../format/text.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { tidText } from '../format/tid.ts';
import { ROW_KINDS } from '../timeline/rows/row-kinds.ts';

/** Most rows shown, and most things of each other group. */
const MOST_ROWS = 8;
const MOST_OF_GROUP = 4;
/** Characters that only filters of events have. */
const OF_FILTER = /[=<>"]/;

/** A thing as the list shows it. */
export interface Option extends Thing {
  /** Host, where there are several. */
  readonly host?: string;
  /** Number of a thread. */
  readonly tid?: string;
}

interface OptionGroup {
  readonly title: string;
  /** How many there are in all. */
  readonly total: number;
  readonly options: readonly Option[];
}

interface Known {
  readonly title: string;
  readonly things: readonly Thing[];
}

/** Things of the features, and a function that loads them again, since reading adds more. */
export function useThings(page: OpenPage) {
  const known = useSignal<readonly Known[]>([]);
  const isAsked = useRef(false);
  const ending = useMemo(() => new AbortController(), []);
  useEffect(() => () => ending.abort(), []);
  const load = async (): Promise<void> => {
    if (isAsked.current) return;
    isAsked.current = true;
    const groups = FEATURES.flatMap(({ found = [] }) => found);
    const all: (Known | undefined)[] = groups.map(() => undefined);
    await Promise.all(
      groups.map(async ({ title, things }, i) => {
        const found = await unlessAborted(things(page), ending.signal);
        if (found === undefined || ending.signal.aborted) return;
        all[i] = { title, things: found };
        known.value = all.filter((group) => group !== undefined);
      }),
    );
    isAsked.current = false;
  };
  return { known, load };
}

export function useFound(
  page: OpenPage,
  known: ReadonlySignal<readonly Known[]>,
  query: ReadonlySignal<string>,
): ReadonlySignal<readonly OptionGroup[]> {
  return useComputed(() => {
    if (query.value.trim() === '') return [];
    const named = known.value.map(({ title, things }) =>
      groupOf(title, findNamed(things, query.value), MOST_OF_GROUP),
    );
    const filter = { title: 'Filter of events', total: 1, options: [filterOption(page, query.value.trim())] };
    const rows = groupOf('Rows', rowOptions(page, query.value), MOST_ROWS);
    const found = [rows, ...named].filter(({ total }) => total > 0);
    return OF_FILTER.test(query.value) ? [filter, ...found] : [...found, filter];
  });
}

function groupOf(title: string, found: readonly Option[], most: number): OptionGroup {
  return { title, total: found.length, options: found.slice(0, most) };
}

function rowOptions({ app: { experiment }, view }: OpenPage, query: string): readonly Option[] {
  const hosts = experiment.info.value?.hosts ?? [];
  return findRows(experiment.rows.value, query).map((row) => ({
    name: row.name,
    host: hosts.length > 1 ? hostName(hosts, row.host) : undefined,
    tid: tidText(row),
    detail: figureOf(row),
    open: () => view.show(row.id),
  }));
}

/** The option that filters events by the query: as a filter, or else as a text in any event. */
function filterOption({ app }: OpenPage, query: string): Option {
  const filter = OF_FILTER.test(query) ? query : quoted(query);
  return { name: filter, detail: '', open: () => showEvents(app, filter) };
}

/** Text beside a row: how much a thread did, or the kind of the row. */
function figureOf({ kind, events, cpuTimeNs }: RowInfo): string {
  if (kind !== 'thread') return kind;
  return events > 0 ? plural(events, 'event') : formatDuration(cpuTimeNs);
}

/** Rows whose name holds the query, or whose tid begins with it; best matches first. @internal */
export function findRows(rows: readonly RowInfo[], query: string): readonly RowInfo[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return ranked(
    rows.filter((row) => ROW_KINDS[row.kind].isFound),
    (row) => rankOf(row, wanted),
    (a, b) => b.cpuTimeNs - a.cpuTimeNs || b.events - a.events,
  );
}

/** Things whose name holds the query, best matches first; equal ones stay in the order given. @internal */
export function findNamed<Named extends { readonly name: string }>(
  things: readonly Named[],
  query: string,
): readonly Named[] {
  const wanted = query.trim().toLowerCase();
  return wanted === '' ? [] : ranked(things, ({ name }) => nameRank(name, wanted));
}

/** Rank of a match: an exact number or name is before a prefix, a prefix before an inner match; -1: no match. */
function rankOf(row: RowInfo, wanted: string): number {
  // "3402" or, if it was used again, "3402#4".
  const tid = tidText(row) ?? '';
  if (tid === wanted || String(row.tid) === wanted) return 4;
  return Math.max(nameRank(row.name, wanted), tid.startsWith(wanted) ? 2 : -1);
}

function nameRank(text: string, wanted: string): number {
  const name = text.toLowerCase();
  if (name === wanted) return 4;
  if (name.startsWith(wanted)) return 3;
  return name.includes(wanted) ? 1 : -1;
}
