/**
 * The page: start page or workspace, and what lies above both (dialogs, drops, failures). Code that only an open trace
 * needs is loaded separately, so that the start page comes quickly (`load-workspace.ts`).
 */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fingerprintOf } from '../engine/trace/fingerprint-of-key.ts';
import { asksForBench, currentAddress, currentLesson, currentLink, type Link } from './address/link.ts';
import { type App, useApp } from './context/app-context.ts';
import { Palette } from './commands/palette.tsx';
import { closerOf } from './widgets/dialog/dialog.tsx';
import { reportAbout } from './errors/crash-report.ts';
import { CrashPage, Failure, MissingNotice, Silence } from './errors/error-boundary.tsx';
import { AddressDialog } from './start/address-dialog.tsx';
import { TopBar } from './layout/top-bar.tsx';
import type { Notes } from './notes/notes.ts';
import { NewerVersion } from './offline/newer-version.tsx';
import type { Versions } from './offline/versions.ts';
import { visibleText } from './format/text.ts';
import { loadLessons } from './lessons/lesson-files.ts';
import { LessonsDialog } from './lessons/lesson-list.tsx';
import { FaultCard } from './opening/fault-card.tsx';
import { exampleFault, fetchExample, findExample, loadExamples, type Example } from './start/examples.ts';
import type { SessionLink } from './experiment/session.ts';
import { StartPage } from './start/start-page.tsx';
import { executionsPage, recordingGuide, laterDialogs, useLater, workspace } from './load-workspace.ts';
import { TextButton } from './controls/button.tsx';

const LATER_PARTS = [workspace, executionsPage, recordingGuide, laterDialogs];
/** Kinds of dialogs that are loaded when they are asked for. */
const LATER_DIALOGS: ReadonlySet<string> = new Set(['help', 'overlays', 'plots', 'lock-events']);

interface PageProps {
  readonly dragging: ReadonlySignal<boolean>;
  readonly link: Pick<SessionLink, 'crash' | 'isSilent' | 'missing'>;
  /** An error of ours that happened outside rendering. */
  readonly failure: ReadonlySignal<unknown>;
  readonly notes: Notes;
  readonly versions: Versions;
}

export function Page({ dragging, link, failure, notes, versions }: PageProps) {
  const { experiment, executionFiles, dialog, offers } = useApp();
  const database = executionFiles.opened.value;
  const hasTrend = executionFiles.trend.value.length > 0;
  const hasExecutions = database !== undefined || hasTrend;
  const about = () => reportAbout(experiment.info.peek(), navigator.userAgent);
  const missing = useLinkedTrace();
  const start = experiment.stage.value === 'start';
  const parts = useLater(workspace, !start);
  const executions = useLater(executionsPage, start && hasExecutions);
  const shown = dialog.value?.kind;
  const guide = useLater(recordingGuide, shown === 'recording');
  const dialogs = useLater(
    laterDialogs,
    offers.pending.value !== undefined || (shown !== undefined && LATER_DIALOGS.has(shown)),
  );
  const missingParts = LATER_PARTS.filter(({ failure }) => failure.value !== undefined);
  const retry = () => {
    link.missing.tryAgain();
    for (const part of missingParts) part.need();
  };
  const crash = link.crash.value;
  if (crash !== undefined) {
    return (
      <CrashPage
        what="The reader of traces"
        hasStarted={crash.hasStarted}
        report={() => `Failed: ${crash.report}\n${about()}`}
      />
    );
  }
  return (
    <div class="page">
      {failure.value !== undefined && <Failure error={failure.value} about={about} />}
      {(missingParts.length > 0 || link.missing.isMissing.value) && <MissingNotice retry={retry} />}
      {link.isSilent.value && <Silence />}
      <NewerVersion versions={versions} />
      {start && hasExecutions ? (
        <>
          <TopBar>
            <h1 class="executions-name ellipsis">
              {database
                ? `${visibleText(database.name)}, executions without their trace`
                : 'Executions of many recordings'}
            </h1>
            <span class="grow" />
            {database && hasTrend && (
              <TextButton class="button outlined" onClick={() => executionFiles.leave()} text="Trend" />
            )}
          </TopBar>
          {experiment.fault.value !== undefined && (
            <div class="start-notices">
              <FaultCard fault={experiment.fault.value} />
            </div>
          )}
          {executions && database && <executions.ExecutionsPage key={database} database={database} />}
          {executions && !database && <executions.TrendPage />}
        </>
      ) : start ? (
        <>
          <TopBar />
          <StartPage dragging={dragging} missing={missing.value?.name} />
        </>
      ) : parts === undefined ? (
        <TopBar />
      ) : (
        <parts.Workspace notes={notes} />
      )}
      {dragging.value && (!start || hasExecutions) && (
        <div class="drop-area">
          <p>Release to open</p>
        </div>
      )}
      <Overlays dialogs={dialogs} guide={guide} />
    </div>
  );
}

/** The example of a lesson; undefined: there is no such lesson. */
async function exampleOf(lesson: string): Promise<Example | undefined> {
  const [lessons, examples] = await Promise.all([loadLessons(), loadExamples()]);
  const head = lessons.find(({ name }) => name === lesson);
  return head && examples.find(({ name }) => name === head.example);
}

/** Opens an example at the tab that measures this computer. */
async function openForBench(experiment: App['experiment']): Promise<void> {
  const [example] = await loadExamples();
  const files = example && (await fetchExample(example));
  if (files !== undefined && asksForBench()) await experiment.open(files, example.name, 'tab=info');
}

/** Opens the trace that the address links to, or the example of its lesson; returns a link whose trace is neither stored nor an example. */
function useLinkedTrace(): ReadonlySignal<Link | undefined> {
  const { session, experiment, dialog, linkedAddress, lesson } = useApp();
  const missing = useSignal<Link | undefined>(undefined);
  useEffect(() => {
    const follow = async () => {
      const asked = currentLink();
      const lessonName = currentLesson();
      missing.value = undefined;
      if (asksForBench()) return openForBench(experiment);
      // A link that leads elsewhere in the same lesson does not begin it anew.
      if (asked === undefined || lesson.peek()?.name !== lessonName) {
        lesson.value =
          lessonName === undefined ? undefined : { name: lessonName, begins: asked === undefined };
      }
      const ask = (address: string | undefined) => {
        linkedAddress.value = address ?? '';
        if (address !== undefined) dialog.value = { kind: 'address' };
      };
      if (asked === undefined && lessonName === undefined) {
        ask(currentAddress());
        if (experiment.stage.peek() === 'opening') void experiment.close();
        return;
      }
      const isAsked = () => currentLink()?.trace === asked?.trace && currentLesson() === lessonName;
      const { edition } = experiment;
      const needed = asked === undefined ? await exampleOf(lessonName ?? '') : undefined;
      const link: Pick<Link, 'name' | 'trace' | 'url'> | undefined = asked ?? needed;
      if (!isAsked() || experiment.edition !== edition) return;
      if (link === undefined) {
        lesson.value = undefined;
        const place = { file: `lessons/${lessonName}.md` };
        return experiment.fail({ code: 'lesson-missing', place });
      }
      if (link.trace === experiment.trace.peek()) return;
      const kept = (await session.recent()).find(({ key }) => fingerprintOf(key) === link.trace);
      // The address may have changed meanwhile, or a trace may have been opened.
      if (!isAsked() || experiment.edition !== edition) return;
      if (kept) {
        await experiment.reopen(kept.key, link.name);
        const isDamaged = experiment.fault.peek()?.code === 'store-damaged';
        if (isDamaged && currentLink()?.trace === link.trace) ask(link.url);
        return;
      }
      const example = await findExample(session, link.name, link.trace);
      if (!isAsked() || experiment.edition !== edition) return;
      if (example) return experiment.replace(example, link.name);
      if (needed !== undefined) {
        const fault = await exampleFault(needed);
        if (!isAsked() || experiment.edition !== edition) return;
        lesson.value = undefined;
        return experiment.fail(fault);
      }
      missing.value = asked;
      experiment.leave();
      ask(link.url);
    };
    void follow();
    const onHashChange = () => void follow();
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  return missing;
}

interface OverlaysProps {
  readonly dialogs: (typeof laterDialogs)['loaded']['value'];
  readonly guide: (typeof recordingGuide)['loaded']['value'];
}

function Overlays({ dialogs, guide }: OverlaysProps) {
  const { commands, dialog, linkedAddress, offers, mac } = useApp();
  const shown = dialog.value;
  const close = closerOf(dialog);
  const offer = offers.pending.value;
  return (
    <>
      {shown?.kind === 'palette' && <Palette key={shown} commands={commands} mac={mac} onClose={close} />}
      {shown?.kind === 'help' && dialogs && (
        <dialogs.HelpSheet key={shown} commands={commands} mac={mac} onClose={close} />
      )}
      {shown?.kind === 'overlays' && dialogs && <dialogs.OverlaysDialog key={shown} onClose={close} />}
      {shown?.kind === 'plots' && dialogs && <dialogs.PlotsDialog key={shown} onClose={close} />}
      {shown?.kind === 'lock-events' && dialogs && <dialogs.LockEventsDialog key={shown} onClose={close} />}
      {shown?.kind === 'lessons' && <LessonsDialog key={shown} onClose={close} />}
      {shown?.kind === 'address' && (
        <AddressDialog key={shown} address={linkedAddress.value} onClose={close} />
      )}
      {shown?.kind === 'recording' && guide && (
        <guide.RecordingGuide key={shown} asked={shown.asked} recorder={shown.recorder} onClose={close} />
      )}
      {offer && dialogs && <dialogs.OfferDialog key={offer} offer={offer} />}
    </>
  );
}
