/** The error of a worker, with the code that says what kind it is. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'

  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message)
  }
}

/** An error as it crosses to another thread, which keeps neither its class nor its code. */
export type SentError = { readonly message: string; readonly code: string }

export const sentError = (error: unknown): SentError => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '',
})
