import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A headless Chromium for one suite: that of `CHROMIUM_PATH`, else the system's.
 * @throws Error that says how to install one; a page that was not looked at is not tested
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it (Debian: apt-get install -y chromium), or name one in CHROMIUM_PATH.`,
    );
  }
  return chromium.launch({ executablePath, args: FLAGS });
}
