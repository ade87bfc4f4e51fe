/** The bar on top of every screen. What concerns an experiment is handed in, so that the start page has the rest. */
import type { ComponentChildren } from 'preact';
import { useApp } from '../context/app-context.ts';
import { Icon, Mark } from '../controls/icon.tsx';

export function TopBar({ children }: { readonly children?: ComponentChildren }) {
  const { experiment, executionFiles, theme, dialog } = useApp();
  const close = () => {
    executionFiles.close();
    void experiment.close();
  };
  const dark = theme.theme.value === 'dark';
  const themeLabel = dark ? 'Light theme' : 'Dark theme';
  return (
    <header class="top-bar">
      <button class="brand" title="Start page" onClick={close}>
        <Mark />
        <span>Wakepath</span>
      </button>
      {children ?? <span class="grow" />}
      <span class="top-separator" />
      <button
        class="button only-icon"
        title={themeLabel}
        aria-label={themeLabel}
        onClick={() => theme.toggle()}
      >
        <Icon name={dark ? 'sun' : 'moon'} />
      </button>
      <button
        class="button only-icon"
        title="Help"
        aria-label="Help"
        onClick={() => (dialog.value = { kind: 'help' })}
      >
        <Icon name="help" />
      </button>
    </header>
  );
}
