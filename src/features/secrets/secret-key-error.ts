/** The encryption key can't be used with this database. The message is for the operator: what is wrong, and what to do. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}
