/** At the start, finds the key and verifies that the database was written with it, before it is used. */

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { createSecrets, getSealedKeyId, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { getDevKeyFile, loadDevKey } from './dev-key.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'
import { SecretKeyError } from './secret-key-error.ts'
import * as store from './store.ts'

export type SecretOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'encryptionKey' | 'encryptionKeyPrevious' | 'devMode' | 'dataDir'>
  readonly log: Logger
}

type KeySource = { readonly key: string | undefined; readonly from: string }

const getKeySource = ({ encryptionKey, devMode, dataDir }: SecretOptions['config']): KeySource =>
  encryptionKey === undefined && devMode
    ? { key: loadDevKey(dataDir), from: getDevKeyFile(dataDir) }
    : { key: encryptionKey, from: 'ENCRYPTION_KEY' }

const buildWrongKeyError = (from: string, ids: readonly string[], { currentKeyId = '' }: Secrets): SecretKeyError =>
  new SecretKeyError(
    [
      `${from} is not the key of this database: its secrets are encrypted with the key ${ids.join(' and ')}, and this is ${currentKeyId}.`,
      'Use the old key. To change to this one, set ENCRYPTION_KEY_PREVIOUS to the old one until `plat secrets rotate` has finished.',
    ].join('\n'),
  )

/** The key id of a text that is not a sealed value. */
const UNKNOWN = 'unknown'

/** Counts the sealed values by the id of their key. */
const countByKey = async (scope: DbScope): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const column of SEALED_COLUMNS)
    for (const [prefix, n] of await store.countByPrefix(scope, column)) {
      const id = getSealedKeyId(prefix) ?? UNKNOWN
      counts.set(id, (counts.get(id) ?? 0) + n)
    }
  return counts
}

/** Returns the stored check value, or stores a new one. */
const ensureCheck = async (db: Db<Tables>, secrets: Secrets): Promise<string> =>
  (await store.findCheck({ db: db.read })) ??
  db.write(async (tx) => {
    const faster = await store.findCheck(tx)
    if (faster !== undefined) return faster
    const sealed = secrets.seal(store.CHECK_PLACE, secrets.currentKeyId ?? '')
    await store.insertCheck(tx, sealed)
    return sealed
  })

const checkKey = async ({ db }: SecretOptions, secrets: Secrets, from: string): Promise<void> => {
  const requireKeys = (ids: Iterable<string>): void => {
    const unknown = [...ids].filter((id) => !secrets.keyIds.has(id))
    if (unknown.length > 0) throw buildWrongKeyError(from, unknown, secrets)
  }
  // Before a check value is created: a wrong key would create a matching one.
  requireKeys((await countByKey({ db: db.read })).keys())
  const check = await ensureCheck(db, secrets)
  requireKeys([getSealedKeyId(check) ?? UNKNOWN])
  try {
    secrets.open(store.CHECK_PLACE, check)
  } catch (cause) {
    if (!(cause instanceof SealedValueError)) throw cause
    throw new SecretKeyError(
      'The check value of the encryption key in the database was altered. Restore a backup, or start once without ENCRYPTION_KEY to have a new one created.',
      { cause },
    )
  }
}

/** Deletes the check value; without a key nothing can be sealed with a wrong one. */
const startWithoutKey = async ({ db, log }: SecretOptions): Promise<void> => {
  const used = [...(await countByKey({ db: db.read })).values()].reduce((sum, n) => sum + n, 0)
  if (used > 0) log.warn('no ENCRYPTION_KEY is set: the stored secrets cannot be used', { stored: used })
  else log.info('no ENCRYPTION_KEY is set: credentials and other secrets cannot be stored')
  if (await store.findCheck({ db: db.read })) await db.write(store.removeCheck)
}

/** @throws SecretKeyError if the database was written with another key. */
export const openSecrets = async (options: SecretOptions): Promise<Secrets> => {
  const { key, from } = getKeySource(options.config)
  const secrets = createSecrets({ key, previous: options.config.encryptionKeyPrevious })
  if (secrets.isEnabled) await checkKey(options, secrets, from)
  else await startWithoutKey(options)
  return secrets
}
