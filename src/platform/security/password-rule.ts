// The rule a new password must meet, in one pure function. Runs in a browser too, so that a form and
// the server say the same; imports nothing.

/** The fewest characters (Unicode code points) a password may have. */
export const MIN_PASSWORD_CHARACTERS = 8

/** The most UTF-8 bytes a password may have: bcrypt ignores whatever follows the 72nd. */
export const MAX_PASSWORD_BYTES = 72

/**
 * What is wrong with a new password, as a sentence for its user, or undefined when it may be used.
 *
 * @example
 * passwordProblem('short') // 'The password must have at least 8 characters'
 * passwordProblem('correct horse') // undefined
 */
export function passwordProblem(password: string): string | undefined {
  // Text with half a surrogate pair has no UTF-8 form of its own: two such passwords would hash alike.
  if (!password.isWellFormed()) return 'The password contains a broken character'
  if (/\p{Cc}/u.test(password)) return 'The password must not contain control characters'
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    return `The password must have at least ${MIN_PASSWORD_CHARACTERS} characters`
  }
  if (passwordBytes(password) > MAX_PASSWORD_BYTES) {
    return `The password must not be longer than ${MAX_PASSWORD_BYTES} bytes in UTF-8`
  }
  return undefined
}

/** The length of a password in UTF-8 bytes, the unit of bcrypt's limit. */
export function passwordBytes(password: string): number {
  return new TextEncoder().encode(password).length
}
