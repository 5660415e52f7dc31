/** The lock between the placement of addresses and changes of networks, pools and spaces. */
import type { Ctx } from '../kernel/ctx.ts'

const PLACEMENT = ['networks placement']

/**
 * Keeps networks and pools unchanged until commit. Called before addresses are placed in them: otherwise a concurrent transaction
 * that creates a network and this one would not see each other's rows. Comes before the locks of occupancy and of rows.
 */
export const lockPlacementShared = (ctx: Ctx): Promise<void> => ctx.store.sql.lockNamesShared(ctx.db, PLACEMENT)

/** Excludes placements of addresses until commit. Called before networks or pools change their bounds, and before any other lock. */
export const lockPlacement = (ctx: Ctx): Promise<void> => ctx.store.sql.lockNames(ctx.db, PLACEMENT)
