/** The options of `plat scanner run`: flags first, then variables. */
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Layer, readText } from '../../base/config/sources.ts'
import { InvalidValue, parseBoolean, parseText } from '../../base/config/values.ts'
import { getErrorMessage, getTextErrorCode } from '../../contract/unknown.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { WIRE_LIMITS } from '../wire.ts'

export type Given = {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly state?: string | undefined
  readonly slots?: string | undefined
  readonly ca?: string | undefined
  readonly spoolLimit?: string | undefined
  readonly allowsHttp: boolean
}

export type DaemonOptions = {
  /** Without a slash at its end; undefined: as stored. */
  readonly url: string | undefined
  /** Returns the enrolment token; undefined without one. Read when it is needed: its file may be gone after the enrolment. */
  readonly readToken: () => string | undefined
  readonly stateDir: string
  readonly slots: number
  /** Certificates as PEM. */
  readonly ca: string | undefined
  readonly spoolBytes: number
  readonly allowsHttp: boolean
}

const SYSTEM_STATE = '/var/lib/plat-scanner'
const DEFAULT_SLOTS = 2
const DEFAULT_SPOOL = '64MiB'
/** One report may take several MiB. */
const LEAST_SPOOL_BYTES = 8 * 2 ** 20
const UNITS: Readonly<Record<string, number>> = { '': 1, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30 }
const TOKEN_PREFIX = 'plat_en_'

/** @throws AppError INVALID_INPUT */
const parseSize = (flag: string, text: string): number => {
  const [, number = '', unit = ''] = /^(\d{1,15}) ?([a-z]*)$/i.exec(text.trim()) ?? []
  const factor = UNITS[unit.toUpperCase()]
  if (number === '' || factor === undefined) throw createUsageError(`${flag} must be a size such as 64MiB`)
  const bytes = Number(number) * factor
  if (bytes < LEAST_SPOOL_BYTES) throw createUsageError(`${flag} must be 8MiB or more`)
  return bytes
}

const parseSlots = (text: string): number => {
  const slots = /^\d$/.test(text) ? Number(text) : 0
  if (slots >= 1 && slots <= WIRE_LIMITS.slots) return slots
  throw createUsageError(`--slots or PLAT_SCANNER_SLOTS must be a number from 1 to ${WIRE_LIMITS.slots}`)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]'

/**
 * Returns the URL as the base of the paths of the wire.
 *
 * @throws AppError INVALID_INPUT for another scheme, for a user in the URL, and for http to another machine
 */
export const parseServerUrl = (text: string, allowsHttp: boolean): string => {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.host === '')
    throw createUsageError(`--url or PLAT_SCANNER_URL must be a URL such as https://plat.example.com`)
  if (url.username !== '' || url.password !== '')
    throw createUsageError('--url or PLAT_SCANNER_URL must have no user and no password')
  if (url.protocol === 'http:' && !allowsHttp && !isLoopback(url.hostname))
    throw createUsageError(
      `--url or PLAT_SCANNER_URL: http:// sends the token of this scanner in the open; use https://, or permit it with --allow-http`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** @throws AppError INVALID_INPUT */
const readTokenText = (flag: string | undefined, env: Layer): string | undefined => {
  const variable = { name: 'PLAT_SCANNER_TOKEN', default: '', parse: parseText, isSecret: true, help: '' } as const
  const readFile = (path: string): string => readFileSync(path, 'utf8')
  try {
    const text = (flag || readText(variable, [env], readFile))?.trim()
    if (text === undefined || text.startsWith(TOKEN_PREFIX)) return text
  } catch (error) {
    if (error instanceof InvalidValue) throw createUsageError(`PLAT_SCANNER_TOKEN: ${error.message}`)
    throw error
  }
  throw createUsageError(
    `--token or PLAT_SCANNER_TOKEN must be the enrolment token of a scanner, which begins with ${TOKEN_PREFIX}`,
  )
}

/** @throws AppError INVALID_INPUT */
const readCa = (path: string): string => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw createUsageError(`--ca: cannot read ${path} (${getTextErrorCode(error) || getErrorMessage(error)})`)
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw createUsageError(`--ca: ${path} has no certificate in PEM`)
}

const canWrite = (folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    // Another folder is used.
    return false
  }
}

const findStateDir = (env: Layer): string =>
  // systemd.exec(5): the folder of StateDirectory.
  env.STATE_DIRECTORY ||
  (canWrite(SYSTEM_STATE)
    ? SYSTEM_STATE
    : join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'plat-scanner'))

/** @throws AppError INVALID_INPUT */
const readAllowsHttp = (given: boolean, text: string | undefined): boolean => {
  try {
    return given || (text ? parseBoolean(text) : false)
  } catch {
    // An `InvalidValue`, which does not know the name.
    throw createUsageError('PLAT_SCANNER_ALLOW_HTTP must be true or false')
  }
}

/** @throws AppError INVALID_INPUT that names the flag and the variable */
export const readOptions = (given: Given, env: Layer): DaemonOptions => {
  const url = given.url || env.PLAT_SCANNER_URL?.trim()
  const state = given.state || env.PLAT_SCANNER_STATE?.trim()
  const slots = given.slots || env.PLAT_SCANNER_SLOTS?.trim()
  const allowsHttp = readAllowsHttp(given.allowsHttp, env.PLAT_SCANNER_ALLOW_HTTP?.trim())
  return {
    url: url ? parseServerUrl(url, allowsHttp) : undefined,
    readToken: () => readTokenText(given.token, env),
    slots: slots ? parseSlots(slots) : DEFAULT_SLOTS,
    ca: given.ca ? readCa(given.ca) : undefined,
    spoolBytes: parseSize('--spool-limit', given.spoolLimit || DEFAULT_SPOOL),
    allowsHttp,
    stateDir: resolve(state || findStateDir(env)),
  }
}
