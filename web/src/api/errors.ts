/** Error messages for users. */
import { AppError } from '../../../src/contract/errors.ts'

/** The messages of browsers when a script of the UI could not be loaded. */
const NO_FILE = /dynamically imported module|Importing a module script failed/i

export const isMissingFile = (error: unknown): boolean => error instanceof Error && NO_FILE.test(error.message)

export const toAppError = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : isMissingFile(error)
      ? new AppError('UNAVAILABLE', 'A part of this page could not be loaded.', { cause: error })
      : new AppError('INTERNAL_ERROR', error instanceof Error ? error.message : 'Something went wrong', {
          cause: error,
        })

export const isCode = (error: unknown, ...codes: readonly AppError['code'][]): error is AppError =>
  error instanceof AppError && codes.includes(error.code)

/** Maps fields to messages, for an error that names fields. */
export const getFieldErrors = (error: unknown): Readonly<Record<string, string>> => {
  const { details, code, message } = toAppError(error)
  if (details.length > 0) return Object.fromEntries(details.map((one) => [one.field, one.message]))
  // Each form has one of these fields.
  if (code === 'ALREADY_EXISTS') return { name: message, username: message }
  return code === 'IP_NOT_AVAILABLE' ? { ip_address: message, addresses: message } : {}
}

/** Returns the permission that a refusal names, or undefined. */
export const findMissingPermission = (error: unknown): string | undefined =>
  /permission ([a-z-]+:[a-z]+(?: or [a-z-]+:[a-z]+)*)/.exec(toAppError(error).message)?.[1]
