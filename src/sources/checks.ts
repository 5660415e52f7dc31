/** The rules of the fields of a source that need its kind, and no database. */
import { X509Certificate } from 'node:crypto'
import { OutboundError, parseTarget } from '../base/security/outbound-target.ts'
import type { FieldIssue } from '../contract/errors.ts'
import { formatFieldName } from '../contract/validate.ts'
import type { SourceKind } from './kinds/source-kind.ts'
import type { Source } from './schema.ts'

const UNIX = /^unix:(\/[^\s?#]+)$/

/** Returns the URL of the requests of a source; '' for none. */
export const getTargetUrl = (kind: SourceKind, url: string): string => url || (kind.defaultUrl ?? '')

/** True if the server fetches the source; snapshots of others are pushed. */
export const isFetched = (kind: SourceKind, { url }: Pick<Source, 'url'>): boolean =>
  !kind.isPushedOnly && getTargetUrl(kind, url) !== ''

const findUrlProblem = ({ kind, isPushedOnly }: SourceKind, url: string): string | undefined => {
  if (url === '') return undefined
  if (isPushedOnly) return `must be empty: snapshots of the kind ${kind} are pushed`
  if (url.startsWith('unix:')) return UNIX.test(url) ? undefined : 'must be unix: and an absolute path'
  try {
    const { search, hash } = parseTarget(url)
    if (hash !== '' || url.includes('#')) return 'must not have a fragment'
    return (search !== '' || url.includes('?')) && kind !== 'document' ? 'must not have a query' : undefined
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return error.message
  }
}

export const checkUrl = (kind: SourceKind, url: string): FieldIssue[] => {
  const message = findUrlProblem(kind, url)
  return message === undefined ? [] : [{ field: 'url', message }]
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns the issue of a text that is not certificates alone. */
export const checkAuthorities = (pem: string): FieldIssue[] => {
  if (pem.trim() === '') return []
  const certificates = pem.match(CERTIFICATE) ?? []
  const isWhole = certificates.length > 0 && pem.replaceAll(CERTIFICATE, '').trim() === ''
  const parses = (text: string): boolean => {
    try {
      return new X509Certificate(text).raw.length > 0
    } catch {
      return false
    }
  }
  return isWhole && certificates.every(parses)
    ? []
    : [{ field: 'tls_ca', message: 'must be the text of certificates as PEM, not the name of a file' }]
}

const FINGERPRINT = /^[0-9A-F]{64}$/

/** Returns a fingerprint in capitals with colons; other texts as they are. */
export const formatFingerprint = (text: string): string => {
  const digits = text.replaceAll(':', '').trim().toUpperCase()
  return FINGERPRINT.test(digits) ? (digits.match(/../g) ?? []).join(':') : text.trim()
}

export const checkFingerprint = (text: string): FieldIssue[] =>
  text === '' || FINGERPRINT.test(text.replaceAll(':', ''))
    ? []
    : [{ field: 'tls_fingerprint', message: 'must be 64 hexadecimal digits: the SHA-256 of the certificate' }]

type Options = Source['options']

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns the options as they are stored, or their issues. */
export const parseOptions = (
  kind: SourceKind,
  options: Options,
): { readonly options: Options } | { readonly issues: FieldIssue[] } => {
  const toField = (name: string): string => `options.${name}`
  const known = kind.options.map(({ name }) => name)
  const named = known.length === 0 ? 'has none' : `has ${known.join(', ')}`
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  const missing = kind.options.filter(({ name, required }) => required && isEmpty(options[name]))
  const issues = [
    ...unknown.map((name) => ({ field: toField(name), message: `is unknown: the kind ${kind.kind} ${named}` })),
    ...missing.map(({ name }) => ({ field: toField(name), message: 'is required' })),
  ]
  if (issues.length > 0) return { issues }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null))
  const wrong = kind.options.filter(({ name, type }) => type === 'flag' && typeof (given[name] ?? false) !== 'boolean')
  if (wrong.length > 0)
    return { issues: wrong.map(({ name }) => ({ field: toField(name), message: 'must be true or false' })) }
  const parsed = kind.Options.safeParse(given)
  if (parsed.success) return { options: parsed.data }
  return {
    issues: parsed.error.issues.map(({ path, message }) => ({ field: formatFieldName(['options', ...path]), message })),
  }
}

const parseHost = (url: string): { readonly protocol: string; readonly host: string } | undefined => {
  const target = url.startsWith('unix:') ? undefined : URL.parse(url)
  if (!target) return undefined
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  return { protocol: target.protocol, host: `${target.hostname}:${port}` }
}

/** True if a change of the URL lets the secrets reach another host, another port or a socket, or sends them in the clear. */
export const isNewTarget = (before: string, after: string): boolean => {
  if (before === after || after === '') return false
  const [from, to] = [parseHost(before), parseHost(after)]
  if (!from || !to) return true
  return from.host !== to.host || (from.protocol === 'https:' && to.protocol !== 'https:')
}
