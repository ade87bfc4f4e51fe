/** Files dragged over and dropped on the page, anywhere. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { gatherDropped, type GatheredFiles } from './dropped-files.ts';

export interface FileDrop {
  readonly dragging: ReadonlySignal<boolean>;
  dispose(): void;
}

export function listenForDrops(target: Window, onDrop: (files: GatheredFiles) => void): FileDrop {
  const dragging = signal(false);
  const listeners = new AbortController();
  const on = <E extends keyof WindowEventMap>(name: E, handle: (event: WindowEventMap[E]) => void) =>
    target.addEventListener(name, handle, { signal: listeners.signal });

  // Both must be accepted, else the browser would show the file.
  const accept = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    dragging.value = true;
  };
  on('dragenter', accept);
  on('dragover', accept);
  on('dragleave', (event) => {
    // Every element that is left sends this; only without a related one has the pointer left the page.
    if (event.relatedTarget === null) dragging.value = false;
  });
  on('drop', (event) => {
    dragging.value = false;
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    void gatherDropped(event.dataTransfer).then(onDrop);
  });
  return { dragging, dispose: () => listeners.abort() };
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}
