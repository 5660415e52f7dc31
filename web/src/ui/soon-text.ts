/** Describes when a network or pool will be full, if that is soon. */
import { plural } from './format.ts'

const FAR_DAYS = 365

export const formatSoon = (daysToFull: number | null): string =>
  daysToFull === null || daysToFull === 0 || daysToFull > FAR_DAYS ? '' : `full in ${plural(daysToFull, 'day')}`
