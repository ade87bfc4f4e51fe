/** A button with a small menu below it (ARIA pattern "menu button"). */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { steppedTo } from './ring-keys.ts';

export interface MenuItem {
  readonly title: string;
  run(): void;
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
  const buttons = () => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useLayoutEffect(() => {
    if (open.value) buttons()[0]?.focus();
  }, [open.value]);

  const close = () => {
    open.value = false;
    root.current?.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open.value) return;
    event.stopPropagation();
    if (event.key === 'Escape') return close();
    const to = steppedTo(event.key, buttons().indexOf(document.activeElement as HTMLElement), items.length);
    if (to === undefined) return;
    event.preventDefault();
    buttons()[to]?.focus();
  };
  const onFocusOut = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) open.value = false;
  };
  return (
    <div class="menu-button" ref={root} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      <button
        class={`button ${rest.class ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={open.value}
        aria-label={label}
        onClick={() => (open.value = !open.value)}
      >
        {children}
      </button>
      {open.value && (
        <div class="menu" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.title}
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
