/** Rows that were read a moment ago, as long as no commit has touched their table. */
import type { Kysely } from 'kysely'
import type { Db, SearchMatch } from '../database.ts'
import { BoundedCache } from './bounded-cache.ts'

export type CacheScope<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Pick<Db<Tables>, 'read' | 'remember'>
}

/** As `Db.remember`, and in a transaction as `read` says: it sees what is not committed yet. */
export const cachedText = <Tables>(
  { db, store }: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  read: Read,
  by?: SearchMatch,
): ReturnType<Db<Tables>['remember']> => (db === store.read ? store.remember(table, key, read, by) : read())

/** No id, by which rows themselves are remembered, holds the character in front. */
const beside = (key: string): string => `\u0000${key}`

/** A number, counted once for as long as `Db.remember` says. */
export const cachedCount = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  count: () => Promise<number>,
  finds?: SearchMatch['finds'],
): Promise<number> => {
  const by = finds && { finds, follow: (found: string, more: number) => String(Number(found) + more) }
  return Number(await cachedText(scope, table, beside(key), async () => String(await count()), by))
}

/** As `countOnce`, of what has been counted by id. */
export const cachedCounts = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  count: () => Promise<Map<string, number>>,
): Promise<Map<string, number>> => {
  const text = await cachedText(scope, table, beside(key), async () => JSON.stringify([...(await count())]))
  // As it was written.
  return new Map(JSON.parse(text ?? '[]') as [string, number][])
}

/** Numbers in their order, found once for as long as `Db.remember` says. */
export const cachedList = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  find: () => Promise<readonly number[]>,
  finds?: SearchMatch['finds'],
): Promise<number[]> => {
  const text = await cachedText(scope, table, beside(key), async () => (await find()).join(), finds && { finds })
  return text ? text.split(',').map(Number) : []
}

export type Read = () => Promise<string | undefined>
/** How many commits have touched a table, or whatever else changes with each. */
type State = number | string

type Place = {
  readonly table: string
  /** As it was before the read, at the latest. */
  readonly state: State
  readonly key: string
}

/** Remembers texts by table and key for as long as the state of the table is the same. */
export const createQueryCache = (): ((place: Place, read: Read) => string | Promise<string | undefined>) => {
  const tables = new Map<string, { readonly state: State; readonly texts: BoundedCache }>()
  return ({ table, state, key }, read) => {
    let known = tables.get(table)
    if (known?.state !== state) {
      // New ones, never emptied ones: a read that began before the commit ends in the old ones.
      known = { state, texts: new BoundedCache() }
      tables.set(table, known)
    }
    const { texts } = known
    const kept = texts.get(key)
    if (kept) return kept.text
    return read().then((text) => {
      if (text !== undefined) texts.set(key, { text })
      return text
    })
  }
}
