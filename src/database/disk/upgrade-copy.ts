/** Copies the data before an upgrade to `plat-before-N.db`, from which the earlier version can be restored. */
import type { Database } from 'bun:sqlite'
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getDiskProblem } from '../../base/disk/disk-errors.ts'
import { replaceFile } from '../../base/disk/durable.ts'
import { MigrationError } from '../migrate.ts'
import { rewriteFile } from '../sqlite/vacuum.ts'

/** Maximum number of copies; older ones are deleted, because each is as large as the data. */
const KEPT = 3
const COPY = /^plat-before-\d+\.db$/
const REPLACED = /^plat-replaced-.*\.db$/
const PART = '.part'

type Source = { readonly copyTo: (file: string) => void }

const createNoRoomError = (dataDir: string, cause: unknown): MigrationError =>
  new MigrationError(
    `There is no room in ${dataDir} for the copy of the data that is made before an upgrade. Nothing was changed: free as much space as the data take, or go on with the version before.`,
    { cause },
  )

/** Lists the copies, newest first. */
export const listUpgradeCopies = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => COPY.test(name))
    .map((name) => join(dataDir, name))
    .map((file) => ({ file, time: statSync(file).mtimeMs }))
    .sort((a, b) => b.time - a.time)
    .map(({ file }) => file)

/** Lists all earlier data in the folder: the copies of upgrades, and the data that a restore has replaced. */
export const listEarlierData = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => COPY.test(name) || REPLACED.test(name))
    .map((name) => join(dataDir, name))

/** Changes earlier data and rewrites its file. @throws Error if it cannot be rewritten; the file is then unchanged */
export const rewriteEarlierData = (file: string, change: (database: Database) => void): void =>
  rewriteFile(file, file + PART, change)

/** Copies the data before this migration, and deletes the oldest copies. @returns the path of the copy */
export const copyBeforeUpgrade = (source: Source, dataDir: string, migration: number): string => {
  const copy = join(dataDir, `plat-before-${migration}.db`)
  const part = copy + PART
  rmSync(part, { force: true })
  try {
    // Created here, so that its content is never readable to others.
    closeSync(openSync(part, 'wx', 0o600))
    source.copyTo(part)
    replaceFile(part, copy)
  } catch (error) {
    rmSync(part, { force: true })
    throw getDiskProblem(error) === 'full' ? createNoRoomError(dataDir, error) : error
  }
  for (const old of listUpgradeCopies(dataDir)
    .filter((file) => file !== copy)
    .slice(KEPT - 1))
    rmSync(old, { force: true })
  return copy
}

const isPartialCopy = (whole: RegExp, name: string): boolean =>
  name.endsWith(PART) && whole.test(name.slice(0, -PART.length))

/** Removes the remains of an interrupted copy. */
export const removePartialCopies = (dataDir: string): void => {
  for (const name of readdirSync(dataDir))
    if (isPartialCopy(COPY, name) || isPartialCopy(REPLACED, name)) rmSync(join(dataDir, name), { force: true })
}
