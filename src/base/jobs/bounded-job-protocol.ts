/**
 * The messages between the server and the process of a job: a line of JSON and the bytes to its standard input, the output or an
 * error from its standard output.
 */
import type { ErrorBody } from '../../contract/errors.ts'

/** Exit codes of the process. The output of one that failed is a `JobFailure`. */
export const JOB_EXIT = { done: 0, failed: 3, cut: 4 } as const

/** The first line of the input. `length` bytes follow. */
export type JobLine = { readonly job: unknown; readonly field: string; readonly length: number }

/** An error of the job. `cause` says more of one that is a bug, for the log. */
export type JobFailure = { readonly error: ErrorBody; readonly cause: string }

/** The bytes of a text. Unlike UTF-8 they keep the halves of surrogate pairs, which the rules of texts refuse. */
export const TEXT_ENCODING = 'utf16le'
