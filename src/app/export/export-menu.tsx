/** The menu that saves files for other programs. While a file is written, it shows the progress and a button to stop. */
import { useSignal } from '@preact/signals';
import { useContext, useEffect } from 'preact/hooks';
import { download } from '../browser/download.ts';
import { loadCode } from '../../engine/base/later-code.ts';
import type { ExportRequest } from '../../engine/protocol/export.ts';
import type { ReportFormat } from '../../engine/protocol/report.ts';
import { type App, useApp } from '../context/app-context.ts';
import { framedPicture, type Picture, PicturesContext } from '../draw/pictures.ts';
import { Icon } from '../controls/icon.tsx';
import { MenuButton } from '../controls/menu.tsx';
import { EVENTS_FILTER } from '../events/show-events.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { hasStacks } from '../experiment/stack-rows.ts';
import { formatRange, formatShare } from '../format/numbers.ts';
import { notesFile } from '../notes/notes-file.ts';
import type { Notes } from '../notes/notes.ts';
import type { PathState } from '../path/path-state.ts';
import { rangeOf, type ViewModel } from '../timeline/timeline.tsx';
import { closerOf } from '../widgets/dialog/dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

/** Duration of the message that there was nothing to write. */
const SAID_MS = 4000;

interface ExportMenuProps extends Omit<ExportPage, 'pictures'> {
  /** Fragment of the address of the current view, with names or without. */
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

interface ExportPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
  readonly notes: Notes;
  readonly pictures: readonly Picture[];
}

interface ExportItem {
  /** "Events as CSV, selected range" */
  readonly title: string;
  readonly ending: string;
  /** A question to the session, or a function that makes the file; undefined: there is nothing to write. */
  readonly content: ExportRequest | (() => Promise<Blob | undefined>);
  /** Whether the file's name leaves out the name of the trace. */
  readonly isNameless?: boolean;
}

/** Exports that are possible now: of the selected range, and of the events that the filter accepts. Reads signals. */
function exportItems({ app, view, path, notes, pictures }: ExportPage): readonly ExportItem[] {
  const range = view.range.value;
  const filter = app.choices.text(EVENTS_FILTER) ?? '';
  const events = filter === '' ? 'Events' : 'Events found';
  const info = app.experiment.info.value;
  const shown = path.answer.value;
  const items: ExportItem[] = [];
  const add = (title: string, ending: string, content: ExportRequest): void => {
    const isCut = range !== undefined && content.what !== 'path';
    items.push({ title: isCut ? `${title}, selected range` : title, ending, content });
  };
  const set = { filter, ...(range && { selection: { from: range.from, to: range.to } }) };
  const report = (format: ReportFormat, title: string, ending: string, withoutNames = false) => {
    const { trace, name, url } = app.experiment;
    const about = { trace: trace.value ?? '', name: name.value, url: url.value, page: pageAddress() };
    const content = { what: 'report', format, withoutNames, ...about } as const;
    items.push({ title, ending, isNameless: withoutNames, content });
  };
  report('html', 'Report', 'report.html');
  report('html', 'Report without names', 'nameless.html', true);
  report('markdown', 'Report as Markdown', 'report.md');
  report('json', 'Report as JSON', 'report.json');
  if (app.experiment.hasFiles.value) {
    const found = { what: 'events', events: set, range } as const;
    add(`${events} as CSV`, 'events.csv', { ...found, format: 'csv' });
    add(`${events} as JSON`, 'events.json', { ...found, format: 'json' });
    add(`${events} as Parquet`, 'events.parquet', { ...found, format: 'parquet' });
  }
  if (info?.hasKernel === true) {
    const states = { what: 'states', range } as const;
    add('Thread states as CSV', 'states.csv', { ...states, format: 'csv' });
    add('Thread states as Parquet', 'states.parquet', { ...states, format: 'parquet' });
    add('Trace for Perfetto', 'pftrace', { what: 'perfetto', range, path: shown });
  }
  if (shown !== undefined)
    add('Critical path as CSV', 'path.csv', { what: 'path', format: 'csv', path: shown });
  if (hasStacks(app.experiment.rows.value))
    add('Call stacks for pprof', 'pb.gz', { what: 'pprof', profile: { of: 'all', row: '', range } });
  if (info?.hasKernel === true) {
    const profile = { of: 'all', row: '', range, offCpu: 'sleeper' } as const;
    add('Blocked time by call stacks for pprof', 'off-cpu.pb.gz', { what: 'pprof', profile });
  }
  if (notes.all.value.length > 0) {
    const content = new Blob([notesFile(app.experiment.trace.value ?? '', notes.all.value)]);
    items.push({ title: 'Notes as JSON', ending: 'notes.json', content: () => Promise.resolve(content) });
  }
  const framed = (picture: Picture) => {
    const { from, to } = rangeOf(view.viewport.peek());
    return framedPicture(picture, app.experiment.name.peek(), formatRange(from, to));
  };
  for (const picture of pictures) {
    const { title } = picture;
    const id = title
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .replace(/-$/, '');
    items.push(
      { title: `${title} as PNG`, ending: `${id}.png`, content: () => pngOf(framed(picture)) },
      { title: `${title} as SVG`, ending: `${id}.svg`, content: () => svgOf(framed(picture)) },
    );
  }
  return items;
}

/** The address of the page without its fragment; undefined: others cannot open it. */
function pageAddress(): string | undefined {
  const { protocol, origin, pathname } = window.location;
  return /^https?:$/.test(protocol) ? origin + pathname : undefined;
}

/** Pixels of a PNG for a CSS pixel. */
const RATIO = 2;

/** Picture as PNG. @returns undefined: the browser cannot make a picture of that size */
async function pngOf(picture: Picture): Promise<Blob | undefined> {
  const { width, height } = picture.size();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * RATIO);
  canvas.height = Math.round(height * RATIO);
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(RATIO, RATIO);
  picture.paint(context);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}

/** Picture as SVG, with texts as texts. Its library is loaded with the first picture. */
async function svgOf(picture: Picture): Promise<Blob> {
  const { SvgContext } = await loadCode(() => import('./svg-context.ts'));
  const { width, height } = picture.size();
  const context = new SvgContext(width, height);
  picture.paint(context);
  return new Blob([context.text()], { type: 'image/svg+xml' });
}
