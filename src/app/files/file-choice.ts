/** The browser's dialogs to choose a folder or files. */
import { gatherPicked, type GatheredFiles } from './dropped-files.ts';

/** Opens the dialog; `onChoice` is not called when the user cancels it. Needs a click or key press to be allowed. */
export function chooseFiles(kind: 'folder' | 'files', onChoice: (files: GatheredFiles) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = kind === 'folder';
  input.addEventListener('change', () => {
    if (input.files !== null) onChoice(gatherPicked(input.files));
  });
  input.click();
}
