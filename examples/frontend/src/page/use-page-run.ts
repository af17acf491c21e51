import type { Bff } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useEffect, useMemo, useState } from 'react';

/** What has come so far of a list in pages. */
export interface Pages<Page> {
  readonly pages: readonly Page[];
  readonly isLoading: boolean;
  readonly error: unknown;
  /** After an error: begins again. What there is stays on view meanwhile. */
  readonly resume: () => void;
}

const START = { pages: [], isLoading: true, error: undefined };

/**
 * Shows pages as they arrive, and begins again with another hirer. `open` must be stable: it is called again whenever it
 * changes. With another language or `version` the pages stay on view until those that replace them are complete.
 */
export function usePageRun<Page>(
  open: (bff: Bff, signal: AbortSignal) => AsyncIterable<Page>,
  version: unknown = 0,
): Pages<Page> {
  const bff = useBff();
  const { session, language } = bff;
  // what came under another key is never shown: it may be another hirer's
  const key = useMemo(() => ({ open, session }), [open, session]);
  const [shown, setShown] = useState<Omit<Pages<Page>, 'resume'> & { key: object }>({ ...START, key });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const arrived: Page[] = [];
    const show = (isLoading: boolean, error?: unknown) => {
      if (controller.signal.aborted) return;
      setShown((last) => {
        const isShort = last.key === key && (isLoading || error) && last.pages.length > arrived.length;
        return { key, pages: isShort ? last.pages : [...arrived], isLoading, error };
      });
    };
    const read = async () => {
      show(true);
      try {
        for await (const page of open(bff, controller.signal)) {
          arrived.push(page);
          show(true);
        }
        show(false);
      } catch (error) {
        show(false, error);
      }
    };
    void read();
    return () => controller.abort();
  }, [bff, open, key, language, version, turn]);
  return { ...(shown.key === key ? shown : START), resume: () => setTurn((last) => last + 1) };
}
