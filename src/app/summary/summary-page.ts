/** The parts of the page that the tab uses, and functions that show a finding on the page. */
import { batch } from '@preact/signals';
import type { FindingPlace } from '../../engine/protocol/summary.ts';
import { COMPARE_TAB } from '../compare/compare-page.ts';
import type { CompareState } from '../compare/compare-state.ts';
import type { App } from '../context/app-context.ts';
import { type LocksPage, LOCKS_TAB, showRow } from '../locks/locks-page.ts';
import { waitFilter } from '../locks/wait-filter.ts';
import type { SummaryState } from './summary-state.ts';

export const SUMMARY_TAB = 'summary';

export interface SummaryPage extends LocksPage {
  readonly app: App;
  readonly compare: CompareState;
  readonly summary: SummaryState;
}

/** Texts of the buttons that lead to places. */
export const PLACES: Readonly<Record<FindingPlace['tab'], string>> = {
  info: 'Info',
  sync: 'Sync',
  recordings: 'Recordings',
  statistics: 'Statistics',
  path: 'Path',
  compare: 'Compare',
  locks: 'Locks',
};

export function showPlace(page: SummaryPage, place: FindingPlace): void {
  const { app, view, path, compare } = page;
  batch(() => {
    switch (place.tab) {
      case 'path':
        view.selectRange(undefined);
        view.show(place.row, place.range);
        path.criterion.value = place.criterion;
        path.explainRow(place.row);
        break;
      case 'statistics':
        view.selectRange(undefined);
        app.choices.choose('statistics.section', place.section);
        break;
      case 'compare':
        compare.choose(place.definition);
        return app.drawer.show(COMPARE_TAB);
      case 'locks':
        if (place.lock !== undefined) waitFilter(app.choices, page.locks).choose(place.lock);
        if (place.wait !== undefined) return showRow(page, place.wait.row, place.wait.range, place.wait.at);
        return app.drawer.show(LOCKS_TAB);
    }
    app.drawer.show(place.tab);
  });
}
