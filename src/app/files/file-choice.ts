/** The browser's dialogs to choose a folder or files. */
import { gatherPicked, type GatheredFiles, gatherDropped } from './dropped-files.ts';
import { signal, type ReadonlySignal } from '@preact/signals';

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

/** Returns whether files are being dragged over the page. Listens as long as that lives. */
export function listenForDrops(
  target: Window,
  onDrop: (files: GatheredFiles) => void,
): ReadonlySignal<boolean> {
  const dragging = signal(false);
  // Both must be accepted, else the browser would show the file.
  const accept = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    dragging.value = true;
  };
  target.addEventListener('dragenter', accept);
  target.addEventListener('dragover', accept);
  target.addEventListener('dragleave', (event) => {
    // Every element that is left sends this; only without a related one has the pointer left the page.
    if (event.relatedTarget === null) dragging.value = false;
  });
  target.addEventListener('drop', (event) => {
    dragging.value = false;
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    void gatherDropped(event.dataTransfer).then(onDrop);
  });
  return dragging;
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}
