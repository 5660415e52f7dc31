/** The key of dev mode, created at the first start and stored beside the data. Not for production. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidValue, parseHexKey } from '../../base/config/values.ts'
import { makePrivateFolder } from '../../base/disk/private-files.ts'
import { SecretKeyError } from './secret-key-error.ts'

const KEY_BYTES = 32

export const getDevKeyFile = (dataDir: string): string => join(dataDir, 'dev-encryption-key')

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Creates the file once: the first of several processes creates it. */
const makeOnce = (file: string): void => {
  try {
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
}

/** @throws SecretKeyError for a file without a valid key */
export const loadDevKey = (dataDir: string): string => {
  const file = getDevKeyFile(dataDir)
  makePrivateFolder(dataDir)
  makeOnce(file)
  try {
    return parseHexKey(readFileSync(file, 'utf8').trim())
  } catch (cause) {
    if (!(cause instanceof InvalidValue)) throw cause
    throw new SecretKeyError(
      `${file}: ${cause.message}. Delete it to have a new one created; values that the old one encrypted are lost.`,
    )
  }
}
