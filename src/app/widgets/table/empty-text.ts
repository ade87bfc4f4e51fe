/** Text of a table without rows: there are none, or it is not known. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Whether the data of tables is damaged. */
export const IsDamaged = createContext(false);

/** @param empty text of an empty table if all is known */
export function useEmptyText(empty: string): string {
  return useContext(IsDamaged) ? 'Nothing is known here: the kept data are damaged.' : empty;
}
