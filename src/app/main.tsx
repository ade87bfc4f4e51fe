/** Entry of the page: makes its parts and connects them. */
import './theme/tokens.css';
import './theme/base.css';
import './controls/controls.css';
import './widgets/dialog/dialog.css';
import './commands/commands.css';
import './start/start.css';
import './opening/opening.css';
import './layout/layout.css';
import './widgets/histogram/histogram.css';
import './widgets/table/table.css';
import './lessons/lesson-list.css';
import { effect, signal } from '@preact/signals';
import { proxy } from 'comlink';
import { isMissingCode } from '../engine/base/later-code.ts';
import { render } from 'preact';
import { clearAddress, currentLink } from './address/link.ts';
import { COMPARE_TAB } from './compare/compare-page.ts';
import { AppContext, type App, type ChosenLesson, type Dialog } from './context/app-context.ts';
import { Page } from './app.tsx';
import { createCommands, commandsOf, type Command } from './commands/command.ts';
import { markMissingSheets } from './browser/later-part.ts';
import { ChoicesContext, Choices } from './controls/choices.ts';
import { reportAbout } from './errors/crash-report.ts';
import { ErrorBoundary } from './errors/error-boundary.tsx';
import { PageExperiment } from './experiment/experiment.ts';
import { ConfirmedServers } from './files/confirmed-servers.ts';
import { chooseFiles, type GatheredFiles, listenForDrops } from './files/dropped-files.ts';
import { ExecutionFiles } from './files/execution-files.ts';
import { PageOffers } from './files/offers.ts';
import { createDrawer } from './context/drawer-state.ts';
import { notesIn } from './notes/notes-file.ts';
import { createNotes } from './notes/notes.ts';
import { Versions } from './offline/versions.ts';
import { laterDialogs, workspace } from './load-workspace.ts';
import { connectSession, type SessionLink } from './experiment/session.ts';
import { findExample } from './start/examples.ts';
import { readClocks } from './sync/clock-link.ts';
import { readSideBySide } from './sync/recordings.ts';
import { rehearseSoon } from './start/rehearse.ts';
import { createThemeSwitch } from './theme/theme.ts';
import { PaletteContext } from './draw/swatch.tsx';
import { watchPalette } from './draw/palette.ts';
import { isReading } from './opening/progress-row.tsx';

start(connectSession(), document.getElementById('app') ?? document.body);

function start(session: SessionLink, root: HTMLElement): void {
  document.getElementById('starting')?.remove();
  const versions = new Versions();
  const theme = createThemeSwitch(document.documentElement);
  const example = (name: string, trace: string) => findExample(session.api, name, trace);
  const experiment = new PageExperiment(session.api, example, () => {
    const link = currentLink();
    if (link === undefined) return undefined;
    const { trace, parts } = link;
    return { trace, sideBySide: readSideBySide(parts), clocks: readClocks(parts) };
  });
  effect(() => {
    const isOpen = experiment.stage.value !== 'start';
    document.title = isOpen ? `${experiment.name.value} - Wakepath` : 'Wakepath';
  });
  const servers = new ConfirmedServers();
  void session.api.useServers(proxy((address) => servers.ask(address)));
  const executionFiles = new ExecutionFiles(experiment);
  const offers = new PageOffers(session.api, experiment, executionFiles, (url) => servers.confirm(url));
  const notes = createNotes(experiment.trace);
  const takeFiles = async (gathered: GatheredFiles) => {
    const text = experiment.stage.peek() === 'start' ? undefined : notesIn(gathered);
    const ofNotes = text && (await text);
    if (ofNotes === undefined) return offers.takeFiles(gathered);
    notes.take(ofNotes);
    app.drawer.show('notes');
  };
  const take = (gathered: GatheredFiles) => void takeFiles(gathered);
  const app: App = {
    session: session.api,
    experiment,
    theme,
    commands: createCommands(),
    drawer: createDrawer(),
    choices: new Choices(),
    dialog: signal<Dialog | undefined>(undefined),
    linkedAddress: signal(''),
    lesson: signal<ChosenLesson | undefined>(undefined),
    ...{ offers, executionFiles },
    mac: /^Mac/.test(navigator.platform),
    chooseFolder: () => chooseFiles('folder', take),
    chooseFiles: () => chooseFiles('files', take),
  };
  // The tab that shows the comparison.
  effect(() => {
    if (executionFiles.against.value !== undefined) app.drawer.show(COMPARE_TAB);
  });
  // On the start page, the address has no link.
  effect(() => {
    if (!experiment.closed.value) return;
    clearAddress();
    app.lesson.value = undefined;
  });
  app.commands.add(pageCommands(app));
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTaken(event) || document.querySelector('dialog[open]') !== null) return;
    if (app.commands.press(event)) event.preventDefault();
  });
  markMissingSheets(document);
  const failure = signal<unknown>(undefined);
  window.addEventListener('error', (event) => (failure.value = event.error ?? event.message));
  window.addEventListener('unhandledrejection', ({ reason = 'rejected' }) => {
    if (isMissingCode(reason)) void session.missing.whenBack();
    else failure.value = reason;
  });
  const dragging = listenForDrops(window, take);

  render(
    <ErrorBoundary about={() => reportAbout(experiment.info.peek(), navigator.userAgent)}>
      <AppContext.Provider value={app}>
        <PaletteContext.Provider value={watchPalette(document.documentElement)}>
          <ChoicesContext.Provider value={app.choices}>
            <Page dragging={dragging} link={session} failure={failure} notes={notes} versions={versions} />
          </ChoicesContext.Provider>
        </PaletteContext.Provider>
      </AppContext.Provider>
    </ErrorBoundary>,
    root,
  );
  // Loaded at once, since the server may be gone when a trace is opened, which tries again.
  workspace.load().catch(() => undefined);
  versions.watch();
  void rehearseSoon(session.api, experiment.stage, async () => {
    const parts = await workspace.load();
    void parts.loadAllPanels();
    laterDialogs.load().catch(() => undefined);
    await parts.prepareTimeline();
  });
}

/** Whether a key is for the focused element: any key without Ctrl or Cmd for a field, Enter and Space for a button. */
function isTaken(event: KeyboardEvent): boolean {
  if (!(event.target instanceof HTMLElement) || event.ctrlKey || event.metaKey) return false;
  if (event.target.closest('input, textarea, select') !== null) return true;
  return (
    (event.key === 'Enter' || event.key === ' ') && event.target.closest('button, a, [role=tab]') !== null
  );
}

function pageCommands(app: App): readonly Command[] {
  const { experiment, theme, dialog } = app;
  const isBeingRead = () => isReading(experiment.progress.value);
  const isOpen = () => experiment.stage.value !== 'start';
  const show = (kind: Dialog['kind']) => () => (dialog.value = { kind });
  const command = commandsOf('Page');
  return [
    command('open-folder', 'Open a folder', 'Mod+O', app.chooseFolder),
    command('open-files', 'Open files', 'Mod+Shift+O', app.chooseFiles),
    command('open-address', 'Open by address…', '', show('address')),
    command('recording', 'How to record a trace…', '', show('recording')),
    command('lessons', 'Show the lessons', '', show('lessons')),
    command('palette', 'Show all commands', 'Mod+K Mod+Shift+P', show('palette')),
    command('help', 'Show keys and pointer', '? F1', show('help')),
    command('theme', 'Switch between light and dark', 'T', theme.toggle),
    command('theme-system', 'Follow the theme of the system', '', () => theme.choose('system')),
    command('stop', 'Stop reading, keep what is here', '', () => void experiment.cancel(), isBeingRead),
    command('close', 'Close the trace, back to the start page', '', () => void experiment.close(), isOpen),
  ];
}
