/** The secrets of a source: sealed as one value for its row, and opened only for a run of it. */
import { type Place, SealedValueError, type Secrets } from '../base/security/crypto.ts'
import type { FieldIssue } from '../contract/errors.ts'
import { buildMissingKeyIssue } from '../secrets/secrets/secrets.ts'
import type { SecretValues, SourceKind } from './kinds/source-kind.ts'

/** The secrets of a request: text sets, and null or "" clears. */
export type GivenSecrets = Readonly<Record<string, string | null>>

const buildPlace = (id: string): Place => ({ table: 'sources', column: 'secrets', id })

/** Returns null without secrets. */
export const sealSecrets = (secrets: Secrets, id: string, values: SecretValues): string | null =>
  Object.keys(values).length === 0 ? null : secrets.seal(buildPlace(id), JSON.stringify(values))

/** @throws SealedValueError for an altered value, or one of another key */
export const openSecrets = (secrets: Secrets, id: string, sealed: string | null): SecretValues =>
  // Written by `sealSecrets`.
  sealed === null ? {} : (JSON.parse(secrets.open(buildPlace(id), sealed)) as SecretValues)

/** Returns undefined for secrets that cannot be opened. */
export const openIfPossible = (secrets: Secrets, id: string, sealed: string | null): SecretValues | undefined => {
  try {
    return openSecrets(secrets, id, sealed)
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    return undefined
  }
}

const buildField = (name: string): string => `secrets.${name}`

/** Returns the issues of secrets that the kind does not have, and of those that cannot be stored. */
export const checkGiven = (secrets: Secrets, kind: SourceKind, given: GivenSecrets): FieldIssue[] => {
  const known = kind.secrets.map(({ name }) => name)
  const named = known.length === 0 ? 'has none' : `has ${known.join(', ')}`
  return Object.entries(given).flatMap(([name, value]) => {
    if (!known.includes(name))
      return [{ field: buildField(name), message: `is unknown: the kind ${kind.kind} ${named}` }]
    return value && !secrets.isEnabled ? [buildMissingKeyIssue(buildField(name))] : []
  })
}

/** Returns the issues of secrets that the kind requires and that are not set. */
export const checkRequired = (kind: SourceKind, set: readonly string[]): FieldIssue[] =>
  kind.secrets.flatMap(({ name, required }) =>
    required && !set.includes(name) ? [{ field: buildField(name), message: 'is required' }] : [],
  )

/** Returns the issues of set secrets that a new target needs again. */
export const checkGivenAgain = (set: readonly string[], given: GivenSecrets): FieldIssue[] =>
  set.flatMap((name) =>
    Object.hasOwn(given, name)
      ? []
      : [{ field: buildField(name), message: 'is needed again, because the source gets another address' }],
  )

/** Returns the secrets after a change, in the order of their names. */
export const mergeSecrets = (before: SecretValues, given: GivenSecrets): SecretValues =>
  Object.fromEntries(
    Object.entries({ ...before, ...given })
      .flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
