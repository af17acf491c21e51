import { readFileSync } from 'node:fs';
import { NODE_MIN, nodeFault } from './node-version.js';

test.each(['24.16.0', '24.21.3', '25.0.0', '100.2.1'])('Node.js %s runs the service', (version) => {
  expect(nodeFault(version)).toBeUndefined();
});

test.each(['24.15.9', '24.2.0', '22.22.0', '9.99.0'])('Node.js %s is too old', (version) => {
  expect(nodeFault(version)).toBe(`The service needs Node.js ${NODE_MIN} or later; this is ${version}.`);
});

test('package.json names the same oldest version', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${NODE_MIN}`);
});
