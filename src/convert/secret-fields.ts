/** Removes passwords, communities and keys from values that are kept as they are. */
import type { ReportBuilder } from './report-builder.ts'

/** Names of fields that hold secrets, in any case. Custom fields and JSON values have them as well. */
const SECRET =
  /passw(?:or)?d|passphrase|passcode|secret|(?:^|[_ .-])(?:psk|pass|pwd|token|credentials?|communit(?:y|ies))(?:$|[_ .-])|(?:auth|priv|private|preshared|pre_shared|shared|api|encryption|ssh|wpa)[_ .-]?(?:key|psk|pass)|community/i

export const isSecret = (name: string): boolean => SECRET.test(name)

const hasSecret = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasSecret)
  for (const name in value) if (isSecret(name) || hasSecret((value as Record<string, unknown>)[name])) return true
  return false
}

/**
 * Removes the fields with secret names from the value, at any depth, and counts them.
 *
 * @param path of the value in the source, for the report
 */
export const removeSecrets = (report: ReportBuilder, path: string, value: unknown): unknown =>
  // Most values have none, and are not copied.
  hasSecret(value) ? copyWithoutSecrets(report, path, value) : value

const copyWithoutSecrets = (report: ReportBuilder, path: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => copyWithoutSecrets(report, path, item))
  const kept: [string, unknown][] = []
  for (const [name, item] of Object.entries(value)) {
    if (!isSecret(name)) kept.push([name, copyWithoutSecrets(report, `${path}.${name}`, item)])
    else if (item !== null && item !== '') report.dropped(`${path}.${name}`)
  }
  return Object.fromEntries(kept)
}
