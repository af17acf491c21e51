import { isObject } from '../../json/is-object.js';
import type { SelectionTree } from '../compile/selection-tree.js';
import { UnusableAnswer } from './parse-answer.js';

/** Sealing a link takes as long as reading two kilobytes. */
const ATTACHMENTS_MAX = 1_000;

/** Makes of a parsed answer's data what the caller may see, in one walk, in place. */
export class AnswerSelector {
  private attachments = 0;

  /**
   * @param mapText replaces the URL of an attachment
   * @param onRemoved called for each member that was not selected
   */
  constructor(
    private readonly mapText: (text: string) => string,
    private readonly onRemoved: () => void,
  ) {}

  /**
   * Removes every member that was not selected. Where members were selected there is an object, lists of them or null; a
   * leaf may be anything, but not an object where it is the URL of an attachment.
   * @throws UnusableAnswer for a value of another form, and for too many attachments
   */
  select(value: unknown, selection: SelectionTree): void {
    if (value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.select(item, selection);
      return;
    }
    if (!isObject(value)) throw new UnusableAnswer('a value in the place of an object');
    for (const key in value) {
      const field = selection.get(key);
      if (!field) {
        delete value[key];
        this.onRemoved();
      } else if (field.below) {
        this.select(value[key], field.below);
      } else if (field.isAttachment) {
        value[key] = this.mapUrl(value[key]);
      }
    }
  }

  private mapUrl(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.mapUrl(item));
    if (isObject(value)) throw new UnusableAnswer('an object in the place of a URL');
    if (typeof value !== 'string') return value;
    this.attachments += 1;
    if (this.attachments > ATTACHMENTS_MAX) throw new UnusableAnswer('too many attachments');
    return this.mapText(value);
  }
}
