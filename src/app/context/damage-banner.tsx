/** A banner over answers that are made of damaged parts of a kept trace. */
import type { ComponentChildren } from 'preact';
import { Banner } from '../widgets/banner/banner.tsx';
import { IsDamaged } from '../widgets/table/empty-text.ts';
import { useApp } from './app-context.ts';

interface DamagedProps {
  /** Parts of the kept trace (`DamageInfo.parts`) that the answers are made of. */
  readonly needs: readonly string[];
  readonly children?: ComponentChildren;
}

/** The children, below the banner if any of these parts is damaged. */
export function WithDamageBanner({ needs, children }: DamagedProps) {
  const { experiment, drawer } = useApp();
  const damaged = experiment.damage.value?.parts ?? [];
  const isDamaged = needs.some((part) => damaged.includes(part));
  return (
    <IsDamaged.Provider value={isDamaged}>
      {isDamaged && (
        <Banner onDetails={() => drawer.show('info')}>
          Not all of this is known: the data that this browser keeps of the trace are damaged, and counts and
          times here may be too low.{' '}
          {experiment.hasFiles.value
            ? 'It is read again from its files.'
            : 'Open the files of the trace again to have it read and kept again.'}
        </Banner>
      )}
      {children}
    </IsDamaged.Provider>
  );
}
