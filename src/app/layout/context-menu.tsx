/**
 * The context menu of a row or interval of the timeline, or of a row of a table, opened by a right click, the Menu key or
 * Shift F10. It first selects what was clicked; its entries are commands on the selection (`Command.menu`).
 */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { menuCommands } from '../commands/command.ts';
import { useApp } from '../context/app-context.ts';
import { copyText } from '../controls/copy-button.tsx';
import { type MenuItem, MenuList } from '../controls/menu.tsx';
import { focusRows, type ViewModel } from '../timeline/timeline.tsx';

/** CSS pixels that stay between the menu and the edge of the window. */
const EDGE = 4;

interface Opened {
  /** CSS pixels of the window. */
  readonly x: number;
  readonly y: number;
  /** Whether it is for a row of the timeline, or for a table's row that is about one. */
  readonly isOfRow: boolean;
  /** Cells of a table's row, separated by tabs. */
  readonly cells: string | undefined;
  readonly focused: Element | null;
}

interface ContextMenuProps {
  readonly view: ViewModel;
  /** Element in which the menu can be opened. */
  readonly area: RefObject<HTMLElement | null>;
}

export function ContextMenu({ view, area }: ContextMenuProps) {
  const { commands } = useApp();
  const opened = useSignal<Opened | undefined>(undefined);
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    const open = (event: MouseEvent) => {
      const place = selectPlace(view, event);
      if (place === undefined) return;
      event.preventDefault();
      const focused = document.activeElement;
      // The entries depend on the selection, which the session may still have to find.
      void view.settled().then((isLatest) => {
        if (isLatest) opened.value = { ...place, focused };
      });
    };
    element.addEventListener('contextmenu', open);
    return () => element.removeEventListener('contextmenu', open);
  }, []);
  const now = opened.value;
  useLayoutEffect(() => {
    if (holder.current !== null && now !== undefined) keepInWindow(holder.current, now);
  });
  if (now === undefined) return null;
  const items = itemsOf(now, now.isOfRow ? menuCommands(commands.all.value) : []);
  if (items.length === 0) return null;
  const close = () => {
    opened.value = undefined;
    if (now.focused instanceof HTMLElement && now.focused !== document.body) now.focused.focus();
    else focusRows();
  };
  return (
    <div
      class="context-menu"
      ref={holder}
      onContextMenu={(event) => event.preventDefault()}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) opened.value = undefined;
      }}
    >
      <MenuList key={`${now.x} ${now.y}`} label="What can be done" items={items} onClose={close} />
    </div>
  );
}

function itemsOf({ cells }: Opened, commands: ReturnType<typeof menuCommands>): readonly MenuItem[] {
  const items = commands.map((command, at): MenuItem => ({
    title: command.menu.title(),
    begins: at > 0 && commands[at - 1].menu.section !== command.menu.section,
    run: command.run,
  }));
  if (cells === undefined) return items;
  return [...items, { title: 'Copy row', begins: items.length > 0, run: () => void copyText(cells) }];
}

/** Selects what was clicked or has the focus; undefined: it has no menu. */
function selectPlace(view: ViewModel, event: MouseEvent): Omit<Opened, 'focused'> | undefined {
  if (!(event.target instanceof Element)) return undefined;
  const { target, clientX: x, clientY: y } = event;
  const line = target.closest<HTMLElement>('.table-row');
  if (line !== null) {
    const { row } = line.dataset;
    if (row !== undefined) view.show(row);
    const cells = Array.from(line.querySelectorAll('[role=gridcell]'), (cell) => cell.textContent.trim());
    const box = line.getBoundingClientRect();
    // The event of a key has no position.
    const at = event.button === 2 ? { x, y } : { x: box.left + box.height, y: box.bottom };
    return { ...at, isOfRow: row !== undefined, cells: cells.join('\t') };
  }
  const ofGutter = target.closest<HTMLElement>('.gutter-row')?.dataset.row;
  if (ofGutter !== undefined) {
    view.selectRow(ofGutter);
    return { x, y, isOfRow: true, cells: undefined };
  }
  const { row, timeNs } = view.hover.peek() ?? {};
  if (target.closest('.rows-area') !== null && event.button === 2) {
    if (row === undefined || timeNs === undefined) return undefined;
    void view.select(row, timeNs);
    return { x, y, isOfRow: true, cells: undefined };
  }
  return target.closest('.timeline-rows') === null ? undefined : atFocusedRow(target);
}

/** Beside the row that the keyboard is on. */
function atFocusedRow(within: Element): Omit<Opened, 'focused'> | undefined {
  const box = within.querySelector('.gutter-row.selected')?.getBoundingClientRect();
  return box && { x: box.left + box.height, y: box.bottom, isOfRow: true, cells: undefined };
}

function keepInWindow(element: HTMLElement, { x, y }: Opened): void {
  const { width, height } = element.getBoundingClientRect();
  const within = (wanted: number, size: number, room: number) =>
    Math.max(EDGE, Math.min(wanted, room - size - EDGE));
  element.style.left = `${within(x, width, window.innerWidth)}px`;
  element.style.top = `${within(y, height, window.innerHeight)}px`;
}
