/** Places in source files as text. Pure. */
import type { SourceLines } from '../../engine/layers/stacks/frame-names.ts';
import { visibleText } from './text.ts';

/** "index.hpp:31–34" */
export function sourceText({ file, first, last }: SourceLines): string {
  const lines = first === last ? first : `${first}–${last}`;
  return visibleText(`${file.slice(file.lastIndexOf('/') + 1)}:${lines}`);
}
