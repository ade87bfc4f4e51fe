/** Before anything is open: what this is, where to drop a trace, traces to begin with. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { RecentTrace, SessionApi } from '../../engine/protocol/session.ts';
import { formatBytes } from '../format/numbers.ts';
import { LessonList } from '../lessons/lesson-list.tsx';
import { loadExamples, type Example } from './examples.ts';
import { KeptStorage } from './kept-storage.tsx';
import { RecentTraces } from './recent-traces.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { IS_SINGLE_FILE } from '../browser/single-file.ts';
import { Icon } from '../controls/icon.tsx';

interface StartPageProps {
  readonly session: SessionApi;
  readonly dragging: ReadonlySignal<boolean>;
  readonly mac: boolean;
  /** Notice of what went wrong with the last opening, or a note on the storage. */
  readonly notice: ComponentChildren;
  onChooseFolder(): void;
  onChooseFiles(): void;
  onOpenAddress(): void;
  onRecord(): void;
  onOpenExample(example: Example): void;
  onReopen(trace: RecentTrace): void;
}

export function StartPage({ session, dragging, mac, notice, ...on }: StartPageProps) {
  const examples = useSignal<readonly Example[]>([]);
  const recent = useSignal<readonly RecentTrace[] | undefined>(undefined);
  useEffect(() => {
    void loadExamples().then((list) => (examples.value = list.filter(({ lessonsOnly }) => !lessonsOnly)));
    void session.recent().then((list) => (recent.value = list));
  }, []);
  const forget = async (traces: readonly RecentTrace[]) => {
    for (const { key } of traces) await session.forget(key);
    recent.value = await session.recent();
  };
  return (
    <main class="start">
      <div class="start-content">
        {notice}
        <div class="start-hero">
          <section>
            <h1>See why a thread waited</h1>
            <p class="start-lead">
              Wakepath opens what perf, trace-cmd, Perfetto and LTTng record of Linux (and any CTF 1.8 or 2),
              and shows what every thread did, what it waited for, and who ended the wait.
            </p>
            <DropTarget
              dragging={dragging.value}
              onChooseFolder={on.onChooseFolder}
              onChooseFiles={on.onChooseFiles}
              onOpenAddress={on.onOpenAddress}
            />
            <p class="start-private">
              <Icon name="lock" />
              Nothing of your traces leaves this computer.
              <button class="link" onClick={on.onRecord}>
                How to record a trace
              </button>
            </p>
          </section>
          <div>
            <RecentTraces
              traces={recent.value}
              onOpen={on.onReopen}
              onForget={(trace) => void forget([trace])}
            />
            <KeptStorage
              session={session}
              traces={recent.value ?? []}
              onForgetAll={() => void forget(recent.peek() ?? [])}
            />
          </div>
        </div>
        {examples.value.length > 0 && <Examples examples={examples.value} onOpen={on.onOpenExample} />}
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

interface DropTargetProps {
  /** Files are being dragged over the page. */
  readonly dragging: boolean;
  onChooseFolder(): void;
  onChooseFiles(): void;
  onOpenAddress(): void;
}

/** Chromium lets a page from a disk read nothing that is dropped. */
const INVITATION = IS_SINGLE_FILE
  ? 'Choose a trace folder, or its archive'
  : 'Drop a trace folder, files or an archive here';

function DropTarget({ dragging, onChooseFolder, onChooseFiles, onOpenAddress }: DropTargetProps) {
  return (
    <div class={dragging ? 'drop-target dragging' : 'drop-target'}>
      <Icon name="download" size={28} />
      <p>{dragging ? 'Release to open' : INVITATION}</p>
      <div class="line">
        <button class="button primary large" onClick={onChooseFolder}>
          Choose a folder
        </button>
        <button class="button outlined large" onClick={onChooseFiles}>
          Choose files
        </button>
        {!IS_SINGLE_FILE && (
          <button class="button outlined large" onClick={onOpenAddress}>
            Open by address
          </button>
        )}
      </div>
    </div>
  );
}
