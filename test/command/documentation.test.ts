import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, freePort } from '../support/machine.js';
import type { Environment } from '../../src/config/load-config.js';
import { runCommand } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { usePlayground } from '../playground/client.js';

const [COMMAND, OPERATE, MEMBERSHIPS] = ['command', 'operate', 'memberships'].map((page) =>
  readFileSync(`docs/${page}.md`, 'utf8'),
) as [string, string, string];
/** Every line that is typed, with what is printed below it. */
const EXAMPLES = [...(COMMAND + OPERATE + MEMBERSHIPS).matchAll(/```console\n([\s\S]*?)```/g)].flatMap(
  ([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map(
        (example) =>
          example.split('\n', 1).concat(example.slice(example.indexOf('\n') + 1)) as [string, string],
      ),
);

const playground = usePlayground({ size: 20 });
let folder: string;
let environment: Environment;
beforeAll(async () => {
  folder = newFolder();
  writeFileSync(join(folder, 'members.csv'), /```csv\n([\s\S]*?)```/.exec(MEMBERSHIPS)![1]!);
  environment = serviceEnvironment(playground, {
    DATA_DIR: join(folder, 'data'),
    OPS_PORT: String(await freePort()),
    WEBHOOK_SECRETS: 'a-webhook-secret-of-this-suite',
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
    EVENT_SINK_URL: '',
    EVENT_SINK_SECRET: '',
  });
});

test.each(EXAMPLES)('%s prints what the page says', async (line, printed) => {
  const words = line.split(' ');
  const start = words.indexOf('partner-bff');
  const settings = Object.fromEntries(words.slice(0, start).map((word) => word.split('=')));
  const argv = words
    .slice(start + 1)
    .map((word) => (/\.(sqlite|csv)$/.test(word) ? join(folder, word) : word));
  const { out, err } = await runCommand(argv, { ...environment, ...settings });
  expect(alike(`${out}${err}`.replaceAll(`${folder}/`, ''), printed)).toBe(alike(printed, printed));
});

/** Numbers may differ, and what the page leaves out: from an ellipsis to the end of its word. */
function alike(text: string, page: string): string {
  const kept = page.split('\n').map((line) => line.split('=…')[0]!.replace(/whsec_…$/, ''));
  const lines = text.split('\n').map((line, index) => {
    const isCut = page.split('\n')[index]?.endsWith('…') === true;
    return isCut ? line.slice(0, kept[index]!.length) : line;
  });
  return lines.join('\n').replaceAll(/\d+/g, 'N');
}
