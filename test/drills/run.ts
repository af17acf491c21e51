import { join } from 'node:path';

/** Runs a drill to its end; resolves with a sentence for each fault that it found. */
type Drill = (...args: readonly string[]) => Promise<readonly string[]>;

const env = (name: string, fallback: string): string => process.env[name] ?? fallback;
const main = join(import.meta.dirname, '../../src/main.js');

/** The long forms of the drills, by name; each loads what it needs alone. */
const DRILLS: Readonly<Record<string, Drill>> = {
  /** `npm run drill:webhooks [rounds]`, on SQLite and on `TEST_DATABASE_URL`. */
  kill: async (rounds = '50') => {
    const { DRILL_STORES } = await import('./kill/stores.js');
    const { runKillDrill } = await import('./kill/drill.js');
    return eachOf(DRILL_STORES, async ({ name, open }) => {
      const { settings, storedIds, drop } = await open();
      const onKilled = (kills: number, acknowledged: number): void => {
        if (kills % 10 === 0) {
          console.log(`${name}: killed ${kills} times, ${acknowledged} events acknowledged`);
        }
      };
      const report = await runKillDrill({
        program: main,
        rounds: Number(rounds),
        settings,
        storedIds,
        onKilled,
      });
      await drop();
      console.log(name, report);
      const { lost, undelivered, invalid } = report;
      return above(name, { lost, undelivered, invalid });
    });
  },

  /** `npm run drill:brokers [rounds]`, on the servers of brokers that are installed. */
  brokers: async (rounds = '10') => {
    const { BROKER_SERVERS } = await import('./brokers/broker-process.js');
    const { runBrokerDrill } = await import('./brokers/drill.js');
    return eachOf(BROKER_SERVERS, async ({ name, start }) => {
      const broker = await start();
      const report = await runBrokerDrill({ program: main, broker, rounds: Number(rounds) });
      await broker.kill();
      console.log(name, report);
      const { lost, different, invalid } = report;
      return above(name, { lost, different, invalid });
    });
  },

  /** `npm run drill:objects [applications [kills]]`, on SQLite and on `TEST_DATABASE_URL`. */
  objects: async (applications = '2000', kills = '8') => {
    const { DRILL_STORES } = await import('./kill/stores.js');
    const { runObjectsDrill } = await import('./objects/drill.js');
    return eachOf(DRILL_STORES, async ({ name, open }) => {
      const { settings, drop } = await open();
      const report = await runObjectsDrill({
        service: main,
        backend: 'examples/backend',
        applications: Number(applications),
        kills: Number(kills),
        settings,
      });
      await drop();
      console.log(name, report);
      const { missing, surplus, wrong, wrongFiles, strayFiles } = report;
      return above(name, { missing, surplus, wrong, wrongFiles, strayFiles });
    });
  },

  /**
   * `npm run drill:fleet`. `DRILL_SECONDS` is how long each fault lasts, `DRILL_CUTS` how often the power of each store
   * is cut, `DRILL_FAULTS` a pattern of names of faults.
   */
  fleet: async () => {
    const { CAN_MOUNT } = await import('./fleet/disks.js');
    const { runFleetDrill } = await import('./fleet/drill.js');
    const { POWER_CUTS } = await import('./fleet/power-cuts.js');
    const { describeCuts, describeDrill, faultsOf } = await import('./fleet/report.js');
    if (!CAN_MOUNT) console.log('nothing can be mounted here: no disk is filled, and no power is cut');
    const report = await runFleetDrill({
      program: { args: [main] },
      faultSeconds: Number(env('DRILL_SECONDS', '6')),
      only: new RegExp(env('DRILL_FAULTS', '')),
      canMount: CAN_MOUNT,
    });
    console.log(describeDrill(report));
    const count = CAN_MOUNT ? Number(env('DRILL_CUTS', '20')) : 0;
    const cuts = await eachOf(count > 0 ? POWER_CUTS : [], async ({ name, run }) => {
      const { lost, undelivered, invalid, ...rest } = await run(main, count, {});
      console.log(describeCuts(name, { lost, undelivered, invalid, ...rest }));
      return above(`power cuts of ${name}`, { lost, undelivered, invalid });
    });
    return [...faultsOf(report), ...cuts];
  },

  /**
   * `npm run drill:overload`. `DRILL_SECONDS` under attack after `DRILL_QUIET`; `DRILL_INTENSITY` multiplies the rates;
   * `DRILL_ATTACKS` names single attacks, separated by commas.
   */
  overload: async () => {
    const { runOverloadDrill } = await import('./overload/drill.js');
    const { faultsOf } = await import('./overload/bounds.js');
    const { describeDrill } = await import('./overload/report.js');
    const report = await runOverloadDrill({
      quietSeconds: Number(env('DRILL_QUIET', '10')),
      attackSeconds: Number(env('DRILL_SECONDS', '45')),
      intensity: Number(env('DRILL_INTENSITY', '1')),
      only: process.env['DRILL_ATTACKS']?.split(','),
    });
    console.log(describeDrill(report));
    return faultsOf(report);
  },

  /**
   * `npm run drill:isolation [name]`: those runs that have it in their names. `DRILL_OPERATIONS` are shared out among
   * all runs; `DRILL_SEED` repeats one.
   */
  isolation: async (part = '') => {
    const { DRILL_RUNS } = await import('./isolation/drill-runs.js');
    const { runIsolationDrill } = await import('./isolation/drill.js');
    const seed = env('DRILL_SEED', String(Date.now()));
    console.log(`seed ${seed}`);
    const chosen = DRILL_RUNS.filter(({ name }) => name.includes(part));
    return eachOf(chosen, async ({ name, replicas, share, open }) => {
      const operations = Math.ceil(Number(env('DRILL_OPERATIONS', '1000000')) * share);
      const { settings, drop } = await open();
      const onProgress = (done: number): void => {
        if (done % 10_000 === 0) console.log(`${name}: ${done} of ${operations}`);
      };
      const drill = { seed, operations, replicas, settings, onProgress };
      const { violations, ...report } = await runIsolationDrill(drill);
      await drop();
      console.log(name, report);
      return violations;
    });
  },
};

async function eachOf<T>(
  items: readonly T[],
  run: (item: T) => Promise<readonly string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const item of items) faults.push(...(await run(item)));
  return faults;
}

/** A fault for each number that is not 0. */
function above(name: string, numbers: Readonly<Record<string, number>>): string[] {
  return Object.entries(numbers).flatMap(([what, count]) => (count > 0 ? [`${name}: ${count} ${what}`] : []));
}

const [name = '', ...args] = process.argv.slice(2);
const drill = DRILLS[name];
if (!drill) throw new Error(`a drill is one of ${Object.keys(DRILLS).join(', ')}`);
const faults = await drill(...args);
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(`faults: ${faults.length}`);
process.exit(faults.length === 0 ? 0 : 1);
