/** Reads values of unknown types: parsed JSON, rows of a query and caught errors. Browser-safe; imports nothing. */

/** Returns true for an object that is no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns true for an object, also for a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Returns a text as it is, and '' for any other value. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a text as it is, and undefined for any other value. */
export const toOptionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns a text as it is, and null for any other value. */
export const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns the message of an error, and any other value as a text. */
export const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the code of an error as a text, such as `ENOENT`; '' for a value without one. */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Returns the code of an error if it is a text; '' otherwise. */
export const getTextErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
