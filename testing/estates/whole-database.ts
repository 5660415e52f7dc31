/** The rows of a whole database as texts, and their form without what chance and the clock decide, in which two databases are compared. */
import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'

type Row = Readonly<Record<string, unknown>>

/** Rows by table, as their columns. */
export type WholeDatabase = ReadonlyMap<string, readonly Row[]>

/** Reads all tables but the ones of these names. */
export const readWhole = async (db: Db<Tables>, without: RegExp): Promise<WholeDatabase> => {
  const tables = await db.read.introspection.getTables()
  const whole = new Map<string, readonly Row[]>()
  for (const { name } of tables.filter((table) => !table.isView && !without.test(table.name)))
    whole.set(name, (await sql<Row>`SELECT * FROM ${sql.table(name)}`.execute(db.read)).rows)
  return whole
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g
const MS = /\b\d{13}\b/g

const toText = (row: Row): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Returns the ids that the texts of a database hold. */
export const listIds = (whole: WholeDatabase): ReadonlySet<string> =>
  new Set([...whole.values()].flat().flatMap((row) => toText(row).match(UUID) ?? []))

/** The numbers of rows have gaps after a transaction that was rolled back. */
const NUMBER = 'seq'

export type Comparison = {
  /** Ids that stay as they are. All others become names that say where they stand. */
  readonly known: ReadonlySet<string>
  /** Later times are all the same. */
  readonly startMs: number
  /** Columns that are left out, by table. */
  readonly without: Readonly<Record<string, readonly string[]>>
}

const hash = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)

/** Replaces each id by a digest of the rows in which it stands, and of the digests of the ids beside it. */
const nameIds = (texts: readonly string[], known: ReadonlySet<string>): string[] => {
  const places = new Map<string, number[]>()
  for (const [at, text] of texts.entries())
    for (const id of new Set(text.match(UUID))) if (!known.has(id)) places.set(id, [...(places.get(id) ?? []), at])
  let names = new Map([...places.keys()].map((id) => [id, 'new']))
  const fill = (text: string, own?: string): string =>
    text.replace(UUID, (id) => (id === own ? '<this>' : known.has(id) ? id : `<${names.get(id)}>`))
  // Three rounds tell apart what stands three references from a difference.
  for (let round = 0; round < 3; round++)
    names = new Map(
      [...places].map(([id, rows]) => {
        const around = rows.map((at) => fill(texts[at] ?? '', id)).sort()
        return [id, hash(around.join('\n'))]
      }),
    )
  return texts.map((text) => fill(text))
}

/** Returns the rows as texts that are equal for equal contents. */
export const normalize = (whole: WholeDatabase, { known, startMs, without }: Comparison): readonly string[] => {
  const rows = [...whole].flatMap(([table, all]) =>
    all.map((row) => {
      const kept = Object.entries(row).filter(([column]) => column !== NUMBER && !without[table]?.includes(column))
      return `${table} ${toText(Object.fromEntries(kept))}`
        .replace(TIME, (time) => (Date.parse(time) >= startMs ? '<time>' : time))
        .replace(MS, (ms) => (Number(ms) >= startMs ? '<ms>' : ms))
    }),
  )
  return nameIds(rows, known).sort()
}
