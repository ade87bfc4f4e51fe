/** Answers that are files, as one part that is loaded with the first question. */
import type { QueryOf } from '../context/query.ts';
import { cutOf } from './cut.ts';
import { exportFile } from './export-file.ts';

export const exported: QueryOf<'exported'> = {
  nothing: () => ({}),
  answer: exportFile,
};

export const cutSize: QueryOf<'cutSize'> = {
  async answer(context, { range }) {
    const cut = await cutOf(context, range);
    return cut && { bytes: cut.bytes, events: cut.events };
  },
};
