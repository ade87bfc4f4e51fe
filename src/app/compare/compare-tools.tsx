/** Tools of the comparison: renamed functions, another trace to compare with, and the executions as a file. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { encodeDatabase } from '../../engine/layers/executions/database/database.ts';
import type { KeptExecutions } from '../../engine/protocol/session.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import { download } from '../browser/download.ts';
import { useApp } from '../context/app-context.ts';
import { IconButton, TextButton } from '../controls/button.tsx';
import { useComputedOf } from '../controls/computed-of.ts';
import { chooseFiles } from '../files/dropped-files.ts';
import { plural, visibleText } from '../format/text.ts';
import '../layers/layers.css';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import type { ComparedProps } from './compare-page.ts';
import type { CompareState } from './compare-state.ts';
import type { Comparison } from './comparison.ts';
import type { GroupRule } from './group-rule.ts';
import { proposedRenames, readRenames, renameText } from './renames.ts';

/** Buttons that open the tools of the comparison. */
export function CompareTools({ page, comparison }: ComparedProps) {
  const { compare } = page;
  const shown = useSignal<'against' | 'renames' | undefined>(undefined);
  const close = () => (shown.value = undefined);
  const { size } = compare.renames.value;
  const hasVersions = VERSIONS.includes(compare.rule.value.kind);
  return (
    <>
      {hasVersions && (
        <button class="button" aria-haspopup="dialog" onClick={() => (shown.value = 'renames')}>
          {size === 0 ? 'Renamed functions' : plural(size, 'renamed function')}
        </button>
      )}
      <button class="button" aria-haspopup="dialog" onClick={() => (shown.value = 'against')}>
        Against another trace
      </button>
      <SaveButton compare={compare} />
      {shown.value === 'against' && <AgainstDialog compare={compare} onClose={close} />}
      {shown.value === 'renames' && (
        <RenamesDialog compare={compare} comparison={comparison} onClose={close} />
      )}
    </>
  );
}

/** Rules whose groups may be two versions of a program. */
const VERSIONS: readonly GroupRule['kind'][] = ['traces', 'host', 'time'];

/** Saves the executions that are shown as a file, which is looked at and compared without their trace. */
function SaveButton({ compare }: { readonly compare: CompareState }) {
  const refused = useSignal(false);
  const save = async () => {
    const [answer, about] = [compare.own.peek(), compare.source.about()];
    if (answer === undefined || about === undefined) return;
    const file = await encodeDatabase({ ...about, answer });
    refused.value = !file.ok;
    if (file.ok) download(new Blob([file.value]), `${about.name}.executions`);
  };
  return (
    <>
      {refused.value && (
        <span class="compare-refused">There are too many for a file, or this browser is too old.</span>
      )}
      <IconButton
        icon="download"
        label="Save as file"
        title="Save these executions as a file, to be compared without the trace"
        onClick={() => void save()}
      />
    </>
  );
}

interface DialogProps {
  readonly compare: CompareState;
  onClose(): void;
}

/** Dialog that chooses the trace to compare with: one with kept executions, a file of them, or one to be opened as well. */
function AgainstDialog({ compare, onClose }: DialogProps) {
  const app = useApp();
  const kept = useSignal<readonly KeptExecutions[] | undefined>(undefined);
  const definition = compare.definition.value;
  const own = compare.source.about()?.trace;
  useEffect(() => {
    if (definition === undefined) return;
    void compare.source.kept.list(definition).then((found) => {
      kept.value = found.filter(({ key }) => fingerprintOf(key) !== own);
    });
  }, []);
  const take = async ({ key }: KeptExecutions) => {
    const found = definition && (await compare.source.kept.find(fingerprintOf(key), definition));
    if (found === undefined) return;
    compare.files.against.value = found;
    onClose();
  };
  return (
    <Dialog label="Against another trace" class="layer-dialog" onClose={onClose}>
      <DialogHead title="Against another trace" onClose={onClose} />
      <div class="layer-body compare-chooser">
        <p class="muted">The executions of the other trace become group A, those of this one group B.</p>
        {kept.value !== undefined && kept.value.length > 0 && (
          <ul aria-label="Kept traces">
            {kept.value.map((one) => (
              <li key={one.key}>
                <button onClick={() => void take(one)}>
                  <span>{visibleText(one.name)}</span>
                  <span class="compare-take">Compare</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {kept.value?.length === 0 && (
          <p>Of no other trace that is kept here have the same executions been looked at.</p>
        )}
        <p>
          A file of executions: drop it here, or{' '}
          <TextButton
            text="Open a file"
            class="button outlined"
            onClick={() => {
              onClose();
              app.chooseFiles();
            }}
          />
        </p>
        <p class="muted">
          Drop the folder of another recording and add it to this one: both are on one timeline then, and are
          split by host or by time.
        </p>
      </div>
    </Dialog>
  );
}

/** Largest file of names that is read. */
const MOST_BYTES = 1_000_000;
const MOST_PROPOSED = 12;

/** Dialog of functions that have other names in group B than in group A: a line for each, from a file, or as proposed. */
function RenamesDialog({ compare, comparison, onClose }: DialogProps & { readonly comparison: Comparison }) {
  const text = useSignal(renameText(compare.renames.peek()));
  const proposals = useComputedOf(() => {
    const groups = compare.rested.value;
    return groups === undefined ? [] : proposedRenames(comparison.answer, groups).slice(0, MOST_PROPOSED);
  }, [compare, comparison]);
  const change = (changed: string) => {
    text.value = changed;
    compare.renames.value = readRenames(changed);
  };
  const load = async (file: Blob | undefined) => {
    if (file !== undefined && file.size <= MOST_BYTES) change(await file.text());
  };
  const left = proposals.value.filter(({ from }) => !compare.renames.value.has(from));
  return (
    <Dialog label="Renamed functions" class="layer-dialog" onClose={onClose}>
      <DialogHead title="Renamed functions" onClose={onClose} />
      <div class="layer-body compare-chooser">
        <p class="muted">
          A function that has another name in B is compared with what it was in A. One in each line:{' '}
          <code>OLD=NEW</code>
        </p>
        <textarea
          class="compare-renames mono"
          aria-label="Renamed functions"
          rows={6}
          spellcheck={false}
          placeholder="parse_header=parse_header_v2"
          value={text.value}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <TextButton
          text="Load from a file"
          class="button outlined compare-load"
          onClick={() => chooseFiles('files', ({ files }) => void load(files.at(0)?.file))}
        />
        {left.length > 0 && (
          <>
            <h3>Gone from A, and new in B below the same callers</h3>
            <ul aria-label="Proposals">
              {left.map(({ from, to }) => (
                <li key={from}>
                  <button
                    onClick={() => change(renameText(new Map([...compare.renames.peek(), [from, to]])))}
                  >
                    <span class="mono">
                      {visibleText(from)} → {visibleText(to)}
                    </span>
                    <span class="compare-take">Add</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
