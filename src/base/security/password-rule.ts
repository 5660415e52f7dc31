// The rule for new passwords, which the browser shares. Imports nothing.

/** Minimum length of a password in characters (Unicode code points). */
export const MIN_PASSWORD_CHARACTERS = 8

/** Maximum length of a password in UTF-8 bytes: bcrypt ignores bytes after the 72nd. */
export const MAX_PASSWORD_BYTES = 72

/**
 * Returns the error of a new password as a sentence for its user, or undefined if it is valid.
 *
 * @example checkPassword('short') // 'The password must have at least 8 characters'
 * @example checkPassword('correct horse') // undefined
 */
export function checkPassword(password: string): string | undefined {
  // A lone surrogate has no UTF-8 form: two such passwords would have equal hashes.
  if (!password.isWellFormed()) return 'The password contains a broken character'
  if (/\p{Cc}/u.test(password)) return 'The password must not contain control characters'
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    return `The password must have at least ${MIN_PASSWORD_CHARACTERS} characters`
  }
  if (countPasswordBytes(password) > MAX_PASSWORD_BYTES) {
    return `The password must not be longer than ${MAX_PASSWORD_BYTES} bytes in UTF-8`
  }
  return undefined
}

/** Returns the length of a password in UTF-8 bytes, the unit of bcrypt's limit. */
export function countPasswordBytes(password: string): number {
  return new TextEncoder().encode(password).length
}
