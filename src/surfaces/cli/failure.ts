/** Prints an error to the user and returns its exit code. It shows a stack trace only with PLAT_DEBUG=1. */
import { AppError, ERRORS, type FieldIssue, toErrorBody } from '../../contract/errors.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { ClosedPipe, Interrupted, type Io } from './io.ts'
import { toPrintable, toPrintableJson } from './output/display.ts'

/** 128 plus the signal number, by shell convention. */
export const EXIT_INTERRUPTED = 130

const HINTS: Partial<Record<AppError['code'], string>> = {
  UNAUTHORIZED: 'sign in with plat login, or set PLAT_TOKEN',
  EXPIRED_KEY: 'sign in again with plat login',
}

const formatIssue = ({ field, message }: FieldIssue): string => `${field}: ${message}`

/** One line per field. A message that only repeats the fields is shortened, and one that a field repeats is shown once. */
const formatError = (error: AppError): string => {
  const repeated = error.details.find(({ message }) => message === error.message)
  const lines = error.details.filter((one) => one !== repeated).map(formatIssue)
  const hint = HINTS[error.code]
  const head = repeated
    ? formatLines(formatIssue(repeated))
    : lines.length === 0 || error.message !== lines.join('; ')
      ? formatLines(error.message)
      : lines.length === 1
        ? toPrintable(lines.pop() ?? '')
        : `${lines.length} fields are wrong`
  return [
    `error: ${head}`,
    ...lines.map((line) => `  ${toPrintable(line)}`),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}

/** Keeps the line breaks of a message of several lines (the problems of a configuration). */
const formatLines = (text: string): string => text.split('\n').map(toPrintable).join('\n  ')

const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('INTERNAL_ERROR', getErrorMessage(error), { cause: error })

const formatStack = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${formatStack(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}

/** Prints the error. @returns the exit code */
export const report = async (io: Io, thrown: unknown, { isJson }: { isJson: boolean }): Promise<number> => {
  if (thrown instanceof ClosedPipe) return 0
  if (thrown instanceof Interrupted) return EXIT_INTERRUPTED
  const error = asAppError(thrown)
  const text = isJson ? toPrintableJson(JSON.stringify(toErrorBody(error))) : formatError(error)
  const trace = io.env.PLAT_DEBUG === '1' ? `${formatLines(formatStack(thrown))}\n` : ''
  try {
    await io.stderr.write(`${text}\n${trace}`)
  } catch {
    // The reader has gone; the exit code still reports the error.
  }
  return ERRORS[error.code].exit
}
