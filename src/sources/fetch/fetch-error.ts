/** A fetch that ends its run as failed. The message is for users. */
import type { RunErrorCode } from '../schema.ts'

export class FetchError extends Error {
  override readonly name = 'FetchError'

  constructor(
    readonly code: RunErrorCode,
    message: string,
    /** Of 429 and 503. */
    readonly retryAfterSeconds?: number,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}
