/** The part of the top bar that concerns the open experiment: name, facts, search, visible range, open, share. */
import { useApp } from '../app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { MenuButton } from '../controls/menu.tsx';
import { formatBytes, formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import type { ExperimentInfo } from '../../workers/session-api.ts';
import { RangeButton } from './range-button.tsx';
import { SearchBox } from './search-box.tsx';

interface ExperimentBarProps {
  readonly view: ViewModel | undefined;
  /** The address of what is seen now. */
  readonly address: () => string;
}

export function ExperimentBar({ view, address }: ExperimentBarProps) {
  const { experiment, overlay, chooseFolder, chooseFiles } = useApp();
  const info = experiment.info.value;
  return (
    <>
      <span class="top-separator" />
      <h1 class="experiment-name ellipsis">{visibleText(experiment.name.value)}</h1>
      <span class="experiment-facts faint ellipsis">{info !== undefined && factsOf(info)}</span>
      <span class="grow" />
      {view !== undefined && <SearchBox view={view} />}
      <span class="grow" />
      {view !== undefined && <RangeButton view={view} />}
      <MenuButton
        label="Open"
        items={[
          { title: 'Choose a folder…', run: chooseFolder },
          { title: 'Choose files…', run: chooseFiles },
          { title: 'Open by address…', run: () => (overlay.value = { kind: 'address' }) },
          { title: 'Examples and recent traces', run: () => void experiment.close() },
        ]}
      >
        <Icon name="folder" />
        <span class="top-word">Open</span>
      </MenuButton>
      <CopyButton title="Copy link" done="Link copied" icon="share" text={address} />
    </>
  );
}

function factsOf(info: ExperimentInfo): string {
  return [
    plural(info.hosts.length, 'host'),
    info.events > 0 ? plural(info.events, 'event') : formatBytes(info.bytes),
    formatDuration(info.lengthNs),
  ].join(', ');
}
