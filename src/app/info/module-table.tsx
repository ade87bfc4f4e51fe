/**
 * Table of what is known of the functions of programs and libraries: by files that lie beside the trace or are dropped
 * later.
 */
import { useComputed } from '@preact/signals';
import type { ModuleLine } from '../../engine/protocol/profile.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

const STATE_WORDS: Readonly<Record<ModuleLine['state'], string>> = {
  found: 'found',
  kept: 'kept from before',
  'other build': 'another build, not used',
  missing: 'missing',
};

export function ModuleTable() {
  const { session, experiment, chooseFiles } = useApp();
  const answer = useLiveAnswer(
    // Rows come when stacks have been read, and when frames have other names.
    () => experiment.rows.value,
    (_, signal) => session.ask('modules', {}, { signal }),
  );
  const modules = useComputed(() => answer.value ?? []);
  if (modules.value.length === 0) return null;
  return (
    <section class="info-modules" aria-label="Symbols">
      <h3>Symbols</h3>
      <div class="info-streams">
        <table>
          <thead>
            <tr>
              <th>Program or library</th>
              <th class="numeric">Frames</th>
              <th class="numeric">Named</th>
              <th>Its file</th>
            </tr>
          </thead>
          <tbody>
            {modules.value.map((module) => (
              <ModuleRow key={`${module.path} ${module.buildId ?? ''}`} module={module} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="info-note">
        Drop the files of programs and libraries here, or{' '}
        <button class="link" onClick={chooseFiles}>
          choose them
        </button>
        : they name the functions of the same build at once.
      </p>
    </section>
  );
}

function ModuleRow({ module: { path, buildId, frames, named, state } }: { readonly module: ModuleLine }) {
  const id = buildId === undefined ? 'The trace has no build id of it' : `Build id ${buildId}`;
  return (
    <tr>
      <td class="mono" title={`${visibleText(path)}\n${visibleText(id)}`}>
        {visibleText(path.slice(path.lastIndexOf('/') + 1))}
        {buildId === undefined && <span class="faint"> without a build id</span>}
      </td>
      <td class="numeric">{formatCount(frames)}</td>
      <td class="numeric">{formatCount(named)}</td>
      <td class={state === 'other build' ? 'bad' : 'muted'}>{STATE_WORDS[state]}</td>
    </tr>
  );
}
