/** Text of a finding beside its part of a trace (`engine/answers/export/finding-file.ts`), shown with that. */
import { objectOf } from '../../engine/base/json-object.ts';
import { applyLink, selectLater } from '../address/address.ts';
import { type Link, readLink } from '../address/link.ts';
import type { OpenPage } from '../features/feature.ts';
import { notesFile } from '../notes/notes-file.ts';

/**
 * Shows it once it is read, and adds its notes to those that are kept. The function returned ends that.
 * @param isLinked the page's address says what is shown of this trace: the finding brings its notes alone
 */
export function showFinding(page: OpenPage, isLinked: boolean): () => void {
  const { view, notes, app } = page;
  const { session, experiment } = app;
  let isOver = false;
  let stopSelecting: (() => void) | undefined;
  const show = async () => {
    const says = objectOf((await session.ask('finding', {})) ?? '');
    const trace = experiment.trace.peek();
    if (isOver || trace === undefined || says?.wakepath !== 'finding' || says.trace !== trace) return;
    const found = says.notes;
    if (Array.isArray(found) && found.length > 0) notes.take(notesFile(trace, found));
    const link = linkIn(says);
    // The reader may have gone on meanwhile.
    const { interval, range } = view.question.peek();
    if (isLinked || link === undefined || interval !== undefined || range !== undefined) return;
    applyLink(link, page);
    stopSelecting = selectLater(page, link);
  };
  void show();
  return () => {
    isOver = true;
    stopSelecting?.();
  };
}

/** Where all was in view, what is in view is all of the part. */
function linkIn({ link, from, to }: Readonly<Record<string, unknown>>): Link | undefined {
  const read = typeof link === 'string' ? readLink(link) : undefined;
  if (read === undefined || read.view !== undefined) return read;
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && Number(from) < Number(to);
  return isRange ? { ...read, view: { from: Number(from), to: Number(to) } } : read;
}
