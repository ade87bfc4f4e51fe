/** A line over answers that have to be read with something in mind. */
import './banner.css';
import type { ComponentChildren } from 'preact';
import { TextButton } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';

interface BannerProps {
  /** Absent: it is a remark that nobody has to act on. */
  readonly onDetails?: () => void;
  readonly children: ComponentChildren;
}

export function Banner({ onDetails, children }: BannerProps) {
  if (onDetails === undefined) return <p class="banner">{children}</p>;
  return (
    <p class="banner severe" role="status">
      <Icon name="warning" />
      <span>{children}</span>
      <TextButton class="link" onClick={onDetails} text="Details" />
    </p>
  );
}
