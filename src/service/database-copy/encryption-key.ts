/** Copies the key of dev mode, which is stored beside the data, to another folder. */
import { chmodSync, constants, copyFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { getDevKeyFile } from '../../secrets/secrets/dev-key.ts'
import { giveToOwner } from '../recovery/restore.ts'
import type { Place } from './location.ts'

const OWNER_ALONE = 0o600

const read = (file: string): string => readFileSync(file, 'utf8').trim()

/** @returns a note for the operator; undefined without a key @throws AppError if the target has another key */
export const carryKey = (dataDir: string, to: Place): string | undefined => {
  const file = getDevKeyFile(dataDir)
  if (!existsSync(file)) return undefined
  if (to.kind === 'postgres')
    return `The key of dev mode stays in ${file}: keep DATA_DIR as it is, or set ENCRYPTION_KEY to it`
  const copy = getDevKeyFile(to.dataDir)
  if (!existsSync(copy)) {
    copyFileSync(file, copy, constants.COPYFILE_EXCL)
    chmodSync(copy, OWNER_ALONE)
    giveToOwner(to.dataDir, basename(copy))
  } else if (!statSync(copy).isFile() || read(copy) !== read(file))
    throw new AppError('ALREADY_EXISTS', `${copy} is another key than that of the data: move it away`)
  return `The key of dev mode was copied to ${copy}`
}
