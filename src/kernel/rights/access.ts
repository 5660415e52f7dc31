/** Decides whether a caller may call an operation, only from its declaration and the caller. */

import { canPropose } from '../../contract/can-propose.ts'
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import { parseRef } from '../../contract/fields/external-fields.ts'
import type { Caller, ScopeFilter, ScopeSet } from '../caller.ts'
import {
  type Access,
  type AnyOperation,
  getNoun,
  isCheckedWrite,
  listPermissions,
  type NeededSession,
  type Permission,
  type ScopeRule,
} from '../operation.ts'

/** FORBIDDEN for a client to which its user could have granted more. */
export class InsufficientScopeError extends AppError {
  constructor(
    message: string,
    /** Each of these would suffice. */
    readonly permissions: readonly Permission[],
    details: readonly FieldIssue[] = [],
  ) {
    super('FORBIDDEN', message, { details })
  }
}

/** FORBIDDEN for an API key that does not open from the address of its client. */
export class ForeignAddressError extends AppError {
  constructor(
    readonly caller: Caller,
    client: string,
  ) {
    super('FORBIDDEN', `The API key may not be used from ${client === '' ? 'an unknown address' : client}`)
  }
}

/**
 * Returns what a caller needs to call an operation at all. By a ref it may create its object, which needs another
 * permission.
 */
export const getAdmission = (op: AnyOperation, id: unknown): Access =>
  op.createsByRef && typeof id === 'string' && parseRef(id)
    ? { anyOf: [...listPermissions(op.access), `${getNoun(op)}:create`] }
    : op.access

/** Builds the set of these scopes with their areas. */
export const createReach = (areas: ReadonlySet<number>, scopes: ScopeSet['scopes']): ScopeSet => {
  const numbers = [...areas].sort((a, b) => a - b).join()
  const names = scopes.map((set) => [...set].sort().join()).join(' ')
  return { areas, scopes, cacheKey: Bun.hash(`${numbers} ${names}`).toString(36) }
}

/** Returns true if an object in the scopes `held` is permitted. */
export const isInScopeSet = ({ scopes }: ScopeSet, held: readonly string[]): boolean =>
  scopes.every((set) => held.some((id) => set.has(id)))

/** Returns the part of the estate in which the caller has the permission of an operation that can be limited to a part. */
const getReach = (access: Access, { scopedPermissions }: Caller): ScopeSet | undefined => {
  const [permission, ...others] = listPermissions(access)
  return permission !== undefined && others.length === 0 ? scopedPermissions?.get(permission) : undefined
}

/** Returns the limit of an answer of several kinds of objects. @param own the part of its own permission; undefined for everywhere */
const limitOfParts = (
  own: ScopeSet | undefined,
  scopedPermissions: ReadonlyMap<Permission, ScopeSet>,
): ScopeFilter | undefined => {
  const byResource = new Map<string, ReadonlySet<number>>()
  const parts: string[] = []
  for (const [name, { areas, cacheKey }] of scopedPermissions) {
    const [resource = '', action] = name.split(':')
    if (action !== 'list') continue
    byResource.set(resource, own ? own.areas.intersection(areas) : areas)
    parts.push(`${resource} ${cacheKey}`)
  }
  if (byResource.size === 0) return own
  return {
    areas: own?.areas,
    cacheKey: `${own?.cacheKey ?? ''}+${Bun.hash(parts.sort().join()).toString(36)}`,
    byResource,
  }
}

/** Returns the part of the estate that a call is limited to; undefined for a caller with the permissions everywhere. */
export const computeLimit = (
  { access, scope }: Pick<AnyOperation, 'access' | 'scope'>,
  caller: Caller,
): ScopeFilter | undefined => {
  if (!scope || !caller.scopedPermissions) return undefined
  const isWhole = listPermissions(access).some((permission) => caller.permissions.has(permission))
  const own = isWhole ? undefined : getReach(access, caller)
  return scope === 'filterEach' ? limitOfParts(own, caller.scopedPermissions) : own
}

/** The areas of a resource that the caller may list nowhere. A scope without objects has another empty set. */
export const NO_AREAS: ReadonlySet<number> = new Set()

/** Returns the areas in which the caller may list objects of a resource, within the areas of the call; undefined if these are all. */
const getListedAreas = (
  resource: string,
  { permissions, scopedPermissions }: Caller,
  own: ReadonlySet<number> | undefined,
): ReadonlySet<number> | undefined => {
  const permission: Permission = `${resource}:list`
  if (permissions.has(permission)) return undefined
  const areas = scopedPermissions?.get(permission)?.areas
  if (areas === undefined || own === undefined) return areas ?? NO_AREAS
  return own === areas || own.isSubsetOf(areas) ? undefined : own.intersection(areas)
}

/**
 * Computes the limit for the answer of a read, like `computeLimit`. Objects of the resources of `shows` are also limited to objects that
 * the caller may list. Undefined for a caller who may list all of them.
 */
export const limitOfAnswer = (
  op: Pick<AnyOperation, 'access' | 'scope' | 'shows'>,
  caller: Caller,
): ScopeFilter | undefined => {
  const own = computeLimit(op, caller)
  if (!op.shows || op.shows.every((resource) => caller.permissions.has(`${resource}:list`))) return own
  const byResource = new Map(own?.byResource)
  const parts: string[] = []
  for (const resource of op.shows) {
    const areas = getListedAreas(resource, caller, own?.areas)
    if (!areas) continue
    byResource.set(resource, areas)
    parts.push(`${resource} ${areas === NO_AREAS ? 'none' : [...areas].sort((a, b) => a - b)}`)
  }
  if (parts.length === 0) return own
  return { areas: own?.areas, cacheKey: `${own?.cacheKey ?? ''}-${Bun.hash(parts.join(' ')).toString(36)}`, byResource }
}

/** Returns the resources of which a call reads no object, because its caller lacks the permission. */
export const listHidden = ({ byResource = new Map<string, ReadonlySet<number>>() }: ScopeFilter): string[] =>
  [...byResource].flatMap(([resource, areas]) => (areas === NO_AREAS ? [resource] : []))

/** Returns the caller with the permissions that it has in all of the part; for an answer of several kinds of objects, anywhere. */
export const limitCaller = (caller: Caller, { areas, byResource }: Omit<ScopeFilter, 'cacheKey'>): Caller => {
  // Permissions of the same scopes share one set, which may have thousands of areas.
  const isHere = (own: ReadonlySet<number>): boolean =>
    byResource !== undefined || areas === undefined || own === areas || own.isSupersetOf(areas)
  const here = [...(caller.scopedPermissions ?? [])].flatMap(([name, own]) => (isHere(own.areas) ? [name] : []))
  return { ...caller, permissions: caller.permissions.union(new Set(here)) }
}

/** True for a permission that counts everywhere, or in a part of the estate. */
export const holdsAnywhere = (
  { permissions, scopedPermissions }: Pick<Caller, 'permissions' | 'scopedPermissions'>,
  permission: Permission,
): boolean => permissions.has(permission) || scopedPermissions?.has(permission) === true

/**
 * @param scope the operation's property of this name
 * @throws AppError UNAUTHORIZED for a guest, FORBIDDEN for a caller without the permission.
 */
export const checkAccess = (access: Access, caller: Caller, scope?: ScopeRule): void => {
  if (access === 'public') return
  if (caller.via === 'guest') throw new AppError('UNAUTHORIZED', 'Sign in, or send an API key as a Bearer token')
  const wanted = listPermissions(access)
  if (access === 'authenticated' || wanted.some((permission) => caller.permissions.has(permission))) return
  const isPartial = caller.scopedPermissions && wanted.some((permission) => caller.scopedPermissions?.has(permission))
  const isJudged = scope === 'custom' || scope === 'filterEach' || isCheckedWrite(scope)
  if (isPartial && (isJudged || (scope && getReach(access, caller)))) return
  const where = isPartial ? ' everywhere; you have it in a part of the estate' : ''
  const isLeftOut = caller.keyPermissions && !wanted.some((permission) => caller.keyPermissions?.has(permission))
  const why = isLeftOut ? ', which the API key leaves out' : where
  const message = `This needs the permission ${wanted.join(' or ')}${why}`
  const withheld = wanted.filter((permission) => caller.client?.withheld.has(permission))
  throw withheld.length > 0 ? new InsufficientScopeError(message, withheld) : new AppError('FORBIDDEN', message)
}

const PROPOSING: Permission = 'proposals:create'
const OFFER: FieldIssue = { field: 'proposal', message: 'it can be proposed with proposal=open' }

/** Returns the error with the offer to propose the write, if it is a missing permission and the caller may propose. */
export const offerProposal = (op: AnyOperation, caller: Caller, error: unknown): unknown => {
  if (!(error instanceof AppError) || error.code !== 'FORBIDDEN' || !canPropose(op)) return error
  // An error of a field is one of the part of the estate, outside of which nothing can be tried either.
  if (error.details.length > 0) return error
  // The key of a feed may not propose either.
  if (caller.feedId !== undefined || !holdsAnywhere(caller, PROPOSING)) return error
  const { message, cause } = error
  const details = [OFFER]
  if (error instanceof InsufficientScopeError) return new InsufficientScopeError(message, error.permissions, details)
  return new AppError('FORBIDDEN', message, { details, cause })
}

/** The access to a write that is proposed. */
export const PROPOSAL_ADMISSION = { access: PROPOSING, scope: 'custom' } as const

/** A change of how a user signs in needs a sign-in that is no older. */
const FRESH_MS = 15 * 60_000

/** @throws AppError UNAUTHORIZED for a guest, FORBIDDEN for an API key or a token */
export const requireSession = ({ via }: Caller): void => {
  if (via === 'session') return
  if (via === 'guest') throw new AppError('UNAUTHORIZED', 'Sign in')
  throw new AppError('FORBIDDEN', 'This needs a signed-in user, and no API key')
}

/** @throws AppError FORBIDDEN without a session, REAUTHENTICATION_REQUIRED if the sign-in is older than 15 minutes */
export const requireFreshSession = (caller: Caller, nowMs: number): void => {
  requireSession(caller)
  if (nowMs - (caller.signedInMs ?? 0) > FRESH_MS)
    throw new AppError('REAUTHENTICATION_REQUIRED', 'Sign in again: this needs a sign-in at most 15 minutes ago')
}

/** @throws AppError SECOND_FACTOR_SETUP_REQUIRED for a session of a user who must first set up a second factor */
export const requireSetup = ({ needsFactor }: Pick<Caller, 'needsFactor'>): void => {
  if (needsFactor)
    throw new AppError('SECOND_FACTOR_SETUP_REQUIRED', 'Your role requires a second factor; set one up first')
}

type Called = {
  readonly access: Access
  readonly scope?: ScopeRule | undefined
  readonly session?: NeededSession | undefined
  readonly beforeSetup?: true | undefined
}

/** Calls `checkAccess`, and checks the session. Also applies to public routes that identify their caller. */
export const checkCaller = (called: Called, caller: Caller, nowMs: () => number): void => {
  const { access, scope, session, beforeSetup } = called
  if (!beforeSetup) requireSetup(caller)
  checkAccess(access, caller, scope)
  if (session === 'any') requireSession(caller)
  if (session === 'fresh') requireFreshSession(caller, nowMs())
}

/** @throws AppError FORBIDDEN for an API key that only opens the content of one feed */
export const refuseFeedKey = ({ feedId }: Caller): void => {
  if (feedId !== undefined)
    throw new AppError('FORBIDDEN', 'The API key opens the content of one feed, and nothing else')
}

/**
 * Checks that a client may call an operation for its user. An operation without a permission is in no scope, so the user cannot have
 * granted it: keys, sessions and consents are managed only by the user. An API key with limits is such a client.
 * @throws AppError FORBIDDEN
 */
export const checkConsent = ({ access, skipsConsent }: AnyOperation, { client, isNarrow }: Caller): void => {
  if ((!client && !isNarrow) || access !== 'authenticated' || skipsConsent) return
  const other = client ? 'a client that acts for the user' : 'an API key with limits'
  throw new AppError('FORBIDDEN', `This is for the user, and not for ${other}`)
}
