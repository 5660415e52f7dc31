/** The state folder of a scanner: its credential in `scanner.json`, its spool, and the lock against a second process. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../base/disk/durable.ts'
import { getErrorMessage, getTextErrorCode } from '../../contract/unknown.ts'
import { DataLockedError, LOCK_FILE, lockDataDir } from '../../database/disk/data-lock.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

const StoredState = z.object({
  id: z.string().min(1),
  name: z.string(),
  /** The token of all requests but enrolment. */
  token: z.string().min(1),
  url: z.url(),
  /** The 32 bytes of an X25519 key, base64url. */
  private_key: z.string().min(1),
  public_key: z.string().min(1),
})
export type State = z.infer<typeof StoredState>

const getFile = (folder: string): string => join(folder, 'scanner.json')
export const getSpoolFolder = (folder: string): string => join(folder, 'spool')

/** @throws AppError INVALID_INPUT for a folder that cannot be used */
export const makeStateFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (error) {
    const reason = getTextErrorCode(error) || getErrorMessage(error)
    throw createUsageError(`--state or PLAT_SCANNER_STATE: cannot use the folder ${folder} (${reason})`)
  }
}

/** @returns undefined before enrolment @throws AppError INVALID_INPUT for a file that cannot be used */
export const readState = (folder: string): State | undefined => {
  const file = getFile(folder)
  try {
    return StoredState.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (getTextErrorCode(error) === 'ENOENT') return undefined
    // The message of a parser would quote the content.
    const reason = getTextErrorCode(error) || 'it is damaged'
    throw createUsageError(`cannot use ${file} (${reason}): remove it, and enrol the scanner again`)
  }
}

/** Survives a power failure: the token that was redeemed for it works only once. */
export const writeState = (folder: string, state: State): void => {
  const fresh = `${getFile(folder)}.new`
  const descriptor = openSync(fresh, 'w', 0o600)
  try {
    writeSync(descriptor, `${JSON.stringify(state, undefined, 2)}\n`)
  } finally {
    closeSync(descriptor)
  }
  replaceFile(fresh, getFile(folder))
}

/** @returns the function that releases the folder; undefined while another process has it */
export const lockState = (folder: string): (() => void) | undefined => {
  try {
    return lockDataDir(folder)
  } catch (error) {
    if (error instanceof DataLockedError) return undefined
    throw error
  }
}

/** True while a process has the folder. Makes no file: the user who asks may be another one than the scanner's. */
export const isInUse = (folder: string): boolean => {
  if (!existsSync(join(folder, LOCK_FILE))) return false
  const unlock = lockState(folder)
  unlock?.()
  return unlock === undefined
}
