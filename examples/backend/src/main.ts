import { globSync, mkdirSync, rmSync } from 'node:fs';
import { clientCredentials, MachineClient } from 'partner-bff-client/server';
import { Applications } from './applications.ts';
import { openBackend } from './backend.ts';

// Without settings: the back end of a service in playground mode on this machine.
const {
  BFF_URL = 'http://127.0.0.1:3000',
  TOKEN_URL = 'http://127.0.0.1:3011/demo/token',
  CLIENT_ID = 'demo-backend',
  CLIENT_SECRET = 'demo-backend-secret',
  EVENT_SINK_SECRET = 'whsec_cGxheWdyb3VuZC1vbmx5LXNlY3JldC0w',
  DATA_DIR = 'data',
  PORT = '4000',
} = process.env;

mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
// Left by a process that was killed during a download.
for (const part of globSync(`${DATA_DIR}/*.part`)) rmSync(part);
const getToken = clientCredentials({ tokenUrl: TOKEN_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });
const parts = {
  secrets: EVENT_SINK_SECRET.split(','),
  machine: new MachineClient({ url: BFF_URL, getToken }),
  applications: new Applications(`${DATA_DIR}/applications.db`),
  folder: DATA_DIR,
};
const backend = openBackend(parts);
const address = await backend.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdout.write(`Events are received at ${address}/events; see ${address}/applications\n`);
process.once('SIGTERM', () => void backend.close());
