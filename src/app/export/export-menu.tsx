/** The menu of files for other programs. While one is written it says how far that is, and stops it. */
import { useSignal } from '@preact/signals';
import { useContext, useEffect } from 'preact/hooks';
import { download } from '../browser/download.ts';
import { useApp } from '../context/app-context.ts';
import { PicturesContext } from '../draw/pictures.ts';
import { Icon } from '../controls/icon.tsx';
import { MenuButton } from '../controls/menu.tsx';
import { unlessAborted } from '../experiment/live-answer.ts';
import { formatShare } from '../format/numbers.ts';
import { closerOf } from '../widgets/dialog/dialog.tsx';
import { type ExportItem, exportItems, type ExportPage } from './export-items.ts';
import { ShareDialog } from './share-dialog.tsx';

/** How long it says that there was nothing to write. */
const SAID_MS = 4000;

interface ExportMenuProps extends Omit<ExportPage, 'pictures'> {
  /** The fragment of the address of what is seen now, with names or without. */
  link(withoutTexts: boolean): string;
}

export function ExportMenu(page: ExportMenuProps) {
  const pictures = useContext(PicturesContext).shown.value;
  const { session, experiment } = useApp();
  const writing = useSignal<AbortController | undefined>(undefined);
  const share = useSignal(0);
  const said = useSignal('');
  const sharing = useSignal<object | undefined>(undefined);
  useEffect(() => () => writing.peek()?.abort(), []);
  useEffect(() => {
    if (said.value === '') return;
    const timer = setTimeout(() => (said.value = ''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said.value]);

  const fileOf = async ({ content }: ExportItem, signal: AbortSignal): Promise<Blob | undefined> => {
    if (typeof content === 'function') return content();
    const onProgress = (done: number) => void (share.value = done);
    return (await session.ask('exported', content, { signal, onProgress })).file;
  };
  const write = async (item: ExportItem) => {
    const stop = new AbortController();
    [writing.value, share.value] = [stop, 0];
    try {
      const file = await unlessAborted(fileOf(item, stop.signal), stop.signal);
      if (stop.signal.aborted) return;
      if (file === undefined) said.value = 'Nothing to export';
      else download(file, `${item.isNameless ? 'trace' : experiment.name.peek()}.${item.ending}`);
    } finally {
      if (writing.peek() === stop) writing.value = undefined;
    }
  };
  const stop = writing.value;
  const items =
    stop === undefined
      ? [
          { title: 'Share this finding…', run: () => (sharing.value = {}) },
          ...exportItems({ ...page, pictures }).map((item, at) => {
            return { title: item.title, begins: at === 0, run: () => void write(item) };
          }),
        ]
      : [{ title: 'Stop exporting', run: () => stop.abort() }];
  const words = said.value || (stop === undefined ? 'Export' : `Export ${formatShare(share.value)}`);
  return (
    <>
      <MenuButton label={words} items={items}>
        <Icon name="download" />
        <span class="top-word" aria-live="polite">
          {words}
        </span>
      </MenuButton>
      {sharing.value && <ShareDialog key={sharing.value} {...page} onClose={closerOf(sharing)} />}
    </>
  );
}
