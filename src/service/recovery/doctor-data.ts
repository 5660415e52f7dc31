/** Checks the content of a database of either engine: a known schema, and secrets that the key opens. */
import { existsSync, readFileSync } from 'node:fs'
import type { Config } from '../../base/config/config.ts'
import { createSecrets, getSealedKeyId, type Secrets } from '../../base/security/crypto.ts'
import type { Engine } from '../../database/database.ts'
import type { Applied } from '../../database/floors.ts'
import { getDdl, listPending, MigrationError, UnfinishedCopyError } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { getDevKeyFile } from '../../secrets/secrets/dev-key.ts'
import { SEALED_COLUMNS } from '../../secrets/secrets/sealed-columns.ts'
import { CHECK_PLACE } from '../../secrets/secrets/store.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

export const checkSchema = (applied: readonly Applied[], engine: Engine): Finding => {
  try {
    const pending = listPending(migrations, applied, getDdl(engine))
    const last = applied.at(-1)?.name ?? 'empty'
    if (applied.some(({ name }) => !migrations.some((known) => known.name === name)))
      return ok('schema', `of a newer Plat (${last}); this one works on it until it is replaced`)
    if (pending.length === 0) return ok('schema', `up to date (${last})`)
    if (applied.length === 0)
      return warning(
        'schema',
        'the database is empty',
        'the first plat serve fills it; if there should be data, it is another one',
      )
    const names = pending.map(({ name }) => name).join(', ')
    return warning(
      'schema',
      `of an earlier version: ${names} to come`,
      'make a backup; the next start brings it up to date',
    )
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return problem(
      'schema',
      error.message,
      error instanceof UnfinishedCopyError
        ? 'copy again, or serve the source of the copy'
        : 'install that version of Plat, or plat restore a backup that this one can read',
    )
  }
}

/** Returns the rows of a query without parameters. */
export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>

const loadSealedValues = async (query: Query): Promise<string[]> => {
  const values: string[] = []
  for (const { table, column } of SEALED_COLUMNS) {
    const prefix = `substr(${column}, 1, 16)`
    const rows = await query(`SELECT DISTINCT ${prefix} AS prefix FROM ${table} WHERE ${column} IS NOT NULL`)
    values.push(...rows.map((row) => String(row.prefix)))
  }
  return [...new Set(values.map((value) => getSealedKeyId(value) ?? 'unknown'))]
}

const checkValue = async (query: Query): Promise<string | undefined> => {
  const rows = await query(`SELECT sealed FROM ${CHECK_PLACE.table} WHERE name = '${CHECK_PLACE.id}'`)
  const [row] = rows
  return row ? String(row.sealed) : undefined
}

const opens = (secrets: Secrets, sealed: string): boolean => {
  try {
    secrets.open(CHECK_PLACE, sealed)
    return true
  } catch {
    // Another key, or a modified value: either way the key does not open it.
    return false
  }
}

/** Webhook headers that a version before their encryption has stored; none if there are no such headers. */
export const checkHeaders = async (query: Query): Promise<Finding[]> => {
  const [row] = await query(
    "SELECT (SELECT count(*) FROM webhooks WHERE sealed_headers IS NULL AND headers <> '{}') AS clear, (SELECT count(*) FROM webhook_purges) AS purges",
  )
  if (Number(row?.clear) > 0)
    return [
      warning(
        'webhook headers',
        `webhooks with headers in clear text: ${row?.clear}`,
        'set ENCRYPTION_KEY, and restart: the first start with a key encrypts them',
      ),
    ]
  if (Number(row?.purges) > 0)
    return [
      warning(
        'webhook headers',
        'files of the database may still hold them in clear text',
        'restart with ENCRYPTION_KEY; the log says which file could not be rewritten',
      ),
    ]
  return []
}

/** Users who may sign in while passwords are off for others; none where they are on. */
export const checkBreakGlass = async (query: Query, { passwordSignIn }: Config): Promise<Finding[]> => {
  if (passwordSignIn === 'all') return []
  const check = 'break-glass'
  const [row] = await query(
    "SELECT count(*) AS n FROM users WHERE is_break_glass = 1 AND is_active = 1 AND password_hash <> ''",
  )
  if (Number(row?.n) > 0) return [ok(check, `users who may sign in by password: ${row?.n}`)]
  return [
    warning(
      check,
      'PASSWORD_SIGN_IN is break-glass, and no active user is marked so: without an identity provider no user can sign in',
      'run plat user break-glass USERNAME',
    ),
  ]
}

const CHECK = 'encryption key'

/** Returns the key that the server would use. In dev mode the first start creates it, and this check does not. */
const loadKey = ({ encryptionKey, devMode, dataDir }: Config): string | undefined => {
  if (encryptionKey !== undefined || !devMode) return encryptionKey
  const file = getDevKeyFile(dataDir)
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined
}

const WRONG_ADVICE =
  'use the key that the data were written with; to change it, set ENCRYPTION_KEY_PREVIOUS to the old one until plat secrets rotate has finished'

export const checkKey = async (query: Query, config: Config): Promise<Finding> => {
  const key = loadKey(config)
  const used = await loadSealedValues(query)
  if (key === undefined) {
    if (used.length === 0) return ok(CHECK, 'none is set: credentials and other secrets cannot be stored')
    const message = `none is set, and there are secrets encrypted with the key ${used.join(' and ')}: they cannot be used`
    return problem(CHECK, message, 'set ENCRYPTION_KEY to the key that they were encrypted with')
  }
  const secrets = createSecrets({ key, previous: config.encryptionKeyPrevious })
  const unknown = used.filter((id) => !secrets.keyIds.has(id))
  if (unknown.length > 0)
    return problem(
      CHECK,
      `it is ${secrets.currentKeyId}, and there are secrets encrypted with the key ${unknown.join(' and ')}`,
      WRONG_ADVICE,
    )
  const sealed = await checkValue(query)
  if (sealed !== undefined && !opens(secrets, sealed))
    return problem(CHECK, `it is ${secrets.currentKeyId}, and does not open the check value of the data`, WRONG_ADVICE)
  const old = used.filter((id) => id !== secrets.currentKeyId)
  if (old.length > 0)
    return warning(
      CHECK,
      `it is right, and some secrets still need an earlier one (${old.join(', ')})`,
      'run plat secrets rotate',
    )
  return ok(
    CHECK,
    sealed === undefined ? `it is ${secrets.currentKeyId}, not used yet` : `it fits the data (${secrets.currentKeyId})`,
  )
}
