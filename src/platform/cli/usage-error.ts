/** The errors of a command line that was not understood: exit code 2, and a pointer to the help that would have told. */
import { AppError } from '../contract/errors.ts'

/** @example usageError('unknown flag --tgs; did you mean --tags?') */
export const usageError = (message: string): AppError => new AppError('INVALID_INPUT', message)
