/** The location of a source or a target, as the command line names it. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { InvalidValue } from '../../base/config/values.ts'
import { parseDatabaseUrl } from '../../base/hosts/database-url.ts'
import { DATA_FILE } from '../../database/disk/data-folder.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

export type Place =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'folder'; readonly dataDir: string }

const URL_SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const POSTGRES = /^postgres(ql)?$/i
const SQLITE = /^sqlite:/i

const parseFolder = (text: string, flag: string): Place => {
  const path = resolve(text)
  if (basename(path) === DATA_FILE) return { kind: 'folder', dataDir: dirname(path) }
  if (path.endsWith('.db'))
    throw createUsageError(`--${flag}: the data file is always called ${DATA_FILE}; name its folder alone`)
  return { kind: 'folder', dataDir: path }
}

/** @example placeIn('sqlite:/var/lib/plat', 'to') // { kind: 'folder', dataDir: '/var/lib/plat' } @throws AppError */
export const placeIn = (text: string, flag: string): Place => {
  if (text === '') throw createUsageError(`--${flag} is empty`)
  const path = text.replace(SQLITE, '')
  const [, scheme] = URL_SCHEME.exec(path) ?? []
  if (scheme === undefined) return parseFolder(path, flag)
  // Never the text itself, which may contain a password.
  if (!POSTGRES.test(scheme))
    throw createUsageError(`--${flag} takes postgres://USER@HOST/DATABASE, sqlite:FOLDER or a folder`)
  try {
    parseDatabaseUrl(path)
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw createUsageError(`--${flag} ${error.message}`)
  }
  return { kind: 'postgres', url: path }
}

/** Returns the database of this installation. */
export const getConfiguredPlace = ({ databaseUrl, dataDir }: Config): Place =>
  databaseUrl === undefined ? { kind: 'folder', dataDir } : { kind: 'postgres', url: databaseUrl }

const real = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : join(folder))

export const isSamePlace = (a: Place, b: Place): boolean => {
  if (a.kind === 'folder') return b.kind === 'folder' && real(a.dataDir) === real(b.dataDir)
  return b.kind === 'postgres' && a.url === b.url
}
