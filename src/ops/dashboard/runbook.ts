import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../config/package-dir.js';

/** Where the runbook is, in the repository as in an installation. */
const RUNBOOK = join(PACKAGE_DIR, 'docs/runbook.md');

/** A section of the runbook, as Markdown without its heading. */
export interface RunbookSection {
  readonly heading: string;
  readonly text: string;
}

/** The sections of `docs/runbook.md` by heading; none where the document is not installed. */
export function readRunbook(file: string = RUNBOOK): ReadonlyMap<string, RunbookSection> {
  const sections = readText(file)
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      const heading = section.slice(0, end).replaceAll('`', '').trim();
      return { heading, text: section.slice(end).split(/^## /m)[0]!.trim() };
    });
  return new Map(sections.map((section) => [section.heading, section]));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
