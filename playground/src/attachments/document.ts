/** A text of one page, for any file format. */
export interface Document {
  readonly title: string;
  /** Below the title, such as an address. */
  readonly subtitle: string;
  readonly sections: readonly Section[];
}

/** Some paragraphs under a heading, or under none. */
export interface Section {
  readonly heading: string | null;
  readonly paragraphs: readonly string[];
}

/** One paragraph with its role, in reading order. */
export interface Paragraph {
  readonly style: 'title' | 'heading' | 'text';
  readonly text: string;
}

/** A document as the paragraphs that all formats write. */
export function paragraphsOf({ title, subtitle, sections }: Document): Paragraph[] {
  return [
    { style: 'title', text: title },
    ...(subtitle === '' ? [] : [{ style: 'text', text: subtitle } as const]),
    ...sections.flatMap(({ heading, paragraphs }): Paragraph[] => [
      ...(heading === null ? [] : [{ style: 'heading', text: heading } as const]),
      ...paragraphs.map((text) => ({ style: 'text', text }) as const),
    ]),
  ];
}

/** Bytes of a file: start and end of its format, with filler in between to reach a size. Readers do not show the filler. */
export interface FilePlan {
  readonly head: Buffer;
  readonly filler: Buffer;
  readonly tail: Buffer;
}
