import { EXIT_MS_MAX, type DrillReport } from './drill.js';
import { sumOf, type Stretch } from '../asking.js';

const SUCCESS_MIN = 0.99;
const MEMORY_BYTES_MAX = 512 * 1_048_576;
const P99_FACTOR_MAX = 50;
const P99_MS_MAX = 1_000;
const LIVEZ_MS_MAX = 1_000;

/** Share of the requests that succeeded. */
function successOf({ requests, unconnected, refused, wrong }: Stretch): number {
  return requests === 0 ? 0 : 1 - (unconnected + sumOf(refused) + sumOf(wrong)) / requests;
}

/** Bounds that hold on a machine that is busy with other things too: they know no time. */
export function lastingFaultsOf(report: DrillReport): string[] {
  const { attacks, attacked, watch, survived, exitCode, leaked } = report;
  const faulty = attacks.filter(({ outcomes }) => (outcomes['500'] ?? 0) > 0);
  return thoseThatHold({
    [`less than 99 % of the users' requests succeeded`]: successOf(attacked) < SUCCESS_MIN,
    'the process took 512 MB or more': watch.memoryPeakBytes >= MEMORY_BYTES_MAX,
    '/livez did not answer throughout': successOf(watch.livez) < 1,
    'the process ended under attack': !survived,
    'the process did not end with 0': exitCode !== 0,
    'a secret stands in the log': leaked.length > 0,
    'an attack was answered 500': faulty.length > 0,
  });
}

/** Every bound, those of time included: for a machine that has nothing else to do. */
export function faultsOf(report: DrillReport): string[] {
  const { quiet, attacked, watch, exitMs } = report;
  const timely = thoseThatHold({
    [`the users' p99 is more than ${P99_FACTOR_MAX} times that in quiet`]:
      attacked.p99Ms > quiet.p99Ms * P99_FACTOR_MAX,
    [`the users' p99 is above ${P99_MS_MAX} ms`]: attacked.p99Ms > P99_MS_MAX,
    [`/livez took longer than ${LIVEZ_MS_MAX} ms`]: watch.livez.longestMs > LIVEZ_MS_MAX,
    [`the process took longer than ${EXIT_MS_MAX} ms to end`]: exitMs > EXIT_MS_MAX,
  });
  return [...lastingFaultsOf(report), ...timely];
}

function thoseThatHold(faults: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(faults).filter((fault) => faults[fault]);
}
