/** The row of a table whose details are shown beside it. */
import { useSignal } from '@preact/signals';

export interface ChosenRow<Row> {
  choose(row: Row): void;
  isChosen(row: Row): boolean;
  /** The one that was chosen, if it is among these; else that with the most time. */
  rowOf(rows: readonly Row[]): Row | undefined;
}

export function useChosenRow<Row>(keyOf: (row: Row) => string, timeOf: (row: Row) => number): ChosenRow<Row> {
  const chosen = useSignal<string | undefined>(undefined);
  const isChosen = (row: Row) => keyOf(row) === chosen.value;
  return {
    choose: (row) => (chosen.value = keyOf(row)),
    isChosen,
    rowOf: (rows) => rows.find(isChosen) ?? mostOf(rows, timeOf),
  };
}

function mostOf<Row>(rows: readonly Row[], timeOf: (row: Row) => number): Row | undefined {
  let most: Row | undefined;
  for (const row of rows) if (most === undefined || timeOf(row) > timeOf(most)) most = row;
  return most;
}
