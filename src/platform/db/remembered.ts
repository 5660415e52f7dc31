/** Rows that were read a moment ago, as long as no commit has touched their table. */
import type { Kysely } from 'kysely'
import type { Db } from './database.ts'

export type RememberScope<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Pick<Db<Tables>, 'read' | 'remember'>
}

/** As `Db.remember`, and in a transaction as `read` says: it sees what is not committed yet. */
export const remembered = <Tables>(
  { db, store }: RememberScope<Tables>,
  table: keyof Tables & string,
  key: string,
  read: Read,
): ReturnType<Db<Tables>['remember']> => (db === store.read ? store.remember(table, key, read) : read())

/** No id, by which rows themselves are remembered, holds the character in front. */
const beside = (key: string): string => `\u0000${key}`

/** A number, counted once for as long as no commit has touched its table. */
export const countOnce = async <Tables>(
  scope: RememberScope<Tables>,
  table: keyof Tables & string,
  key: string,
  count: () => Promise<number>,
): Promise<number> => Number(await remembered(scope, table, beside(key), async () => String(await count())))

/** Numbers in their order, found once for as long as no commit has touched their table. */
export const listOnce = async <Tables>(
  scope: RememberScope<Tables>,
  table: keyof Tables & string,
  key: string,
  find: () => Promise<readonly number[]>,
): Promise<number[]> => {
  const text = await remembered(scope, table, beside(key), async () => (await find()).join())
  return text ? text.split(',').map(Number) : []
}

/** What is kept of a table in all, about in bytes; what was read first goes first. */
const MAX_TOTAL = 8 * 1024 * 1024
/** What an entry takes besides its key and its text. */
const ENTRY = 100
/** Characters of a text that is worth its room. */
const MAX_LENGTH = 256 * 1024

const sizeOf = (key: string, text: string): number => key.length + text.length + ENTRY

type Read = () => Promise<string | undefined>
/** How many commits have touched a table, or whatever else changes with each. */
type State = number | string
type Texts = {
  readonly state: State
  readonly texts: Map<string, string>
  /** Goes on from what was forgotten last: from the beginning it would pass all that was forgotten each time. */
  readonly oldest: MapIterator<[string, string]>
  total: number
}

type Place = {
  readonly table: string
  /** As it was before the read, at the latest. */
  readonly state: State
  readonly key: string
}

/** Remembers texts by table and key for as long as the state of the table is the same. */
export const createRemembered = (): ((place: Place, read: Read) => string | Promise<string | undefined>) => {
  const tables = new Map<string, Texts>()
  return ({ table, state, key }, read) => {
    let known = tables.get(table)
    if (known?.state !== state) {
      // A new map, never an emptied one: a read that began before the commit ends in the old one.
      const texts = new Map<string, string>()
      known = { state, texts, oldest: texts.entries(), total: 0 }
      tables.set(table, known)
    }
    const kept = known
    const { texts } = kept
    const text = texts.get(key)
    if (text !== undefined) return text
    return read().then((found) => {
      if (found === undefined || found.length > MAX_LENGTH) return found
      // Another reader may have been as quick.
      if (texts.has(key)) return found
      texts.set(key, found)
      kept.total += sizeOf(key, found)
      while (kept.total > MAX_TOTAL) {
        const { value: first } = kept.oldest.next()
        if (!first) break
        texts.delete(first[0])
        kept.total -= sizeOf(...first)
      }
      return found
    })
  }
}
