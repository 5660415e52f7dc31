/** Reads the TLS of connections to PostgreSQL from the parameters of a URL, as Bun's client does. */
import { readFileSync } from 'node:fs'
import { getErrorCode } from '../../contract/unknown.ts'
import { InvalidValue } from '../config/values.ts'

/**
 * `prefer`: only if the server offers it. `require`: without a check of the certificate. `verify-ca` checks that it is trusted, and
 * `verify-full` the name of the host too.
 */
export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

export type Tls = {
  /** Undefined if neither the URL nor PGSSLMODE says anything: the client then uses none. */
  readonly mode: TlsMode | undefined
  /** The file with the certificates that are trusted, if it is not that of the system. */
  readonly rootCertificate: string | undefined
}

/** The names of the PostgreSQL documentation (34.19), and further spellings that the client takes. */
const MODES: Readonly<Record<string, TlsMode>> = {
  disable: 'disable',
  disabled: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  preferred: 'prefer',
  require: 'require',
  required: 'require',
  'verify-ca': 'verify-ca',
  verify_ca: 'verify-ca',
  'verify-full': 'verify-full',
  verify_full: 'verify-full',
  'verify-identity': 'verify-full',
  verify_identity: 'verify-full',
}
const MODE_KEYS = new Set(['sslmode', 'ssl-mode', 'ssl_mode'])
const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/

/** @throws InvalidValue for a value that is none */
const parseMode = (text: string): TlsMode => {
  const mode = MODES[text.toLowerCase()]
  if (mode === undefined)
    throw new InvalidValue('must have disable, allow, prefer, require, verify-ca or verify-full as sslmode')
  return mode
}

/** A root certificate has its effect with every mode: the client checks with it even where the mode would not. */
const withRoot = (mode: TlsMode | undefined): TlsMode => (mode === 'verify-ca' ? mode : 'verify-full')

/**
 * @param query the parameters of a URL, with their `?`
 * @example parseTls('?sslmode=require') // { mode: 'require', rootCertificate: undefined }
 * @throws InvalidValue for an unknown mode, or more than one
 */
export const parseTls = (query: string): Tls => {
  const parameters = [...new URLSearchParams(query.split('#')[0])].map(([key, value]) => [key.toLowerCase(), value])
  const find = (key: string): string | undefined =>
    parameters.find(([name, value]) => name === key && value !== '')?.[1]
  const modes = parameters.filter(([key = '', value]) => MODE_KEYS.has(key) && value !== '')
  if (modes.length > 1) throw new InvalidValue('must have one sslmode')
  const given = modes[0]?.[1] ?? (Bun.env.PGSSLMODE || undefined)
  const mode = given === undefined ? undefined : parseMode(given)
  const root = find('sslrootcert')
  if (root === undefined) return { mode, rootCertificate: undefined }
  return { mode: withRoot(mode), rootCertificate: root === 'system' ? undefined : root }
}

/** @throws InvalidValue if the root certificate cannot be read, or is none */
export const checkRootCertificate = ({ rootCertificate: path }: Tls): void => {
  if (path === undefined) return
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new InvalidValue(`must name a file that can be read as sslrootcert: ${path} (${getErrorCode(error)})`)
  }
  if (!CERTIFICATE.test(text))
    throw new InvalidValue(`must name a file with certificates (PEM) as sslrootcert: ${path} has none`)
}
