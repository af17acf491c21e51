import { paragraphsOf, type Document, type FilePlan } from '../document.js';

/** UTF-8 with a byte order mark, as editors of office suites write it. Plain text cannot hide its filler. */
export function planTxt(document: Document): FilePlan {
  const lines = paragraphsOf(document).map(({ style, text }) => {
    switch (style) {
      case 'title':
        return text;
      case 'heading':
        return `\n${text.toUpperCase()}`;
      case 'text':
        return text;
    }
  });
  return {
    head: Buffer.from(`\ufeff${lines.join('\n')}\n`),
    filler: Buffer.from('A line of filler.\n'),
    tail: Buffer.alloc(0),
  };
}
