/** Allows a caller to subscribe to an event, and to see what was sent of it, if the live feed would show it to them. */
import type { Ctx } from '../../kernel/ctx.ts'
import { EVENTS, getEventPermission, PING } from '../events/catalogue.ts'
import { listWithheld, PART_PERMISSIONS, removeParts } from '../events/withheld.ts'

type Asking = Pick<Ctx, 'caller'>

/**
 * A target receives all parts of an event, so its subscription needs the permissions of all of them.
 * @throws AppError FORBIDDEN, naming the first permission that the caller lacks
 */
export const requireEvents = (ctx: Pick<Ctx, 'require'>, events: Iterable<string>): void => {
  for (const event of events) {
    const permission = getEventPermission(event)
    if (permission !== undefined) ctx.require(permission)
    for (const part of listWithheld(event, () => false)) ctx.require(part.permission)
  }
}

/**
 * Returns the body of a delivery as the caller may see it; undefined if the caller may not see the event. A test delivery contains nothing
 * of the inventory. An event that is no longer in the catalog is not shown.
 */
export const getVisibleBody = ({ caller }: Asking, event: string, body: string): string | undefined => {
  if (event === PING) return body
  const may = (permission: string): boolean => caller.permissions.has(permission)
  const permission = getEventPermission(event)
  if (permission === undefined || !may(permission)) return undefined
  const hidden = listWithheld(event, may)
  if (hidden.length === 0) return body
  // The queue has written it.
  const { data, ...head } = JSON.parse(body) as { readonly data: object }
  return JSON.stringify({ ...head, data: JSON.parse(removeParts(JSON.stringify(data), hidden)) as object })
}

/** Returns the same text for callers who see the same deliveries: part of the ETag of their list. */
export const buildVisibilityTag = ({ caller }: Asking): string =>
  [...new Set([...EVENTS.map(({ permission }) => permission), ...PART_PERMISSIONS])]
    .map((permission) => (caller.permissions.has(permission) ? '1' : '0'))
    .join('')
