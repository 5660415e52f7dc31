/** The error for a server of which Plat knows that it cannot work with it. */
import { AppError } from '../../../contract/errors.ts'

/** Plat cannot use the server. */
export class UnsuitableServerError extends AppError {
  constructor(
    /** Names the host. */
    readonly reason: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super('UNAVAILABLE', `${reason}: ${remedy}`, options)
  }
}
