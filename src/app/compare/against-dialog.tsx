/** Dialog of the trace to compare with: one whose executions are kept, a file of them, or one opened as well. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { KeptExecutions } from '../../engine/protocol/session.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import { useApp } from '../context/app-context.ts';
import '../layers/layers.css';
import { visibleText } from '../format/text.ts';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import type { CompareState } from './compare-state.ts';

interface AgainstDialogProps {
  readonly compare: CompareState;
  onClose(): void;
}

export function AgainstDialog({ compare, onClose }: AgainstDialogProps) {
  const { chooseFiles } = useApp();
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
          <button
            class="button outlined"
            onClick={() => {
              onClose();
              chooseFiles();
            }}
          >
            Open a file
          </button>
        </p>
        <p class="muted">
          Drop the folder of another recording and add it to this one: both are on one timeline then, and are
          split by host or by time.
        </p>
      </div>
    </Dialog>
  );
}
