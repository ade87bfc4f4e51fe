/** The row of a table whose details are shown beside it. */
import { useSignal } from '@preact/signals';

export type ChosenRow<Row> = ReturnType<typeof useChosenRow<Row>>;

export function useChosenRow<Row>(keyOf: (row: Row) => string, timeOf: (row: Row) => number) {
  const chosen = useSignal<string | undefined>(undefined);
  const isChosen = (row: Row) => keyOf(row) === chosen.value;
  return {
    choose: (row: Row) => (chosen.value = keyOf(row)),
    isChosen,
    /** The chosen row, if it is among these; else the one with the most time. */
    rowOf: (rows: readonly Row[]) => rows.find(isChosen) ?? mostOf(rows, timeOf),
  };
}

function mostOf<Row>(rows: readonly Row[], timeOf: (row: Row) => number): Row | undefined {
  let most: Row | undefined;
  for (const row of rows) if (most === undefined || timeOf(row) > timeOf(most)) most = row;
  return most;
}
