/** The drawer below the timeline: tabs and the chosen panel, with an upper edge that can be dragged; only tabs when closed. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { IconButton } from '../controls/button.tsx';
import { Tabs, type Tab } from '../controls/tabs.tsx';
import type { Drawer as DrawerState } from '../context/drawer-state.ts';

const KEY_STEP = 24;
const PANEL = 'drawer-panel';
const TITLE = 'drawer-title';

interface DrawerProps {
  readonly state: DrawerState;
  readonly tabs: readonly Tab<string>[];
  readonly chosen: string;
  /** The panel of the chosen tab. */
  readonly children: ComponentChildren;
}

export function Drawer({ state, tabs, chosen, children }: DrawerProps) {
  const open = state.open.value;
  const maximised = state.maximised.value;
  return (
    <section class="drawer" aria-labelledby={TITLE}>
      <h2 class="said" id={TITLE}>
        Details
      </h2>
      {open && !maximised && <DrawerEdge state={state} />}
      <div class="drawer-tabs">
        <Tabs
          label="Details"
          tabs={tabs}
          chosen={open ? chosen : undefined}
          controls={PANEL}
          onChoose={(tab) => state.show(tab)}
        />
        {open && (
          <IconButton
            class="button only-icon drawer-size"
            icon={maximised ? 'shrink' : 'expand'}
            label={maximised ? 'Restore the drawer' : 'Maximise the drawer'}
            onClick={() => (state.maximised.value = !maximised)}
          />
        )}
        <IconButton
          icon={open ? 'close' : 'chevron-up'}
          label={open ? 'Close the drawer' : 'Open the drawer'}
          onClick={() => (state.open.value = !open)}
        />
      </div>
      {open && (
        <div class="drawer-panel" id={PANEL} role="tabpanel" aria-labelledby={`tab-${chosen}`}>
          {children}
        </div>
      )}
    </section>
  );
}

/** The upper edge, which the pointer or arrow keys move (ARIA pattern "window splitter"). */
function DrawerEdge({ state }: { readonly state: DrawerState }) {
  const grip = useRef<{ readonly y: number; readonly height: number } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    grip.current = { y: event.clientY, height: state.height.value };
    state.maximised.value = false;
  };
  const onPointerMove = (event: PointerEvent) => {
    if (grip.current !== undefined) state.setHeight(grip.current.height + grip.current.y - event.clientY);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? KEY_STEP : event.key === 'ArrowDown' ? -KEY_STEP : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    state.setHeight(state.height.value + by);
  };
  return (
    <div
      class="drawer-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the drawer"
      aria-valuenow={state.height.value}
      aria-valuemin={state.least}
      aria-valuemax={state.most.value}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (grip.current = undefined)}
      onPointerCancel={() => (grip.current = undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
