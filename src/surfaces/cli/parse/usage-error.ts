/** Usage errors of the command line: exit code 2, and a reference to the help. */
import { AppError } from '../../../contract/errors.ts'

/** @example createUsageError('unknown flag --tgs; did you mean --tags?') */
export const createUsageError = (message: string): AppError => new AppError('INVALID_INPUT', message)
