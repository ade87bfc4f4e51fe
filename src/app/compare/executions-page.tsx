/** Files of executions without their traces: the tab Compare alone, or many as a trend. */
import { useEffect, useMemo } from 'preact/hooks';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { useApp } from '../context/app-context.ts';
import { ComparePanel } from './compare-panel.tsx';
import { CompareState } from './compare-state.ts';
import { fileSource } from './executions-source.ts';

export { TrendPage } from './trend-page.tsx';

export function ExecutionsPage({ database }: { readonly database: ExecutionDatabase }) {
  const app = useApp();
  const compare = useMemo(() => {
    const state = new CompareState(fileSource(app.session, database), app.executionFiles);
    state.choose(database.answer.definition);
    return state;
  }, []);
  useEffect(() => () => compare.dispose(), []);
  return (
    <main class="compare-page">
      <ComparePanel app={app} compare={compare} />
    </main>
  );
}
