/** The bar on top of every screen; the part for an open experiment is passed as children. */
import type { ComponentChildren } from 'preact';
import { useApp } from '../context/app-context.ts';
import { IconButton } from '../controls/button.tsx';
import { Mark } from '../controls/icon.tsx';

export function TopBar({ children }: { readonly children?: ComponentChildren }) {
  const { experiment, executionFiles, theme, dialog } = useApp();
  const close = () => {
    executionFiles.close();
    void experiment.close();
  };
  const dark = theme.theme.value === 'dark';
  return (
    <header class="top-bar">
      <button class="brand" title="Start page" onClick={close}>
        <Mark />
        <span>Wakepath</span>
      </button>
      {children ?? <span class="grow" />}
      <span class="top-separator" />
      <IconButton
        icon={dark ? 'sun' : 'moon'}
        label={dark ? 'Light theme' : 'Dark theme'}
        onClick={() => theme.toggle()}
      />
      <IconButton icon="help" label="Help" onClick={() => (dialog.value = { kind: 'help' })} />
    </header>
  );
}
