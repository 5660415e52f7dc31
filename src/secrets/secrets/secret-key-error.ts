/** The encryption key can't be used with this database. The message tells the operator the problem and the remedy. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}
