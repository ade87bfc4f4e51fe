/** The field to drop a trace on, with buttons for those who rather choose. */
import { IS_SINGLE_FILE } from '../browser/single-file.ts';
import { Icon } from '../controls/icon.tsx';

interface DropTargetProps {
  /** Files are being dragged over the page. */
  readonly dragging: boolean;
  onChooseFolder(): void;
  onChooseFiles(): void;
  onOpenAddress(): void;
}

/** Chromium lets a page from a disk read nothing that is dropped. */
const INVITATION = IS_SINGLE_FILE
  ? 'Choose a trace folder, or its archive'
  : 'Drop a trace folder, files or an archive here';

export function DropTarget({ dragging, onChooseFolder, onChooseFiles, onOpenAddress }: DropTargetProps) {
  return (
    <div class={dragging ? 'drop-target dragging' : 'drop-target'}>
      <Icon name="download" size={28} />
      <p>{dragging ? 'Release to open' : INVITATION}</p>
      <div class="line">
        <button class="button primary large" onClick={onChooseFolder}>
          Choose a folder
        </button>
        <button class="button outlined large" onClick={onChooseFiles}>
          Choose files
        </button>
        {!IS_SINGLE_FILE && (
          <button class="button outlined large" onClick={onOpenAddress}>
            Open by address
          </button>
        )}
      </div>
    </div>
  );
}
