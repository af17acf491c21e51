import { startPlayground } from './playground.js';

const playground = await startPlayground();
const settings = Object.entries(playground.settings).map(([name, value]) => `${name}=${value}`);
process.stdout.write(`${settings.join('\n')}\n`);
