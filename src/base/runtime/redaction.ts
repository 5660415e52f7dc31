// Recognizes the names of fields that hold secrets, for logs and the audit trail.

/** The replacement of a secret. */
export const REDACTED = '[redacted]'

const SECRET =
  /pass(?:word|wd|phrase)|secret|token|key|authorization|cookie|community|verifier|totp|recovery_?code|^__host-/i

// Names such as `keyId` or `token_count` hold ids and counts, which an investigation needs.
const HARMLESS_ENDING = /(?:_id|_ids|Id|Ids|_prefix|Prefix|_count|Count)$/

/**
 * Returns true if a field of this name is written as `[redacted]`.
 *
 * @example isSecretName('clientSecret') // true
 * @example isSecretName('api_key_id') // false
 */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !HARMLESS_ENDING.test(name)
}
