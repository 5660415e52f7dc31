/** Keys that sign what clients or other stores return: all instances share them, and they outlive restarts. The only writer of their table. */
import { randomBytes } from 'node:crypto'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'

const KEY_BYTES = 32

const find = async (db: Db<Tables>, name: string): Promise<string | undefined> =>
  (await db.read.selectFrom('sign_in_keys').select('key').where('name', '=', name).executeTakeFirst())?.key

/** Stores a random key, in hex, unless another instance was first. @returns the key in the database */
const ensureKey = async (db: Db<Tables>, name: string): Promise<string> => {
  const found = await find(db, name)
  if (found !== undefined) return found
  const key = randomBytes(KEY_BYTES).toString('hex')
  await db.write((tx) =>
    tx.db
      .insertInto('sign_in_keys')
      .values({ name, key })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  )
  return (await find(db, name)) ?? key
}

/** Returns a function that reads the key of this name once, and creates it before that if it does not exist. */
export const createSignInKey = (db: Db<Tables>, name: string): (() => Promise<Buffer>) => {
  let known: Promise<Buffer> | undefined
  return () => {
    known ??= ensureKey(db, name).then((hex) => Buffer.from(hex, 'hex'))
    known.catch(() => {
      known = undefined
    })
    return known
  }
}
