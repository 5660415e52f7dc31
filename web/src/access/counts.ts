/** Counts of objects in a scope. */
import { formatCount } from '../ui/format.ts'

/** Formats a count, which is null without the permission to list the objects. */
export const countOrNone = (number: number | null): string => (number === null ? '–' : formatCount(number))
