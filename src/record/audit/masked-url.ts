/** Masks the parts of a URL in which services carry tokens, and keeps the rest for the record. */
import { REDACTED } from '../../base/runtime/redaction.ts'

/** A segment that is long enough for a token, such as that of a bot before the name of its method. */
const LONG_SEGMENT = /[^/]{20,}/g

/**
 * Masks user information, the last segment of the path and long ones, the query and the fragment. Masks a text that is not a URL
 * completely.
 * @example redactUrl('https://u:p@hooks.example/services/T0/x?a=b') //
 * 'https://[redacted]@hooks.example/services/T0/[redacted]?[redacted]'
 */
export const redactUrl = (text: string): string => {
  if (text === '') return ''
  if (!URL.canParse(text)) return REDACTED
  const { protocol, host, username, password, pathname, search, hash } = new URL(text)
  // Everything after the scheme is a path if there is no host, as in `mailto:`.
  if (host === '') return `${protocol}${REDACTED}`
  const user = username === '' && password === '' ? '' : `${REDACTED}@`
  const path = pathname.replace(/[^/]+(\/*)$/, `${REDACTED}$1`).replace(LONG_SEGMENT, REDACTED)
  return `${protocol}//${user}${host}${path}${search && `?${REDACTED}`}${hash && `#${REDACTED}`}`
}
