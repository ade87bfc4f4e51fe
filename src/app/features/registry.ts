/**
 * The features of the page, in the order of their tabs: tabs that appear while a trace is read are behind the others, so
 * that none moves. Tabs, search and links all read this list.
 */
import type { FunctionComponent } from 'preact';
import { LaterPart } from '../browser/later-part.ts';
import { commandsOf } from '../commands/command.ts';
import { compareCommands, EXECUTIONS, showComparison, writeComparison } from '../compare/compare-commands.ts';
import { COMPARE_TAB } from '../compare/compare-page.ts';
import { formatCount } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { LOCK_NAMES, LOCKS_TAB } from '../locks/locks-page.ts';
import { readProviders, writeProviders } from '../locks/provider-link.ts';
import { NOTE_TEXTS, noteCommands } from '../notes/note-commands.ts';
import { problemsOf } from '../opening/losses.ts';
import { wasStopped } from '../opening/reading.ts';
import { EVENT_NAMES, eventCommands } from '../events/event-commands.ts';
import { EVENTS_TAB } from '../events/show-events.ts';
import { FILES, SYSTEM_CALLS } from '../statistics/statistic-search.ts';
import { SUMMARY_TAB } from '../summary/summary-page.ts';
import { pathCommands, readPath, writePath } from '../path/path-commands.ts';
import { FUNCTIONS, PROFILE_TAB } from '../profile/profile-question.ts';
import { hasStacks } from '../experiment/stack-rows.ts';
import { recordingCommands, recordingsIn, writeSideBySide } from '../sync/recordings.ts';
import { writeClocks, readGuests, writeGuests } from '../sync/clock-link.ts';
import { showRows, writeRows } from '../timeline/timeline.tsx';
import type { Feature, FeatureTab, OpenPage } from './feature.ts';
import type { App } from '../context/app-context.ts';
import { followLink } from '../layers/linked-layer.ts';
import { OVERLAYS_IN_LINK } from '../overlays/overlay-link.ts';
import { PLOTS_IN_LINK } from '../plots/plot-link.ts';

const infoOf = ({ app }: OpenPage) => app.experiment.info.value;
const hasStates = (page: OpenPage) => infoOf(page)?.hasKernel === true;

/** @param load imports the panel */
const later = (load: () => Promise<FunctionComponent<OpenPage>>): FeatureTab['panel'] => new LaterPart(load);

function opens(kind: 'overlays' | 'plots' | 'lock-events', title: string, key = ''): Feature['commands'] {
  return ({ app }) => [commandsOf('Rows')(kind, title, key, () => (app.dialog.value = { kind }))];
}

export const FEATURES: readonly Feature[] = [
  {
    id: SUMMARY_TAB,
    tab: {
      title: 'Summary',
      command: 'Show what stands out',
      panel: later(async () => (await import('../summary/summary-panel.tsx')).SummaryPanel),
    },
  },
  {
    id: 'selection',
    tab: {
      title: 'Selection',
      command: 'Show the selection',
      panel: later(async () => (await import('../selection/selection-panel.tsx')).SelectionPanel),
    },
  },
  {
    id: 'path',
    tab: {
      title: 'Path',
      command: 'Show the path',
      panel: later(async () => (await import('../path/path-panel.tsx')).PathPanel),
      isThere: hasStates,
    },
    commands: (page) => pathCommands(page, () => hasStates(page)),
    link: {
      write: ({ path }, parts) => writePath(parts, path.linked.value),
      show: ({ path }, parts) => path.showLinked(readPath(parts)),
    },
    // Also while a path is being asked for.
    leaves: ({ path }) => (path.target.value === undefined ? undefined : () => path.leave()),
  },
  {
    id: 'rows',
    link: {
      write: ({ view }, parts) => writeRows(parts, view.rows),
      show: ({ view }, parts) => showRows(parts, view.rows),
    },
  },
  {
    id: 'statistics',
    tab: {
      title: 'Statistics',
      command: 'Show statistics',
      panel: later(async () => (await import('../statistics/statistics-panel.tsx')).StatisticsPanel),
    },
    found: [SYSTEM_CALLS, FILES],
  },
  {
    id: EVENTS_TAB,
    tab: {
      title: 'Events',
      command: 'Show events',
      panel: later(async () => (await import('../events/events-panel.tsx')).EventsPanel),
      note: (page) => {
        const info = infoOf(page);
        return info && formatCount(info.events);
      },
    },
    found: [EVENT_NAMES],
    commands: eventCommands,
  },
  {
    id: 'sync',
    tab: {
      title: 'Sync',
      command: 'Show how clocks were aligned',
      panel: later(async () => (await import('../sync/sync-panel.tsx')).SyncPanel),
      isThere: (page) => {
        const openInfo = infoOf(page);
        const isJoined = openInfo?.faults.some(({ code }) => code === 'clocks-by-switches') === true;
        return openInfo !== undefined && (openInfo.hosts.length > 1 || isJoined) && !openInfo.sideBySide;
      },
    },
    link: {
      write: ({ app }, parts) => {
        writeGuests(parts, app.experiment.guests.value);
        writeClocks(parts, app.experiment.clocks.value);
      },
      // The experiment takes the clocks when it opens.
      show: ({ app }, parts) => (app.experiment.guests.value = readGuests(parts)),
    },
  },
  {
    id: 'recordings',
    tab: {
      title: 'Recordings',
      command: 'Show the recordings of the machine',
      panel: later(async () => (await import('../sync/recordings-panel.tsx')).RecordingsPanel),
      isThere: (page) => recordingsIn(infoOf(page)).length > 1,
      note: (page) => formatCount(recordingsIn(infoOf(page)).length),
    },
    commands: ({ app }) => recordingCommands(app.experiment),
    link: {
      write: ({ app }, parts) => writeSideBySide(parts, app.experiment.info.value?.sideBySide === true),
      // The experiment takes the layout when it opens.
      show: () => undefined,
    },
  },
  {
    id: COMPARE_TAB,
    tab: {
      title: 'Compare',
      command: 'Compare executions',
      panel: later(async () => (await import('../compare/compare-panel.tsx')).ComparePanel),
      isThere: ({ compare }) => compare.isThere.value,
      note: ({ compare }) => {
        const answer = compare.comparison.value?.answer;
        return answer && formatCount(answer.length);
      },
    },
    found: [EXECUTIONS],
    commands: (page) => compareCommands(page.app, page.compare, () => infoOf(page) !== undefined),
    link: {
      write: ({ compare }, parts) => writeComparison(compare, parts),
      show: ({ compare }, parts) => showComparison(compare, parts),
    },
  },
  {
    id: LOCKS_TAB,
    tab: {
      title: 'Locks',
      command: 'Show the locks',
      panel: later(async () => (await import('../locks/locks-panel.tsx')).LocksPanel),
      isThere: ({ locks }) => locks.isThere.value,
      note: ({ locks }) => (locks.locks.value.length > 0 ? formatCount(locks.locks.value.length) : undefined),
    },
    commands: opens('lock-events', 'Choose which events are about locks…'),
    found: [LOCK_NAMES],
    link: {
      write: ({ locks }, parts) => writeProviders(parts, locks.answer.value?.own ?? []),
      show: ({ locks }, parts) => locks.showLinked(readProviders(parts)),
    },
  },
  {
    id: PROFILE_TAB,
    tab: {
      title: 'Flame graph',
      command: 'Show the flame graph of running and blocked time',
      panel: later(async () => (await import('../profile/profile-panel.tsx')).ProfilePanel),
      // System calls suffice if states are known. This tab appears while reading, so it is behind others.
      isThere: (page) =>
        hasStacks(page.app.experiment.rows.value) ||
        (hasStates(page) && page.locks.answer.value !== undefined),
    },
    found: [FUNCTIONS],
  },
  {
    id: 'notes',
    tab: {
      title: 'Notes',
      command: 'Show the notes',
      panel: later(async () => (await import('../notes/notes-panel.tsx')).NotesPanel),
      isThere: ({ notes }) => notes.all.value.length > 0 || notes.said.value !== '',
      note: ({ notes }) => formatCount(notes.all.value.length),
    },
    found: [NOTE_TEXTS],
    commands: noteCommands,
    leaves: ({ notes }) => (notes.current.value?.shown === 'card' ? () => notes.close() : undefined),
  },
  {
    id: 'overlays',
    commands: opens('overlays', 'Choose overlays: pairs of events as rows below their threads…', 'O'),
  },
  { id: 'plots', commands: opens('plots', 'Choose plots: numbers of events over time as rows…') },
  {
    id: 'info',
    tab: {
      title: 'Info',
      command: 'Show what was read',
      panel: later(async () => (await import('../info/info-panel.tsx')).InfoPanel),
      note: (page) => {
        const openInfo = infoOf(page);
        const problems = openInfo === undefined ? 0 : problemsOf(openInfo).length;
        const stopped = wasStopped(page.app.experiment.progress.value);
        const warnings = [problems > 0 && plural(problems, 'problem'), stopped && 'partly read'];
        return warnings.filter(Boolean).join(', ') || undefined;
      },
      warns: true,
    },
  },
];

/** Forgets what a link said of layers, so that another trace shows its own. */
export function forgetLayers({ choices }: App): void {
  for (const { choice } of [PLOTS_IN_LINK, OVERLAYS_IN_LINK]) choices.choose(choice, undefined);
}

/** Lets the layers follow links. The function returned ends that. */
export function followLayers(app: App): () => void {
  const ends = [followLink(app, PLOTS_IN_LINK), followLink(app, OVERLAYS_IN_LINK)];
  return () => ends.forEach((end) => end());
}
