/** An open experiment: timeline, legend and drawer; while nothing can be drawn yet, how far opening is. */
import { effect, untracked, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useApp, type App } from '../context/app-context.ts';
import type { Experiment } from '../experiment/experiment.ts';
import {
  addressOf,
  applyLink,
  currentLink,
  followView,
  selectLinked,
  type Watched,
} from '../address/address.ts';
import type { Link } from '../address/link.ts';
import { copyText } from '../controls/copy-button.tsx';
import type { Tab } from '../controls/tabs.tsx';
import { formatCount } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { MARK_PICTURE, markOnce } from '../browser/marks.ts';
import { problemsOf } from '../opening/problems.ts';
import { isReading, ProgressRow } from '../opening/progress-row.tsx';
import { wasStopped } from '../opening/reading.ts';
import { noteCommands } from '../notes/note-commands.ts';
import { NoteLane } from '../notes/note-lane.tsx';
import { NotesPanel } from '../notes/notes-panel.tsx';
import { EventsPanel } from '../panels/events-panel.tsx';
import { InfoPanel } from '../panels/info-panel.tsx';
import { pathCommands } from '../path/path-commands.ts';
import { PathPanel } from '../path/path-panel.tsx';
import { createPathState, type PathState } from '../path/path-state.ts';
import { SelectionPanel } from '../panels/selection-panel.tsx';
import { StatisticsPanel } from '../panels/statistics-panel.tsx';
import { fetchExampleCalled } from '../start/examples.ts';
import { SyncPanel } from '../sync/sync-panel.tsx';
import { ElementSize } from '../browser/element-size.ts';
import {
  createViewModel,
  rowById,
  Timeline,
  type TimelineSource,
  type ViewModel,
} from '../timeline/timeline.tsx';
import type { ExperimentInfo, Progress } from '../../workers/session-api.ts';
import { roomForDrawer, type Drawer as DrawerState, type DrawerTab } from '../context/drawer-state.ts';
import { Drawer } from './drawer.tsx';
import { ExperimentBar } from './experiment-bar.tsx';
import { followClocks } from './found-clocks.ts';
import { Legend } from './legend.tsx';
import { TopBar } from './top-bar.tsx';
import { viewCommands, type ShownTabs } from './view-commands.ts';

/** Said while there is nothing to see yet. */
const WHAT_FOLLOWS: Partial<Record<Progress['phase'], string>> = {
  fetching: 'The archive is read when all of it is here.',
  unpacking: 'The trace is read when all of it is unpacked.',
  indexing: 'Reading packet headers. The first picture follows at once.',
};

export function Workspace() {
  const app = useApp();
  const { stage, shown } = app.experiment;
  return stage.value === 'opening' ? <Opening app={app} /> : <OpenExperiment key={shown.value} app={app} />;
}

function Opening({ app: { experiment } }: { readonly app: App }) {
  const progress = experiment.progress.value;
  return (
    <>
      <TopBar>
        <ExperimentBar view={undefined} address={() => window.location.href} />
      </TopBar>
      <ProgressRow progress={progress} onStop={() => void experiment.cancel()} />
      <main class="opening-blank">
        <p>{WHAT_FOLLOWS[progress?.phase ?? 'indexing'] ?? WHAT_FOLLOWS.indexing}</p>
      </main>
    </>
  );
}

function OpenExperiment({ app }: { readonly app: App }) {
  const { experiment, drawer, notes } = app;
  const source = useMemo(() => timelineSource(app), []);
  const view = useMemo(() => {
    const coarse = window.matchMedia('(pointer: coarse)').matches;
    // At once: a key pressed right after the click has the last word.
    return createViewModel(source, coarse, () => drawer.offer('selection'));
  }, []);
  const path = useMemo(() => createPathState(app.session, experiment, view), []);
  const isStopped = useComputed(() => wasStopped(experiment.progress.value));
  const tabs = useComputed(() =>
    tabsOf(
      experiment.info.value,
      isStopped.value,
      path.answer.value?.segments.length,
      notes.all.value.length,
    ),
  );
  // Before the first picture, which no key comes before.
  useLayoutEffect(() => connectView(app, view, path, tabs), []);
  const main = useRoomForDrawer(drawer);
  const picture = useFirstPicture();
  // Of a kept example they lie beside the page.
  useSignalEffect(() => {
    if (picture.isShown.value && !experiment.hasFiles.peek())
      void experiment.connect(fetchExampleCalled(experiment.name.peek()));
  });
  const info = experiment.info.value;
  // The tab that was shown last may not be one of this trace's.
  const tab = tabs.value.some(({ id }) => id === drawer.tab.value) ? drawer.tab.value : tabs.value[0].id;
  const layout = !drawer.open.value ? 'closed' : drawer.maximised.value ? 'maximised' : 'shared';
  return (
    <>
      <TopBar>
        <ExperimentBar view={view} address={() => addressOf({ experiment, view, path, drawer })} />
      </TopBar>
      <ReadingRow experiment={experiment} />
      <main
        class="workspace"
        ref={main}
        data-drawer={layout}
        style={{ '--drawer': `${drawer.height.value}px` }}
      >
        <div class="workspace-timeline">
          <Timeline source={source} view={view} onFrame={({ instances }) => instances > 0 && picture.show()}>
            <NoteLane view={view} />
          </Timeline>
        </div>
        <Legend view={view} hasStates={info?.hasKernel ?? false} />
        <Drawer state={drawer} tabs={tabs.value} chosen={tab}>
          {picture.isShown.value && <Panel tab={tab} view={view} path={path} />}
        </Drawer>
      </main>
    </>
  );
}

/** Measures the element that rows and drawer share. */
function useRoomForDrawer({ most }: DrawerState) {
  const shared = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = shared.current;
    if (element === null) return;
    const size = new ElementSize(element, () => (most.value = roomForDrawer(size)));
    most.value = roomForDrawer(size);
    return () => size.dispose();
  }, []);
  return shared;
}

/** A component of its own: nothing else is rendered anew with every report of progress. */
function ReadingRow({ experiment }: { readonly experiment: Experiment }) {
  const progress = experiment.progress.value;
  if (!isReading(progress)) return null;
  return <ProgressRow progress={progress} onStop={() => void experiment.cancel()} />;
}

/** ms after which the panels do not wait for a picture any more: there may be nothing to draw. */
const PANELS_WAIT_MS = 600;

/** Whether data have been drawn: the panels ask the worker for more than a picture does, and so come after it. */
function useFirstPicture() {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isShown.value = true), PANELS_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  const show = () => {
    markOnce(MARK_PICTURE);
    isShown.value = true;
  };
  return { isShown, show };
}

interface PanelProps {
  readonly tab: DrawerTab;
  readonly view: ViewModel;
  readonly path: PathState;
}

function Panel({ tab, view, path }: PanelProps) {
  switch (tab) {
    case 'selection':
      return <SelectionPanel view={view} path={path} />;
    case 'path':
      return <PathPanel view={view} path={path} />;
    case 'statistics':
      return <StatisticsPanel view={view} />;
    case 'sync':
      return <SyncPanel view={view} />;
    case 'events':
      return <EventsPanel view={view} />;
    case 'notes':
      return <NotesPanel view={view} />;
    case 'info':
      return <InfoPanel />;
  }
}

/**
 * @param isStopped reading ended before all was read
 * @param segments of the path that is shown
 * @param notes how many there are
 */
function tabsOf(
  info: ExperimentInfo | undefined,
  isStopped: boolean,
  segments: number | undefined,
  notes: number,
): readonly Tab<DrawerTab>[] {
  const problems = info === undefined ? 0 : problemsOf(info).length;
  const warnings = [problems > 0 && plural(problems, 'problem'), isStopped && 'partly read'].filter(Boolean);
  return [
    { id: 'selection', title: 'Selection' },
    ...(info?.hasKernel
      ? [
          {
            id: 'path',
            title: 'Path',
            note: segments === undefined ? undefined : plural(segments, 'segment'),
          } as const,
        ]
      : []),
    { id: 'statistics', title: 'Statistics' },
    { id: 'events', title: 'Events', note: info && formatCount(info.events) },
    ...((info?.hosts.length ?? 0) > 1 ? [{ id: 'sync', title: 'Sync' } as const] : []),
    ...(notes > 0 ? [{ id: 'notes', title: 'Notes', note: formatCount(notes) } as const] : []),
    { id: 'info', title: 'Info', note: warnings.length > 0 ? warnings.join(', ') : undefined, warns: true },
  ];
}

function timelineSource({ session, experiment, notes }: App): TimelineSource {
  return {
    info: experiment.info,
    rows: experiment.rows,
    overview: experiment.overview,
    progress: experiment.progress,
    notes: notes.all,
    tile: (...question) => session.tile(...question),
    overlayTile: (...question) => session.overlayTile(...question),
    load: (...question) => session.load(...question),
    density: (...question) => session.density(...question),
    interval: (...question) => session.interval(...question),
    call: (...question) => session.call(...question),
    neighbour: (...question) => session.neighbour(...question),
  };
}

/**
 * What a link selects may not have been read yet, and rows of overlays come last: it is selected once more at the end, and
 * when its row comes, unless the reader went on meanwhile. The function returned ends that.
 */
function selectLater({ experiment, view, drawer }: Watched, linked: Link | undefined): () => void {
  if (linked === undefined) return () => undefined;
  const tab = drawer.tab.peek();
  let wasReading = false;
  let wasThere = true;
  return effect(() => {
    const reading = isReading(experiment.progress.value);
    const isThere = linked.row === undefined || rowById(experiment.rows.value, linked.row) !== undefined;
    const { row, interval } = view.question.peek();
    const isUntouched = row === linked.row && interval === undefined && drawer.tab.peek() === tab;
    const isNew = (wasReading && !reading) || (!wasThere && isThere);
    wasReading = reading;
    wasThere = isThere;
    if (isNew && isUntouched) untracked(() => selectLinked(linked, { view, drawer }));
  });
}

/** Binds a view to keys, palette and address for as long as it is shown. */
function connectView(app: App, view: ViewModel, path: PathState, tabs: ShownTabs): () => void {
  const { commands, drawer, experiment, notes } = app;
  const seen = { experiment, view, path, drawer };
  const link = currentLink();
  const linked = link?.trace === experiment.trace.peek() ? link : undefined;
  if (linked !== undefined) applyLink(linked, seen);
  const steps = followView(seen);
  const share = () => void copyText(addressOf(seen));
  const disconnect = [
    selectLater(seen, linked),
    followClocks(app, view, path),
    steps.stop,
    commands.add(viewCommands(view, drawer, path, notes, steps, tabs)),
    commands.add(pathCommands(view, drawer, path, () => experiment.info.value?.hasKernel === true)),
    commands.add(noteCommands(notes, view, drawer, experiment.rows)),
    commands.add([{ id: 'share', group: 'Page', title: 'Copy a link to this view', run: share }]),
    () => path.dispose(),
    view.dispose,
  ];
  return () => disconnect.forEach((end) => end());
}
