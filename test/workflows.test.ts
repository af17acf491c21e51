import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json } from './support/ask-token.js';

const FOLDER = '.github/workflows';
const NAMES = readdirSync(FOLDER);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');
const jobsOf = (name: string): Json[] => Object.values(parse(textOf(name)).jobs);
const stepsOf = (name: string): Json[] => jobsOf(name).flatMap(({ steps = [] }) => steps);

/** The commands of a job, once for each member of its matrix. */
function commandsOf({ steps = [], strategy }: Json): string[] {
  const commands: string[] = steps.flatMap(({ run = [] }: Json) => run);
  const drills: string[] = strategy?.matrix.drill ?? [''];
  return commands.flatMap((command) => drills.map((drill) => command.replaceAll('$DRILL', drill)));
}

describe.each(NAMES)('the workflow %s', (name) => {
  test('runs only scripts and files that there are', () => {
    const commands = jobsOf(name).flatMap(commandsOf);
    const run = commands.flatMap((command) => [...command.matchAll(/npm run "?([\w:-]+)/g)]);
    expect(run.map(([, script]) => script!).filter((script) => !(script in scripts))).toEqual([]);
    const files = commands.flatMap((command) => command.match(/(?<=^|\s)(\.ci|deploy)\/\S+/g) ?? []);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  test('names each action by its commit, and says which version that is', () => {
    const uses = [...textOf(name).matchAll(/uses: (.+)$/gm)].map(([, action]) => action!);
    const loose = uses.filter(
      (action) => !/^(\.\/\.github\/workflows\/|\S+@[0-9a-f]{40} # v\d)/.test(action),
    );
    expect(loose).toEqual([]);
  });

  test('may only read, but for the jobs that say otherwise', () => {
    expect([{}, { contents: 'read' }]).toContainEqual(parse(textOf(name)).permissions);
    const writing = jobsOf(name).filter(({ permissions }) =>
      Object.values(permissions ?? {}).includes('write'),
    );
    expect(writing.length).toBe(name === 'release.yml' ? 2 : 0); // one attests, one publishes
  });

  test('puts no expression into a command, where it would be run', () => {
    expect(stepsOf(name).filter(({ run }) => /\$\{\{/.test(run ?? ''))).toEqual([]);
    expect(textOf(name)).not.toContain('pull_request_target');
  });

  test('gives no job the time to hang', () => {
    expect(jobsOf(name).filter((job) => !job['timeout-minutes'] && !job.uses)).toEqual([]);
  });
});

test('CI is .ci/run, and a tag is released only after it', () => {
  expect(stepsOf('ci.yml').map(({ run }) => run)).toContain('.ci/run');
  const { check, build, publish } = parse(textOf('release.yml')).jobs;
  expect([check.uses, build.needs, publish.needs]).toEqual(['./.github/workflows/ci.yml', 'check', 'build']);
});

/** One needs a machine that does nothing else, the other stands for a container engine, which CI has. */
const NOT_AT_NIGHT = ['speed', 'image'];

test('each other drill is run every night', () => {
  const drills = Object.keys(scripts).flatMap((script) => /^drill:(.+)/.exec(script)?.[1] ?? []);
  const [{ strategy }] = jobsOf('nightly.yml') as [Json];
  expect(strategy.matrix.drill).toEqual(drills.filter((drill) => !NOT_AT_NIGHT.includes(drill)).sort());
});
