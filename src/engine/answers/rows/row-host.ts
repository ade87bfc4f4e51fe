/** The host of a row, by the row's id: `KIND:HOST:…`. */
export function hostOfRow(row: string): number {
  return Number(row.split(':')[1]);
}
