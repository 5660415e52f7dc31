/** Caches results of queries until a commit writes their table. */
import type { Kysely } from 'kysely'
import type { Db, SearchMatch } from '../database.ts'
import type { RevisionCache } from './revision-cache.ts'

export type CacheScope<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Pick<Db<Tables>, 'read' | 'remember'>
}

/** Returns the cached text, as `Db.remember`. In a transaction it calls `read`, which sees uncommitted changes. */
export const getCachedText = <Tables>(
  { db, store }: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  read: Read,
  by?: SearchMatch,
): ReturnType<Db<Tables>['remember']> => (db === store.read ? store.remember(table, key, read, by) : read())

/** Returns a key for results other than rows; rows are cached by id, and no id holds the first character. */
const buildDerivedKey = (key: string): string => `\u0000${key}`

/** Returns a cached count. */
export const getCachedCount = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  count: () => Promise<number>,
  finds?: SearchMatch['finds'],
): Promise<number> => {
  const by = finds && { finds, follow: (found: string, more: number) => String(Number(found) + more) }
  return Number(await getCachedText(scope, table, buildDerivedKey(key), async () => String(await count()), by))
}

/** Returns cached counts by id. */
export const getCachedCounts = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  count: () => Promise<Map<string, number>>,
): Promise<Map<string, number>> => {
  const text = await getCachedText(scope, table, buildDerivedKey(key), async () => JSON.stringify([...(await count())]))
  // The text is the JSON of a list of pairs, written above.
  return new Map(JSON.parse(text ?? '[]') as [string, number][])
}

/** Returns a cached list of ids, in order. No id contains a comma. */
export const getCachedList = async <Tables>(
  scope: CacheScope<Tables>,
  table: keyof Tables & string,
  key: string,
  find: () => Promise<readonly string[]>,
  finds?: SearchMatch['finds'],
): Promise<string[]> => {
  const text = await getCachedText(
    scope,
    table,
    buildDerivedKey(key),
    async () => (await find()).join(),
    finds && { finds },
  )
  return text ? text.split(',') : []
}

export type Read = () => Promise<string | undefined>

type Place = {
  readonly table: string
  /** The number of commits that wrote the table, or another value that changes with each, before the read began. */
  readonly state: number | string
  readonly key: string
}

/** Caches texts by table and key until the state of the table changes. */
export const createQueryCache =
  (cache: RevisionCache): ((place: Place, read: Read) => string | Promise<string | undefined>) =>
  ({ table, state, key }, read) => {
    const texts = cache.at<string>(table, state)
    const known = texts.get(key)
    if (known !== undefined) return known
    return read().then((text) => {
      if (text !== undefined) texts.set(key, text, text.length)
      return text
    })
  }
