/** The signing key of device cookies; the only writer of its table. */
import type { Db } from '../../platform/db/database.ts'
import type { Tables } from '../tables.ts'

const NAME = 'device-cookie'

const find = async (db: Db<Tables>): Promise<string | undefined> =>
  (await db.read.selectFrom('sign_in_keys').select('key').where('name', '=', NAME).executeTakeFirst())?.key

/** Stores the key, in hex, unless another instance was first. @returns the key in the database */
export const ensureKey = async (db: Db<Tables>, key: string): Promise<string> => {
  const found = await find(db)
  if (found !== undefined) return found
  await db.write((tx) =>
    tx.db
      .insertInto('sign_in_keys')
      .values({ name: NAME, key })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  )
  return (await find(db)) ?? key
}
