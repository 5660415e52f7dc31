import { getErrorMessage, getTextErrorCode } from '../contract/unknown.ts'

/** The error of a worker, with its code. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'

  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message)
  }
}

/** The form in which an error is sent to another thread, which preserves neither its class nor its code. */
export type SentError = { readonly message: string; readonly code: string }

export const toSentError = (error: unknown): SentError => ({
  message: getErrorMessage(error),
  code: getTextErrorCode(error),
})
