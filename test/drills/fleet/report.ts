import { sumOf } from '../asking.js';
import type { DrillReport } from './drill.js';

const RECOVERY_SECONDS_MAX = 5;
const MEGABYTES_MAX = 400;
const MORE_DESCRIPTORS_MAX = 40;
/** By the bounds of what the service waits for. */
const ANSWER_MS_MAX = 10_000;

/** What must not be on any machine, however busy. */
export function lastingFaultsOf({ faults, acknowledged, undelivered, holdings }: DrillReport): string[] {
  return [
    ...faults.flatMap(({ name, wrong }) =>
      Object.entries(wrong).map(([what, times]) => `${name}: ${what} (${times})`),
    ),
    ...(acknowledged === 0 ? ['no webhook was acknowledged'] : []),
    ...(undelivered > 0 ? [`${undelivered} acknowledged events were not delivered`] : []),
    ...holdings.flatMap(({ before, after }, index) => [
      ...(after.megabytes > MEGABYTES_MAX
        ? [`replica ${index + 1} holds ${after.megabytes.toFixed(0)} MB`]
        : []),
      ...(after.descriptors > before.descriptors + MORE_DESCRIPTORS_MAX
        ? [`replica ${index + 1} has ${after.descriptors} descriptors, and had ${before.descriptors}`]
        : []),
    ]),
  ];
}

/** The same and the bounds of time: for a machine that does little else. */
export function faultsOf(report: DrillReport): string[] {
  const late = report.faults.flatMap(({ name, mayRefuse, refused, longestMs, recoverySeconds }) => [
    ...(!mayRefuse && sumOf(refused) > 0
      ? [`${name}: refused without need: ${JSON.stringify(refused)}`]
      : []),
    ...(longestMs > ANSWER_MS_MAX ? [`${name}: an answer took ${seconds(longestMs / 1000)}`] : []),
    ...(recoverySeconds > RECOVERY_SECONDS_MAX ? [`${name}: well after ${seconds(recoverySeconds)}`] : []),
  ]);
  return [...lastingFaultsOf(report), ...late];
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}
