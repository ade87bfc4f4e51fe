/** The start page: what Wakepath is, where to drop a trace, examples and recent traces. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../../engine/base/fault.ts';
import type { RecentTrace } from '../../engine/protocol/session.ts';
import { IS_SINGLE_FILE } from '../browser/single-file.ts';
import { useApp } from '../context/app-context.ts';
import { TextButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatBytes } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { LessonList } from '../lessons/lesson-list.tsx';
import { FaultCard } from '../opening/fault-card.tsx';
import { exampleFault, fetchExample, loadExamples, type Example } from './examples.ts';
import { KeptStorage, RecentTraces } from './recent-traces.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface StartPageProps {
  readonly dragging: ReadonlySignal<boolean>;
  /** Name of the linked trace, if this browser does not keep it. */
  readonly missing: string | undefined;
}

export function StartPage({ dragging, missing }: StartPageProps) {
  const { session, experiment, mac, dialog } = useApp();
  const examples = useSignal<readonly Example[]>([]);
  const recent = useSignal<readonly RecentTrace[] | undefined>(undefined);
  const storageFault = useSignal<Fault | undefined>(undefined);
  useEffect(() => {
    void loadExamples().then((list) => (examples.value = list.filter(({ lessonsOnly }) => !lessonsOnly)));
    void session.recent().then((list) => (recent.value = list));
    void session.storage().then((storage) => (storageFault.value = storage.fault));
  }, []);
  const forget = async (traces: readonly RecentTrace[]) => {
    for (const { key } of traces) await session.forget(key);
    recent.value = await session.recent();
  };

  // The example chosen last wins, whichever files come first; nothing is opened after the page has changed.
  const fetching = useRef<Example | undefined>(undefined);
  useEffect(() => () => (fetching.current = undefined), []);
  const openExample = async (example: Example) => {
    fetching.current = example;
    const files = await fetchExample(example);
    if (fetching.current !== example) return;
    if (files !== undefined) return experiment.open(files, example.name, example.shows);
    const fault = await exampleFault(example);
    if (fetching.current === example) experiment.fail(fault);
  };
  const fault = experiment.fault.value;
  const hasNotice = fault !== undefined || missing !== undefined || storageFault.value !== undefined;
  return (
    <main class="start">
      <div class="start-content">
        {hasNotice && (
          <div class="start-notices">
            {fault !== undefined && <FaultCard fault={fault} />}
            {missing !== undefined && <MissingTrace name={missing} />}
            {storageFault.value !== undefined && <FaultCard fault={storageFault.value} />}
          </div>
        )}
        <div class="start-hero">
          <section>
            <h1>See why a thread waited</h1>
            <p class="start-lead">
              Wakepath opens what perf, trace-cmd, Perfetto and LTTng record of Linux (and any CTF 1.8 or 2),
              and shows what every thread did, what it waited for, and who ended the wait.
            </p>
            <DropTarget dragging={dragging.value} />
            <p class="start-private">
              <Icon name="lock" />
              Nothing of your traces leaves this computer.
              <button class="link" onClick={() => (dialog.value = { kind: 'recording' })}>
                How to record a trace
              </button>
            </p>
          </section>
          <div>
            <RecentTraces
              traces={recent.value}
              onOpen={({ key, name }) => void experiment.reopen(key, name)}
              onForget={(trace) => void forget([trace])}
            />
            <KeptStorage
              session={session}
              traces={recent.value ?? []}
              onForgetAll={() => void forget(recent.peek() ?? [])}
            />
          </div>
        </div>
        {examples.value.length > 0 && (
          <Examples examples={examples.value} onOpen={(example) => void openExample(example)} />
        )}
        {!IS_SINGLE_FILE && (
          <section class="lessons" aria-label="Lessons">
            <LessonList
              heading={
                <h2>
                  Lessons <span>on recorded traces, for a course on operating systems</span>
                </h2>
              }
            />
          </section>
        )}
      </div>
      <footer class="start-keys">
        <span>
          <kbd class="key">{mac ? '⌘' : 'Ctrl'} O</kbd> open
        </span>
        <span>
          <kbd class="key">{mac ? '⌘' : 'Ctrl'} K</kbd> commands
        </span>
        <span>
          <kbd class="key">?</kbd> help
        </span>
        <span class="faint start-formats">
          Reads perf.data, trace.dat, ftrace text, Perfetto, CTF 1.8 and 2, packed or not
        </span>
        {!IS_SINGLE_FILE && (
          <a class="faint" href="licences.txt">
            Licences
          </a>
        )}
      </footer>
    </main>
  );
}

interface ExamplesProps {
  readonly examples: readonly Example[];
  onOpen(example: Example): void;
}

function Examples({ examples, onOpen }: ExamplesProps) {
  return (
    <section class="start-examples" aria-label="Examples">
      <h2>
        Examples <span>recorded traces, each with a question to answer</span>
      </h2>
      <ul>
        {examples.map((example) => (
          <li key={example.name}>
            <button class="example" onClick={() => onOpen(example)}>
              <span class="example-question">{example.question}</span>
              <Thumbnail rows={example.rows ?? []} />
              <span class="example-facts">
                <span class="ellipsis">
                  {example.name}, {example.text}
                </span>
                <span>{formatBytes(example.bytes)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Text of the drop area. Chromium does not let a page from a disk read dropped files. */
const INVITATION = IS_SINGLE_FILE
  ? 'Choose a trace folder, or its archive'
  : 'Drop a trace folder, files or an archive here';

/** @param props.dragging files are being dragged over the page */
function DropTarget({ dragging }: { readonly dragging: boolean }) {
  const { dialog, chooseFolder, chooseFiles } = useApp();
  return (
    <div class={dragging ? 'drop-target dragging' : 'drop-target'}>
      <Icon name="download" size={28} />
      <p>{dragging ? 'Release to open' : INVITATION}</p>
      <div class="line">
        <TextButton class="button primary large" onClick={chooseFolder} text="Choose a folder" />
        <TextButton class="button outlined large" onClick={chooseFiles} text="Choose files" />
        {!IS_SINGLE_FILE && (
          <button class="button outlined large" onClick={() => (dialog.value = { kind: 'address' })}>
            Open by address
          </button>
        )}
      </div>
    </div>
  );
}

function MissingTrace({ name }: { readonly name: string }) {
  return (
    <section class="notice" role="status">
      <Icon name="search" />
      <div class="fault">
        <h3>This link shows a place in “{visibleText(name)}”</h3>
        <p>
          This browser does not keep that trace. Drop its folder here, and the place opens. Links hold no
          traces.
        </p>
      </div>
    </section>
  );
}
