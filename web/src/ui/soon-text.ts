/** When something will be full, where that is near. */
import { plural } from './format.ts'

const FAR_DAYS = 365

export const soonText = (daysToFull: number | null): string =>
  daysToFull === null || daysToFull === 0 || daysToFull > FAR_DAYS ? '' : `full in ${plural(daysToFull, 'day')}`
