/** The page: start page or workspace, and what lies above both (dialogs, drops, failures). */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../engine/base/fault.ts';
import { fingerprintOf } from '../engine/session/fingerprint.ts';
import type { RecentTrace } from '../workers/session-api.ts';
import { currentAddress, currentLink } from './address/address.ts';
import type { Link } from './address/link.ts';
import { useApp } from './context/app-context.ts';
import { ExecutionsPage } from './compare/executions-page.tsx';
import { HelpSheet } from './commands/help-sheet.tsx';
import { Palette } from './commands/palette.tsx';
import { closerOf } from './widgets/dialog/dialog.tsx';
import { CrashPage } from './errors/error-boundary.tsx';
import { Failure } from './errors/failure.tsx';
import { Silence } from './errors/silence.tsx';
import { AddressDialog } from './start/address-dialog.tsx';
import { OfferDialog } from './start/offer-dialog.tsx';
import { TopBar } from './layout/top-bar.tsx';
import { Workspace } from './layout/workspace.tsx';
import type { Notes } from './notes/notes.ts';
import { visibleText } from './format/text.ts';
import { FaultCard } from './opening/fault-card.tsx';
import { fetchExample, findExample, type Example } from './start/examples.ts';
import { MissingTrace } from './start/missing-trace.tsx';
import { LockEventsDialog } from './locks/lock-events-dialog.tsx';
import { OverlaysDialog } from './overlays/overlays-dialog.tsx';
import type { SessionLink } from './experiment/session.ts';
import { StartPage } from './start/start-page.tsx';

interface PageProps {
  readonly dragging: ReadonlySignal<boolean>;
  readonly link: Pick<SessionLink, 'crash' | 'isSilent'>;
  /** A mistake of ours outside of any drawing. */
  readonly failure: ReadonlySignal<unknown>;
  readonly notes: Notes;
}

export function Page({ dragging, link, failure, notes }: PageProps) {
  const { experiment, executionFiles } = useApp();
  const database = executionFiles.opened.value;
  const missing = useLinkedTrace();
  const crash = link.crash.value;
  if (crash !== undefined) {
    return (
      <CrashPage
        what="The reader of traces"
        hasStarted={crash.hasStarted}
        report={() => `Wakepath: ${crash.report}\n${navigator.userAgent}`}
      />
    );
  }
  const start = experiment.stage.value === 'start';
  return (
    <div class="page">
      {failure.value !== undefined && <Failure error={failure.value} />}
      {link.isSilent.value && <Silence />}
      {start && database !== undefined ? (
        <>
          <TopBar>
            <h1 class="executions-name ellipsis">
              {visibleText(database.name)}, executions without their trace
            </h1>
            <span class="grow" />
          </TopBar>
          {experiment.fault.value !== undefined && (
            <div class="start-notices">
              <FaultCard fault={experiment.fault.value} />
            </div>
          )}
          <ExecutionsPage key={database} database={database} />
        </>
      ) : start ? (
        <>
          <TopBar />
          <Start dragging={dragging} missing={missing.value} />
        </>
      ) : (
        <Workspace notes={notes} />
      )}
      {dragging.value && (!start || database !== undefined) && (
        <div class="drop-overlay">
          <p>Release to open</p>
        </div>
      )}
      <Overlays />
    </div>
  );
}

interface StartProps {
  readonly dragging: ReadonlySignal<boolean>;
  /** A link leads to a trace that is not kept. */
  readonly missing: Link | undefined;
}

function Start({ dragging, missing }: StartProps) {
  const { session, experiment, mac, dialog, chooseFolder, chooseFiles } = useApp();
  const storageFault = useSignal<Fault | undefined>(undefined);
  useEffect(() => {
    void session.storage().then((storage) => (storageFault.value = storage.fault));
  }, []);

  // What is opened last wins, though its files may come first; on another page nothing is opened any more.
  const fetching = useRef<Example | undefined>(undefined);
  useEffect(() => () => (fetching.current = undefined), []);
  const openExample = async (example: Example) => {
    fetching.current = example;
    const files = await fetchExample(example);
    if (fetching.current !== example) return;
    if (files !== undefined) return experiment.open(files, example.name, example.shows);
    experiment.fail({
      code: 'file-unreadable',
      place: { file: `examples/${example.name}` },
      found: 'The server of this page did not send the example.',
    });
  };
  const fault = experiment.fault.value;
  const notices = [
    fault !== undefined && <FaultCard key="fault" fault={fault} />,
    missing !== undefined && <MissingTrace key="missing" name={missing.name} />,
    storageFault.value !== undefined && <FaultCard key="storage" fault={storageFault.value} />,
  ].filter(Boolean);
  return (
    <StartPage
      session={session}
      dragging={dragging}
      mac={mac}
      notice={notices.length > 0 && <div class="start-notices">{notices}</div>}
      onChooseFolder={chooseFolder}
      onChooseFiles={chooseFiles}
      onOpenAddress={() => (dialog.value = { kind: 'address' })}
      onOpenExample={(example) => void openExample(example)}
      onReopen={(trace: RecentTrace) => void experiment.reopen(trace.key, trace.name)}
    />
  );
}

/** What is kept of the trace cannot be opened. */
function isDamaged(fault: Fault | undefined): boolean {
  return fault?.code === 'store-damaged';
}

/**
 * Opens what the address links to, from the store or the examples. What is neither is returned, to be asked for by name.
 */
function useLinkedTrace(): ReadonlySignal<Link | undefined> {
  const { session, experiment, dialog, linkedAddress } = useApp();
  const missing = useSignal<Link | undefined>(undefined);
  useEffect(() => {
    const follow = async () => {
      const link = currentLink();
      missing.value = undefined;
      const ask = (address: string | undefined) => {
        linkedAddress.value = address ?? '';
        if (address !== undefined) dialog.value = { kind: 'address' };
      };
      if (link === undefined) {
        ask(currentAddress());
        if (experiment.stage.peek() === 'opening') void experiment.close();
      }
      if (link === undefined || link.trace === experiment.trace.peek()) return;
      const { edition } = experiment;
      const kept = (await session.recent()).find(({ key }) => fingerprintOf(key) === link.trace);
      // Meanwhile the address may have changed, or something been opened.
      if (currentLink()?.trace !== link.trace || experiment.edition !== edition) return;
      if (kept) {
        await experiment.reopen(kept.key, link.name);
        if (currentLink()?.trace === link.trace && isDamaged(experiment.fault.peek())) ask(link.url);
        return;
      }
      const example = await findExample(session, link.name, link.trace);
      if (currentLink()?.trace !== link.trace || experiment.edition !== edition) return;
      if (example) return experiment.replace(example, link.name);
      missing.value = link;
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

function Overlays() {
  const { commands, dialog, linkedAddress, offers, mac } = useApp();
  const shown = dialog.value;
  const close = closerOf(dialog);
  const offer = offers.pending.value;
  return (
    <>
      {shown?.kind === 'palette' && <Palette key={shown} commands={commands} mac={mac} onClose={close} />}
      {shown?.kind === 'help' && <HelpSheet key={shown} commands={commands} mac={mac} onClose={close} />}
      {shown?.kind === 'overlays' && <OverlaysDialog key={shown} onClose={close} />}
      {shown?.kind === 'lock-events' && <LockEventsDialog key={shown} onClose={close} />}
      {shown?.kind === 'address' && (
        <AddressDialog key={shown} address={linkedAddress.value} onClose={close} />
      )}
      {offer !== undefined && <OfferDialog key={offer} offer={offer} />}
    </>
  );
}
