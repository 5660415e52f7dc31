/** The URL of a webhook: sealed in the database where it is a secret, in clear only in a request. */
import { type Place, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import type { FieldIssue } from '../../contract/errors.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { checkUrlForm, maskUrl } from './channel-url.ts'
import { type Format, hasSecretUrl } from './fields.ts'

/** The stored form. */
export type KeptUrl = {
  readonly url: string
  /** The whole URL, where `url` has only its host. */
  readonly sealedUrl: string | null
}

export const buildUrlPlace = (id: string): Place => ({ table: 'webhooks', column: 'sealed_url', id })

/** @throws SealedValueError */
export const openUrl = (secrets: Secrets, id: string, { url, sealedUrl }: KeptUrl): string =>
  sealedUrl === null ? url : secrets.open(buildUrlPlace(id), sealedUrl)

const sealUrl = (secrets: Secrets, id: string, { format, url }: { format: Format; url: string }): KeptUrl =>
  hasSecretUrl(format)
    ? { url: maskUrl(url), sealedUrl: secrets.seal(buildUrlPlace(id), url) }
    : { url, sealedUrl: null }

type Resolved = { readonly kept: KeptUrl } | { readonly issue: FieldIssue }

/** Returns the stored form of a new URL, or its problem. */
export const resolveNewUrl = (secrets: Secrets, id: string, given: { format: Format; url: string }): Resolved => {
  const problem = checkUrlForm(given.format, given.url)
  if (problem !== undefined) return { issue: { field: 'url', message: problem } }
  if (hasSecretUrl(given.format) && !secrets.isEnabled) return { issue: buildMissingKeyIssue('url') }
  return { kept: sealUrl(secrets, id, given) }
}

type Before = KeptUrl & { readonly id: string; readonly format: Format }

/**
 * Returns the URL after an update. The text in which a secret URL is shown keeps it; any other text counts as new.
 * @param format after the update
 */
export const resolveUrl = (
  secrets: Secrets,
  before: Before,
  { format, url: given }: { format: Format; url: string | undefined },
): Resolved => {
  const isKept = given === undefined || (before.sealedUrl !== null && given === before.url)
  if (!isKept) return resolveNewUrl(secrets, before.id, { format, url: given })
  if (format === before.format) return { kept: before }
  if (before.sealedUrl !== null && !hasSecretUrl(format))
    return {
      issue: { field: 'url', message: 'is needed again: this format shows its URL, and the stored one is a secret' },
    }
  try {
    return resolveNewUrl(secrets, before.id, { format, url: openUrl(secrets, before.id, before) })
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    return { issue: { field: 'url', message: 'is needed again, because what is stored cannot be decrypted' } }
  }
}

/** Returns a secret URL and its parts, which a target may echo in its answer. */
export const listUrlSecrets = (format: Format, url: string): string[] =>
  hasSecretUrl(format) ? [url, ...url.split(/[/?&=]/)] : []
