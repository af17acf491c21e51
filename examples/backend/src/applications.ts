import { DatabaseSync } from 'node:sqlite';

/** An application as the back end keeps it. */
export interface Application {
  readonly id: string;
  readonly hirerId: string;
  readonly position: string;
  readonly candidate: string;
  readonly email: string;
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
  readonly files: readonly { readonly role: string; readonly name: string; readonly path: string }[];
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS applications (id TEXT PRIMARY KEY, content TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY);
`;

/** The table of applications: each stands there once, however often its event is delivered. */
export class Applications {
  private readonly database: DatabaseSync;

  constructor(file: string) {
    this.database = new DatabaseSync(file);
    this.database.exec(SCHEMA);
  }

  /** True if a delivery was kept already: by its `webhook-id`. */
  knows(deliveryId: string): boolean {
    return this.database.prepare('SELECT 1 FROM deliveries WHERE id = ?').get(deliveryId) !== undefined;
  }

  /**
   * Keeps the application and the delivery that brought it, both or neither. A later copy takes the place of the first,
   * unless it is empty: what is gone upstream stays here.
   */
  keep(deliveryId: string, application: Application, isEmpty: boolean): void {
    const known = isEmpty ? 'DO NOTHING' : 'DO UPDATE SET content = excluded.content';
    this.database.exec('BEGIN IMMEDIATE');
    try {
      this.database
        .prepare(`INSERT INTO applications VALUES (?, ?) ON CONFLICT ${known}`)
        .run(application.id, JSON.stringify(application));
      this.database.prepare('INSERT OR IGNORE INTO deliveries VALUES (?)').run(deliveryId);
      this.database.exec('COMMIT');
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  list(): Application[] {
    const rows = this.database.prepare('SELECT content FROM applications ORDER BY rowid').all();
    return rows.map(({ content }) => JSON.parse(content as string) as Application);
  }

  close(): void {
    this.database.close();
  }
}
