/** A URL as it may be recorded: where it leads, without the parts in which services carry tokens. */
import { REDACTED } from '../../platform/runtime/redaction.ts'

/**
 * Masks user information, the last segment of the path, the query and the fragment. A text that is no URL is masked whole.
 * @example maskedUrl('https://u:p@hooks.example/services/T0/x?a=b') // 'https://[redacted]@hooks.example/services/T0/[redacted]?[redacted]'
 */
export const maskedUrl = (text: string): string => {
  if (text === '') return ''
  if (!URL.canParse(text)) return REDACTED
  const { protocol, host, username, password, pathname, search, hash } = new URL(text)
  // Without a host all of it is a path, such as `mailto:`.
  if (host === '') return `${protocol}${REDACTED}`
  const user = username === '' && password === '' ? '' : `${REDACTED}@`
  const path = pathname.replace(/[^/]+(\/*)$/, `${REDACTED}$1`)
  return `${protocol}//${user}${host}${path}${search && `?${REDACTED}`}${hash && `#${REDACTED}`}`
}
