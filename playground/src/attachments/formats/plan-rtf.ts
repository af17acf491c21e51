import { paragraphsOf, type Document, type FilePlan, type Paragraph } from '../document.js';

/** Size in half points, and boldness. */
const STYLES: Readonly<Record<Paragraph['style'], string>> = {
  title: '\\fs40\\b',
  heading: '\\sb240\\fs26\\b',
  text: '\\fs22\\b0',
};

/** Rich Text Format 1.5. The filler stands in a destination that readers ignore. */
export function planRtf(document: Document): FilePlan {
  const lines = paragraphsOf(document).map(
    ({ style, text }) => `{\\pard\\sa80${STYLES[style]} ${escape(text)}\\par}`,
  );
  const start = '{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0{\\fonttbl{\\f0\\fswiss Arial;}}\\f0';
  return {
    head: Buffer.from(`${start}\n${lines.join('\n')}\n{\\*\\filler `, 'latin1'),
    filler: Buffer.from('A line of filler.\n'),
    tail: Buffer.from('}}'),
  };
}

/** Everything outside ASCII as a signed UTF-16 unit, with a question mark for readers that know none. */
function escape(text: string): string {
  return text
    .replace(/[\\{}]/g, (mark) => `\\${mark}`)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${String((unit.charCodeAt(0) << 16) >> 16)}?`);
}
