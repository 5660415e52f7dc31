/** Encrypts headers of earlier versions, and rewrites the files that contain their text, at each start until done. */
import type { Database } from 'bun:sqlite'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Db, Tx } from '../../database/database.ts'
import { listEarlierData, rewriteEarlierData } from '../../database/disk/upgrade-copy.ts'
import type { Tables } from '../../database/tables.ts'
import { clearAnswers } from './delivery-store.ts'
import { MASK } from './header-rules.ts'
import { openHeaders, sealHeaders } from './headers.ts'
import * as store from './store.ts'

type Options = {
  readonly db: Db<Tables>
  readonly secrets: Secrets
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl'>
  readonly log: Logger
}

const REMOVED = 'Its headers were removed from this copy of the data: enter them again'

/** Removes duplicates: the last value was sent of two names that differ in case only. */
const removeDuplicates = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [name, value] as const])).values(),
  )

const sealAll = async (tx: Tx<Tables>, { db, secrets }: Options): Promise<number> => {
  const clear = await store.lockClear(tx, db.sql)
  for (const stored of clear) {
    const { id } = stored.webhook
    const values = removeDuplicates(openHeaders(secrets, id, stored.headers))
    await store.updateRow(tx, {
      ...stored,
      webhook: { ...stored.webhook, headers: Object.fromEntries(Object.keys(values).map((name) => [name, MASK])) },
      headers: sealHeaders(secrets, id, values),
    })
    // The stored answers may echo an earlier value, or one too short to mask.
    await clearAnswers(tx, id)
  }
  if (clear.length > 0) await store.beginPurge(tx)
  return clear.length
}

const findColumns = (database: Database, table: string): Set<string> =>
  new Set(
    database
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name),
  )

/** Only the version that made a copy reads it, and that version does not support encrypted headers. */
const removeClear = (database: Database): void => {
  const columns = findColumns(database, 'webhooks')
  if (!columns.has('headers')) return
  const isClear = columns.has('sealed_headers') ? "headers <> '{}' AND sealed_headers IS NULL" : "headers <> '{}'"
  database.run(
    `UPDATE webhook_deliveries SET response_body = '' WHERE webhook_id IN (SELECT id FROM webhooks WHERE ${isClear})`,
  )
  database.run(`UPDATE webhooks SET headers = '{}', enabled = 0, disabled_reason = ? WHERE ${isClear}`, [REMOVED])
}

/** @returns true when no file contains the old text */
const purge = async ({ db, config, log }: Options): Promise<boolean> => {
  let isDone = true
  const failed = (file: string, error: unknown): void => {
    isDone = false
    log.warn(
      'a file may still hold headers of webhooks in clear text: it could not be rewritten; the next start tries again',
      { file, error },
    )
  }
  // The copies in the folder may be of other data if the database is external.
  for (const file of config.databaseUrl === undefined ? listEarlierData(config.dataDir) : []) {
    try {
      rewriteEarlierData(file, removeClear)
      log.info('headers of webhooks were removed from a copy of the data', { file })
    } catch (error) {
      failed(file, error)
    }
  }
  await db.vacuum(['webhooks']).catch((error: unknown) => failed('the database', error))
  return isDone
}

/** Encrypts headers that are stored in clear text. Without a key it leaves them and logs a warning. */
export const sealStoredHeaders = async (options: Options): Promise<void> => {
  const { db, secrets, log } = options
  const clear = await store.countClear({ db: db.read })
  if (!secrets.isEnabled) {
    if (clear > 0)
      log.warn('no ENCRYPTION_KEY is set: headers of webhooks are stored in clear text until a start with one', {
        webhooks: clear,
      })
    return
  }
  if (clear === 0 && !(await store.isPurgePending({ db: db.read }))) return
  const sealed = await db.write((tx) => sealAll(tx, options), { exclusive: true })
  log.info('headers of webhooks are encrypted; the files of the database are rewritten', { webhooks: sealed })
  if (await purge(options)) await db.write(store.endPurge)
}
