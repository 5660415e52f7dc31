// Which field names hold secrets, for everything that writes fields down: logs and the audit trail.

/** What stands where a secret would. */
export const REDACTED = '[redacted]'

const SECRET = /pass(?:word|wd|phrase)|secret|token|key|authorization|cookie|community|verifier|^__host-/i

// `keyId` or `token_count` say which or how many, and are what an investigation needs.
const HARMLESS_ENDING = /(?:_id|_ids|Id|Ids|_prefix|Prefix|_count|Count)$/

/**
 * Whether a field of this name is to be written as `[redacted]`.
 *
 * @example
 * isSecretName('clientSecret') // true
 * isSecretName('api_key_id') // false
 */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !HARMLESS_ENDING.test(name)
}
