/** Saves the executions that are shown as a file, which is looked at and compared without their trace. */
import { useSignal } from '@preact/signals';
import { encodeDatabase } from '../../engine/layers/executions/database/database.ts';
import { download } from '../browser/download.ts';
import { Icon } from '../controls/icon.tsx';
import type { CompareState } from './compare-state.ts';

export function SaveButton({ compare }: { readonly compare: CompareState }) {
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
      <button
        class="button only-icon"
        title="Save these executions as a file, to be compared without the trace"
        aria-label="Save as file"
        onClick={() => void save()}
      >
        <Icon name="download" />
      </button>
    </>
  );
}
