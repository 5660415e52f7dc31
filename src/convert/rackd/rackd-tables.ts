/** The tables of rackd, with their rows by id. */
import type { ReportBuilder } from '../report-builder.ts'
import { removeSecrets } from '../secret-fields.ts'
import type { SqliteFile, SqlRow } from './sqlite-file.ts'

/** Accounts, secrets, logs, and indexes of the full-text search. */
const UNREAD =
  /^(?:users|user_roles|roles|permissions|role_permissions|sessions|api_keys.*|oauth_.*|credentials|webhooks|webhook_deliveries|audit_logs.*|ssh_host_keys|schema_migrations|sqlite_.*|.*_fts(?:_.*)?)$/

const ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

export class RackdTables {
  readonly #rows = new Map<string, SqlRow[]>()
  readonly #byId = new Map<string, Map<string, SqlRow>>()

  constructor(file: SqliteFile, report: ReportBuilder) {
    for (const table of file.tables()) {
      if (UNREAD.test(table)) {
        const count = file.count(table)
        if (count > 0) report.dropped(table, 'is not read', count)
        continue
      }
      // The copy of an object is one.
      const rows = file.rows(table).map((row) => removeSecrets(report, table, row) as SqlRow)
      report.read(table, rows.length)
      this.#rows.set(table, rows)
    }
  }

  get names(): string[] {
    return [...this.#rows.keys()]
  }

  of(table: string): readonly SqlRow[] {
    return this.#rows.get(table) ?? []
  }

  /** Returns the rows of a table with an id that Plat can keep, by that id. */
  byId(table: string): ReadonlyMap<string, SqlRow> {
    const known = this.#byId.get(table)
    if (known) return known
    const found = new Map<string, SqlRow>()
    for (const row of this.of(table))
      if (typeof row.id === 'string' && ID.test(row.id) && !found.has(row.id)) found.set(row.id, row)
    this.#byId.set(table, found)
    return found
  }

  /** Returns the rows of a table by the value of a column. */
  grouped(table: string, column: string): ReadonlyMap<unknown, SqlRow[]> {
    return Map.groupBy(this.of(table), (row) => row[column])
  }
}
