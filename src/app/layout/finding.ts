/** Shows the finding in a file of a finding (`engine/answers/export/finding-file.ts`) when its trace is open. */
import { objectOf } from '../../engine/base/json-object.ts';
import { applyLink, selectLater } from '../address/address.ts';
import { type Link, readLink } from '../address/link.ts';
import type { OpenPage } from '../features/feature.ts';
import { notesFile } from '../notes/notes-file.ts';

/**
 * Shows the finding once it is read, and adds its notes to the stored ones. The function returned ends that.
 * @param isLinked whether the page's address links to this trace: then only the notes are taken
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
    // Not if the reader has selected something meanwhile.
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

/** The link of a finding. If it shows the whole trace, its view is the part that was saved. */
function linkIn({ link, from, to }: Readonly<Record<string, unknown>>): Link | undefined {
  const read = typeof link === 'string' ? readLink(link) : undefined;
  if (read === undefined || read.view !== undefined) return read;
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && Number(from) < Number(to);
  return isRange ? { ...read, view: { from: Number(from), to: Number(to) } } : read;
}
