/** Checks the data folder: private, with free space, and no file from the future. */
import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { getDiskFault } from '../../base/disk/disk-errors.ts'
import { RESERVE_BYTES, RESERVE_FILE, readFreeBytes } from '../../base/disk/reserve.ts'
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import { DATA_FILE } from '../../database/disk/data-folder.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { formatSize } from './offline.ts'

export type FolderFacts = {
  readonly dataDir: string
  readonly now: Date
  readonly uid: number | undefined
  readonly freeBytes: () => number
}

type Entry = { readonly name: string; readonly stats: Stats }

/** Matches the files of the server. Copies that a person has put beside them are not checked. */
const OURS = /^(plat\.|plat-before-|plat-replaced-|dev-encryption-key$)/
const OTHERS = 0o077

/** Below this limit a write may fail at any moment, and the reserve is not created. */
const TIGHT_BYTES = 3 * RESERVE_BYTES
/** A disk with less space than this beside a copy of the data causes a warning. */
const ROOM_BYTES = 256 * 1024 * 1024

const listOwnFiles = (dataDir: string): Entry[] =>
  readdirSync(dataDir)
    .filter((name) => OURS.test(name))
    .flatMap((name) => {
      // A log or an index may disappear during the check.
      const stats = statSync(join(dataDir, name), { throwIfNoEntry: false })
      return stats ? [{ name, stats }] : []
    })

const formatMode = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

const checkRights = (dataDir: string, folder: Stats, entries: readonly Entry[]): Finding => {
  const open = entries.filter(({ stats }) => (stats.mode & OTHERS) !== 0)
  // The permissions of files do not matter in a private folder.
  if ((folder.mode & OTHERS) === 0)
    return ok('rights', `the folder is for its owner alone (${formatMode(folder.mode)})`)
  const held = open.find(({ name }) => name.endsWith('.db') || name.endsWith('-wal') || name === 'dev-encryption-key')
  if (held)
    return problem(
      'rights',
      `other users of this machine can get at ${held.name} (${formatMode(held.stats.mode)}), with its password hashes and sessions`,
      `chmod 700 ${dataDir} && chmod 600 ${dataDir}/plat*`,
    )
  return warning(
    'rights',
    `other users of this machine can look into the folder (${formatMode(folder.mode)})`,
    `chmod 700 ${dataDir}`,
  )
}

const checkOwner = ({ dataDir, uid }: FolderFacts, folder: Stats, entries: readonly Entry[]): Finding => {
  const foreign = entries.filter(({ stats }) => stats.uid !== folder.uid)
  if (foreign.length > 0)
    return problem(
      'owner',
      `${foreign.map(({ name }) => name).join(', ')} belongs to another user than the folder: a command was run as that user`,
      `chown -R --reference=${dataDir} ${dataDir}, and run the commands as the user that the server runs as`,
    )
  if (uid !== undefined && uid !== 0 && uid !== folder.uid)
    return problem(
      'owner',
      'the folder belongs to another user than the one that runs this command',
      'run it as the user that the server runs as',
    )
  return ok('owner', `everything belongs to one user (uid ${folder.uid})`)
}

const sumSizes = (entries: readonly Entry[]): number => entries.reduce((sum, { stats }) => sum + stats.size, 0)

const checkSpace = ({ freeBytes, dataDir }: FolderFacts, entries: readonly Entry[]): Finding => {
  const free = freeBytes()
  const data = sumSizes(entries.filter(({ name }) => name.startsWith(DATA_FILE)))
  const copies = entries.filter(({ name }) => name.startsWith('plat-'))
  const reserve = entries.some(({ name }) => name === RESERVE_FILE) ? '' : '; the reserve for a full disk is not there'
  const message = `${formatSize(free)} free, ${formatSize(data)} of data, ${formatSize(sumSizes(copies))} of older copies${reserve}`
  const advice =
    copies.length > 0
      ? `free some; of ${dataDir} the files plat-before-*.db and plat-replaced-*.db can be deleted if you do not need to return to them`
      : 'free some, or move DATA_DIR to a larger disk'
  if (free < TIGHT_BYTES) return problem('disk', message, advice)
  // An upgrade copies the data first.
  return free < data + ROOM_BYTES ? warning('disk', message, advice) : ok('disk', message)
}

/** The date of this code: a correct clock never shows an earlier one. */
const EARLIEST = Date.parse('2026-01-01T00:00:00Z')
/** Clocks of a file server may differ a little. */
const TOLERANCE_MS = 5 * 60_000

const checkClock = ({ now }: Pick<FolderFacts, 'now'>, entries: readonly Entry[]): Finding => {
  const advice = 'set the clock, and synchronize it: timedatectl set-ntp true'
  if (now.getTime() < EARLIEST) return problem('clock', `it shows ${now.toISOString()}`, advice)
  const newest = entries.reduce((latest, { stats }) => Math.max(latest, stats.mtimeMs), 0)
  if (newest > now.getTime() + TOLERANCE_MS)
    return problem(
      'clock',
      `it shows ${now.toISOString()}, and the data were written at ${new Date(newest).toISOString()}: it was set back, and sessions and keys live longer than they should`,
      advice,
    )
  return ok('clock', now.toISOString())
}

const checkAccess = (dataDir: string): Finding | undefined => {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const fault = getDiskFault(error)
    if (fault) return problem('data folder', `${dataDir}: ${fault.reason}`, fault.remedy)
    return problem(
      'data folder',
      `${dataDir}: this user may not read and write it (${getErrorCode(error) || getErrorMessage(error)})`,
      'run this as the user that the server runs as; if it is that user, give it the folder: chown -R USER',
    )
  }
}

export const checkFolder = (facts: FolderFacts): Finding[] => {
  const { dataDir } = facts
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (!folder)
    return [
      warning(
        'data folder',
        `${dataDir} is not there`,
        'the first plat serve makes it; if there should be data, name their folder with DATA_DIR or --data-dir',
      ),
      checkClock(facts, []),
    ]
  if (!folder.isDirectory()) return [problem('data folder', `${dataDir} is no folder`, 'set DATA_DIR to a folder')]
  const refused = checkAccess(dataDir)
  if (refused) return [refused]
  const entries = listOwnFiles(dataDir)
  return [
    ok('data folder', dataDir),
    checkRights(dataDir, folder, entries),
    checkOwner(facts, folder, entries),
    checkSpace(facts, entries),
    checkClock(facts, entries),
  ]
}

export const folderFacts = (dataDir: string): FolderFacts => ({
  dataDir,
  now: new Date(),
  uid: process.getuid?.(),
  freeBytes: () => readFreeBytes(dataDir),
})
