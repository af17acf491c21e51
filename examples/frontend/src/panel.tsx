import { useId, type ReactNode } from 'react';
import { Fault } from './fault.tsx';
import type { Pages } from './use-page-run.ts';

interface PanelProps {
  readonly title: string;
  readonly run: Pick<Pages<unknown>, 'isLoading' | 'error' | 'resume'>;
  /** How many items have come. */
  readonly count: number;
  /** How many there will be, if that is known. */
  readonly total?: number;
  readonly children: ReactNode;
}

/** A list that grows: its progress on top, the items, and what went wrong. */
export function Panel({ title, run, count, total, children }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p role="status" className="soft">
        {total === undefined ? count : `${count} of ${total}`}
        {run.isLoading && ', loading…'}
      </p>
      {total !== undefined && count < total && <progress aria-labelledby={id} value={count} max={total} />}
      <Fault error={run.error} onRetry={run.resume} />
      <ul>{children}</ul>
    </section>
  );
}
