/** Allows a caller to subscribe to an event, and to see what was sent of it, if the live feed would show it to them. */
import type { Ctx } from '../ctx.ts'
import { EVENTS, PING, permissionFor } from '../events/catalogue.ts'

type Asking = Pick<Ctx, 'caller'>

/** @throws AppError FORBIDDEN, naming the first permission that the caller lacks */
export const requireEvents = (ctx: Pick<Ctx, 'require'>, events: Iterable<string>): void => {
  for (const event of events) {
    const permission = permissionFor(event)
    if (permission !== undefined) ctx.require(permission)
  }
}

/** A test delivery contains nothing of the inventory. An event that is no longer in the catalogue is not shown. */
export const maySee = ({ caller }: Asking, event: string): boolean => {
  if (event === PING) return true
  const permission = permissionFor(event)
  return permission !== undefined && caller.permissions.has(permission)
}

/** Returns the same text for callers who see the same deliveries: part of the ETag of their list. */
export const sightOf = ({ caller }: Asking): string =>
  [...new Set(EVENTS.map(({ permission }) => permission))]
    .map((permission) => (caller.permissions.has(permission) ? '1' : '0'))
    .join('')
