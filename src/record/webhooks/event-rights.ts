/** Allows a caller to subscribe to an event, and to see what was sent of it, if the live feed would show it to them. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { DIGEST, EVENT_NAMES, EVENTS, getEventPermission, PING, SUMMARY } from '../events/catalogue.ts'
import { listWithheld, PART_PERMISSIONS, removeParts } from '../events/withheld.ts'

type Asking = Pick<Ctx, 'caller'>

/** The events of a message are not stored: events of earlier subscriptions may be among them. */
const listEvents = (event: string): readonly string[] => (event === SUMMARY || event === DIGEST ? EVENT_NAMES : [event])

/** Returns the permissions of an event and of all parts of its data. */
const listPermissions = (event: string): Permission[] =>
  listEvents(event).flatMap((one) => {
    const permission = getEventPermission(one)
    const ofParts = listWithheld(one, () => false).map((part) => part.permission)
    return permission === undefined ? ofParts : [permission, ...ofParts]
  })

/**
 * A target receives all parts of an event, so its subscription needs the permissions of all of them.
 * @throws AppError FORBIDDEN, naming the first permission that the caller lacks
 */
export const requireEvents = (ctx: Pick<Ctx, 'require'>, events: Iterable<string>): void => {
  for (const event of events) for (const permission of listPermissions(event)) ctx.require(permission)
}

/** The body of an event as JSON begins so. Messages have other members. */
const GENERIC = '{"event":"'

type Sent = { readonly event: string; readonly body: string }

/**
 * Returns the body of a delivery as the caller may see it; undefined if the caller may not see the event. A test delivery contains nothing
 * of the inventory. An event that is no longer in the catalog is not shown.
 * @param ofReports the permissions that a digest needs as well
 */
export const getVisibleBody = (
  { caller }: Asking,
  { event, body }: Sent,
  ofReports: readonly Permission[],
): string | undefined => {
  if (event === PING) return body
  const may = (permission: string): boolean => caller.permissions.has(permission)
  if (!body.startsWith(GENERIC)) {
    const needed = [...listPermissions(event), ...(event === DIGEST ? ofReports : [])]
    return needed.length > 0 && needed.every(may) ? body : undefined
  }
  const permission = getEventPermission(event)
  if (permission === undefined || !may(permission)) return undefined
  const hidden = listWithheld(event, may)
  if (hidden.length === 0) return body
  // The queue has written it.
  const { data, ...head } = JSON.parse(body) as { readonly data: object }
  return JSON.stringify({ ...head, data: JSON.parse(removeParts(JSON.stringify(data), hidden)) as object })
}

/** Returns the same text for callers who see the same deliveries: part of the ETag of their list. */
export const buildVisibilityTag = ({ caller }: Asking, ofReports: readonly Permission[]): string =>
  [...new Set([...EVENTS.map(({ permission }) => permission), ...PART_PERMISSIONS, ...ofReports])]
    .map((permission) => (caller.permissions.has(permission) ? '1' : '0'))
    .join('')
