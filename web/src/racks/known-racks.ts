/** The racks as other pages show them. */
import { buildListQuery } from '../resource/facts/lists.ts'
import { useIsInUse } from '../shell/me.ts'

/** All racks, with their use of space and of power. */
export const racksQuery = buildListQuery('racks')

/** Returns true if there is a rack; without one, no page shows racks. */
export const useHasRacks = (): boolean => useIsInUse('racks')
