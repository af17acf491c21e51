import { join } from 'node:path';
import { BROKER_SERVERS } from './broker-process.js';
import { runBrokerDrill } from './drill.js';

/** `npm run drill:brokers [rounds]`: the long form of the drill, on the servers of brokers that are installed. */
const rounds = Number(process.argv[2] ?? 10);
const program = join(import.meta.dirname, '../../../src/main.js');
let wrong = 0;

for (const { name, start } of BROKER_SERVERS) {
  const broker = await start();
  const report = await runBrokerDrill({ program, broker, rounds });
  await broker.kill();
  wrong += report.lost + report.different + report.invalid;
  console.log(name, report);
}
console.log(`lost, different or invalid: ${wrong}`);
process.exit(wrong === 0 ? 0 : 1);
