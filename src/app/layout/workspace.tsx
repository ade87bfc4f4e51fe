/** The workspace of an open experiment: timeline, legend and drawer, or the progress of opening. */
import { effect, useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useApp, type App, type ChosenLesson } from '../context/app-context.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { FeatureTab, OpenPage } from '../features/feature.ts';
import { SUMMARY_TAB } from '../summary/summary-page.ts';
import { createSummaryState } from '../summary/summary-state.ts';
import { createCompareState } from '../compare/compare-state.ts';
import { traceSource } from '../compare/executions-source.ts';
import { EventsState } from '../events/events-state.ts';
import { createLocksState } from '../locks/locks-state.ts';
import { followLayers, forgetLayers, FEATURES } from '../features/registry.ts';
import { loadPanels, tabsOf } from '../features/tabs.ts';
import { addressOf, applyLink, followView, selectLater } from '../address/address.ts';
import { currentLink, type Link, readLink } from '../address/link.ts';
import { MissingNotice, MissingPart } from '../errors/error-boundary.tsx';
import { copyText } from '../controls/copy-button.tsx';
import type { Tab } from '../controls/tabs.tsx';
import { MARK_PICTURE, markOnce } from '../browser/marks.ts';
import { isReading, ProgressRow } from '../opening/progress-row.tsx';
import { isOver } from '../opening/reading.ts';
import { NoteLane } from '../notes/note-lane.tsx';
import type { Notes } from '../notes/notes.ts';
import { createPathState, type PathState } from '../path/path-state.ts';
import { findExample, loadExamples } from '../start/examples.ts';
import { ElementSize } from '../browser/element-size.ts';
import {
  createViewModel,
  focusRows,
  Timeline,
  type TimelineSource,
  type ViewModel,
} from '../timeline/timeline.tsx';
import type { Progress } from '../../engine/protocol/session.ts';
import { roomForDrawer, type Drawer as DrawerState } from '../context/drawer-state.ts';
import { ContextMenu } from './context-menu.tsx';
import { Drawer } from './drawer.tsx';
import { ExperimentBar } from './experiment-bar.tsx';
import { showFinding } from './finding.ts';
import { Legend } from './legend.tsx';
import { lessonPage, lessonPanel } from './lesson-page.ts';
import { TopBar } from './top-bar.tsx';
import { viewCommands } from './view-commands.ts';

/** Text while there is nothing to show yet. */
const WHAT_FOLLOWS: Partial<Record<Progress['phase'], string>> = {
  fetching: 'The archive is read when all of it is here.',
  unpacking: 'The trace is read when all of it is unpacked.',
  indexing: 'Reading packet headers. The first picture follows at once.',
};

export function Workspace({ notes }: { readonly notes: Notes }) {
  const app = useApp();
  const { stage, shown } = app.experiment;
  if (stage.value === 'opening') return <Opening app={app} />;
  return <OpenExperiment key={shown.value} app={app} notes={notes} />;
}

function Opening({ app: { experiment } }: { readonly app: App }) {
  const progress = experiment.progress.value;
  return (
    <>
      <TopBar>
        <ExperimentBar page={undefined} address={() => window.location.href} />
      </TopBar>
      <ProgressRow progress={progress} onStop={() => void experiment.cancel()} />
      <main class="opening-blank">
        <p>{WHAT_FOLLOWS[progress?.phase ?? 'indexing'] ?? WHAT_FOLLOWS.indexing}</p>
      </main>
    </>
  );
}

function OpenExperiment({ app, notes }: Pick<OpenPage, 'app' | 'notes'>) {
  const { experiment, drawer } = app;
  const source = useMemo(() => timelineSource(app, notes), []);
  const page = useMemo(() => openPage(app, notes, source), []);
  const { view } = page;
  const shownTabs = useComputed(() => tabsOf(FEATURES, page));
  // In a layout effect: no key may come before the commands are there.
  useLayoutEffect(() => connectPage(page, shownTabs), []);
  // The element that was clicked to open the trace is gone, and the focus with it.
  useLayoutEffect(() => void (document.activeElement === document.body && focusRows()), []);
  const main = useRoomForDrawer(drawer);
  const picture = useFirstPicture();
  // The files of a kept example lie beside the page.
  useSignalEffect(() => {
    if (!picture.isShown.value || experiment.hasFiles.peek()) return;
    const { unread } = experiment;
    const example = () => findExample(app.session, experiment.name.peek(), experiment.trace.peek() ?? '');
    void experiment.connect(
      unread === undefined ? example().then((found) => found?.files) : Promise.resolve(unread),
    );
  });
  useSignalEffect(() => {
    if (picture.isShown.value) void loadPanels(FEATURES);
  });
  const info = experiment.info.value;
  // This trace may not have the tab that was shown last.
  const tabs = shownTabs.value;
  const tab = tabs.some(({ id }) => id === drawer.tab.value) ? drawer.tab.value : tabs[0].id;
  const panel = FEATURES.find(({ id }) => id === tab)?.tab?.panel;
  const chosen = app.lesson.value;
  const layout = !drawer.open.value ? 'closed' : drawer.maximised.value ? 'maximised' : 'shared';
  return (
    <>
      <TopBar>
        <ExperimentBar page={page} address={() => addressOf(page)} />
      </TopBar>
      <ReadingRow experiment={experiment} />
      <main
        class="workspace"
        ref={main}
        data-drawer={layout}
        data-lesson={chosen?.name}
        style={{ '--drawer': `${drawer.height.value}px` }}
      >
        <div class="workspace-timeline">
          <Timeline source={source} view={view} onFrame={({ instances }) => instances > 0 && picture.show()}>
            <NoteLane view={view} notes={notes} />
          </Timeline>
        </div>
        <Legend view={view} hasStates={info?.hasKernel ?? false} />
        <Drawer state={drawer} tabs={tabs} chosen={tab}>
          {picture.isShown.value && panel && <TabPanel key={tab} panel={panel} page={page} />}
        </Drawer>
        {chosen !== undefined && <LessonBeside key={chosen} page={page} chosen={chosen} />}
        <ContextMenu view={view} area={main} />
      </main>
    </>
  );
}

/** The panel of a tab; its code is loaded when it is first shown. */
function TabPanel({ panel, page }: { readonly panel: FeatureTab['panel']; readonly page: OpenPage }) {
  useLayoutEffect(() => panel.need(), []);
  const Panel = panel.loaded.value;
  if (Panel !== undefined) return <Panel {...page} />;
  if (panel.failure.value === undefined) return <p class="panel-absent faint">Loading…</p>;
  return (
    <p class="panel-absent" role="alert">
      <MissingPart retry={() => panel.need()} />
    </p>
  );
}

/** The lesson beside the open trace; its code is loaded with the first lesson. */
function LessonBeside({ page, chosen }: { readonly page: OpenPage; readonly chosen: ChosenLesson }) {
  const { lesson: shown, experiment } = page.app;
  const lesson = useMemo(() => lessonPage(page), []);
  useEffect(() => {
    lessonPanel.need();
    return lesson.dispose;
  }, []);
  const part = lessonPanel.loaded.value;
  if (lessonPanel.failure.value !== undefined)
    return (
      <aside class="lesson">
        <MissingNotice retry={() => lessonPanel.need()} />
      </aside>
    );
  if (part === undefined) return null;
  const isOpen = async (name: string) => {
    const example = (await loadExamples()).find((each) => each.name === name);
    return example !== undefined && example.trace === experiment.trace.peek();
  };
  const close = () => (shown.value = undefined);
  return <part.LessonPanel {...chosen} {...{ isOpen }} page={lesson} onClose={close} />;
}

/** Measures the element that contains rows and drawer. */
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

/** The row with the progress of reading, a component of its own so that reports of progress render nothing else. */
function ReadingRow({ experiment }: { readonly experiment: Experiment }) {
  const progress = experiment.progress.value;
  if (!isReading(progress)) return null;
  return <ProgressRow progress={progress} onStop={() => void experiment.cancel()} />;
}

/** Longest time that panels wait for a picture, ms: there may be nothing to draw. */
const PANELS_WAIT_MS = 600;

/** Whether data have been drawn. Panels come after that, since they ask more of the worker than a picture does. */
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

function openPage(app: App, notes: Notes, source: TimelineSource): OpenPage {
  const coarse = window.matchMedia('(pointer: coarse)').matches;
  // Called at once, so that a key pressed right after the click still takes effect.
  const view = createViewModel(source, coarse, () => app.drawer.offer('selection'));
  const { session, experiment } = app;
  const locks = createLocksState(session, experiment);
  return {
    ...{ app, view, notes, locks },
    events: new EventsState(app, view),
    path: createPathState(session, experiment, view, locks.names.given),
    compare: createCompareState(traceSource(session, experiment), app.executionFiles),
    summary: createSummaryState(session, experiment),
  };
}

function timelineSource({ session, experiment }: App, notes: Notes): TimelineSource {
  return {
    info: experiment.info,
    rows: experiment.rows,
    byProgram: experiment.byProgram,
    hasPrograms: experiment.hasPrograms,
    overview: experiment.overview,
    progress: experiment.progress,
    notes: notes.all,
    ask: session.ask,
  };
}

function firstView({ trace, name, shows }: Experiment): Link | undefined {
  const parts = { trace: trace.peek() ?? '', name: name.peek() };
  return shows === '' ? undefined : readLink(`#${new URLSearchParams(parts)}&${shows}`);
}

/** Connects the open experiment with keys, palette and address. The function returned ends that. */
function connectPage(page: OpenPage, tabs: ReadonlySignal<readonly Tab<string>[]>): () => void {
  const { app, view, path, locks, compare, summary } = page;
  const link = currentLink();
  const linked = link?.trace === app.experiment.trace.peek() ? link : firstView(app.experiment);
  // The summary is the first tab, unless a link names another.
  if (!app.experiment.isAnotherForm) app.drawer.begin(SUMMARY_TAB);
  if (linked !== undefined) applyLink(linked, page);
  else forgetLayers(app);
  const steps = followView(page);
  const share = () => void copyText(addressOf(page));
  const disconnect = [
    selectLater(page, linked),
    showFinding(page, linked !== undefined || app.experiment.isAnotherForm),
    followClocks(app, view, path),
    followLayers(app),
    steps.stop,
    app.commands.add(viewCommands(page, steps, tabs)),
    app.commands.add([{ id: 'share', group: 'Page', title: 'Copy a link to this view', run: share }]),
    () => path.dispose(),
    () => locks.dispose(),
    () => compare.dispose(),
    () => summary.dispose(),
    view.dispose,
  ];
  return () => disconnect.forEach((end) => end());
}

/** Moves the selection and the path when the clocks change at the end of reading. The function returned ends that. */
function followClocks({ session, experiment }: App, view: ViewModel, path: PathState): () => void {
  const moveSelected = async () => {
    const selected = view.selected.peek();
    if (selected === undefined) return;
    const before = Math.floor((selected.from + selected.to) / 2);
    const after = await session.ask('moved', { row: selected.row, timeNs: before });
    if (after !== before && view.selected.peek() === selected) view.moveSelected(after);
  };
  const movePath = async () => {
    const linked = path.linked.peek();
    if (linked?.at === undefined) return;
    const at = await session.ask('moved', { row: linked.row, timeNs: linked.at });
    if (at !== linked.at && path.linked.peek() === linked) path.showLinked({ ...linked, at });
  };
  let wasOver = isOver(experiment.progress.peek());
  return effect(() => {
    const over = isOver(experiment.progress.value);
    const isEnd = over && !wasOver;
    wasOver = over;
    if (!isEnd || experiment.info.peek()?.hosts.length === 1) return;
    void moveSelected();
    void movePath();
  });
}
