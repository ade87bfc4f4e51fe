/** A small menu, alone or below a button (ARIA patterns "menu" and "menu button"). */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { steppedTo } from './ring-keys.ts';

export interface MenuItem {
  readonly title: string;
  /** Drawn with a line above it. */
  readonly begins?: boolean;
  run(): void;
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Called after a choice or Escape; the focus is back where it was. */
  onClose(): void;
}

/** A menu, which takes the focus. */
export function MenuList({ label, items, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useLayoutEffect(() => buttons()[0]?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') return onClose();
    const to = steppedTo(event.key, buttons().indexOf(document.activeElement as HTMLElement), items.length);
    if (to === undefined) return;
    event.preventDefault();
    buttons()[to]?.focus();
  };
  return (
    <div class="menu menu-list" role="menu" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {items.map((item, at) => (
        <button
          // By position: an item whose title changes keeps the focus.
          key={at}
          role="menuitem"
          class={item.begins === true ? 'begins' : ''}
          tabIndex={-1}
          onClick={() => {
            onClose();
            item.run();
          }}
        >
          {item.title}
        </button>
      ))}
    </div>
  );
}

interface MenuProps {
  readonly label: string;
  readonly class?: string;
  readonly items: readonly MenuItem[];
  readonly children: ComponentChildren;
}

export function MenuButton({ label, items, children, ...rest }: MenuProps) {
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    open.value = false;
    root.current?.querySelector('button')?.focus();
  };
  const onFocusOut = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) open.value = false;
  };
  return (
    <div class="menu-button" ref={root} onFocusOut={onFocusOut}>
      <button
        class={`button ${rest.class ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={open.value}
        aria-label={label}
        onClick={() => (open.value = !open.value)}
      >
        {children}
      </button>
      {open.value && <MenuList label={label} items={items} onClose={close} />}
    </div>
  );
}
