/**
 * Guards the writes of callers who have the permission only in a part of the estate. The work itself sees everything, so that its rules
 * hold. Objects that change although the input does not name them are effects of these rules.
 */
import { AppError, type FieldIssue, notFound, rejectIssues } from '../../contract/errors.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { createViewedDb } from '../../database/scoped-db.ts'
import type { Tables } from '../../database/tables.ts'
import { parseId } from '../../inventory/relationships/relationships.ts'
import { RESOURCES } from '../../inventory/resources.ts'
import type { Caller, ScopeSet } from '../../kernel/caller.ts'
import type { ItemChange } from '../../kernel/changes/change-record.ts'
import { collectTexts, createPlaceFinder, type IdText } from '../../kernel/changes/id-fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import type { ScopeEnforcer } from '../../kernel/rights/scope-enforcer.ts'
import type { ScopedWrite } from '../../kernel/rights/scoped-write.ts'
import { listFollowed } from '../../resource/facts.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { getNoun } from '../../resource/nouns.ts'
import { getViews } from '../../resource/scoped/scoped-db.ts'
import {
  getScopedNoun,
  getScopedPermissions,
  getScopedTable,
  isOfFollowing,
  isScopedResource,
  type ScopedResource,
  toScopedResource,
} from '../../resource/scoped/scoped-resources.ts'
import { getPlacing } from './document-scopes.ts'
import { refuseOverlaps } from './overlaps.ts'
import { areaUpdates, loadForTransaction } from './update-areas.ts'

/** The resources of changed objects. */
type Changeable = ScopedResource | 'relationships'

const getChangedNoun = (of: Changeable): string => (of === 'relationships' ? getNoun(of) : getScopedNoun(of))

/** The fields that place an object in a part, or name the objects that it belongs to. */
const SCOPE_FIELDS: Readonly<Partial<Record<Changeable, readonly string[]>>> = {
  ...Object.fromEntries(RESOURCES.map((facts) => [facts.name, listFollowed(facts)])),
  spaces: ['name'],
  datacenters: ['name', 'parent_id'],
  networks: ['datacenter_id', 'subnet'],
  pools: ['start_ip', 'tags'],
  reservations: ['ip_address'],
  devices: ['datacenter_id', 'tags', 'addresses'],
  objects: ['kind_id', 'datacenter_id'],
  relationships: ['device_id', 'child_id'],
  'discovery-rules': ['network_id'],
}

const getIdFields = createPlaceFinder(isScopedResource)

/** An object of the input. */
type Named = Omit<IdText, 'put' | 'resource'> & {
  readonly resource: ScopedResource
  /** The sent text: a ref, or the id. */
  readonly shown: string
}

/** Returns the texts of an input at the positions of ids, with the sent texts at the same positions. */
const listNamed = ({ schema, input, given }: ScopedWrite): Named[] => {
  const place = getIdFields(schema)
  if (!place) return []
  const sent = new Map(collectTexts(place, given).map(({ field, text }) => [field, text]))
  return collectTexts(place, input).flatMap(({ resource, field, text }) =>
    isScopedResource(resource) && text !== '' ? [{ resource, field, text, shown: sent.get(field) ?? text }] : [],
  )
}

const mapIdsByResource = <Of extends { readonly resource: ScopedResource; readonly text: string }>(
  all: readonly Of[],
) =>
  new Map(
    [...Map.groupBy(all, ({ resource }) => resource)].map(([resource, some]) => [
      resource,
      [...new Set(some.map(({ text }) => text))],
    ]),
  )

type Ids = ReadonlyMap<ScopedResource, readonly string[]>

/** Tells whether the caller has a permission for an object. */
type IsIn = (permission: Permission, resource: ScopedResource, id: string) => boolean

/** Reads which of the objects are in the parts in which the caller has some permission. */
const loadMembership = async (ctx: Ctx, caller: Caller, ids: Ids): Promise<IsIn> => {
  const reaches = new Map(
    [...(caller.scopedPermissions ?? new Map<Permission, ScopeSet>()).values()].map((one) => [one.cacheKey, one]),
  )
  // The sets of the caller do not suffice: the transaction itself may have made others.
  const sets = ids.size === 0 ? [] : await ctx.db.selectFrom('areas').selectAll().execute()
  const found = new Map<string, Set<string>>()
  for (const [part, scopeSet] of reaches) {
    const areas = new Set(sets.flatMap(({ id, scopes }) => (isInScopeSet(scopeSet, scopes.split(' ')) ? [id] : [])))
    const members = new Set<string>()
    found.set(part, members)
    const limit = { areas, cacheKey: [...areas].sort((a, b) => a - b).join() }
    const db = createViewedDb(ctx.db, getViews(ctx.store, limit))
    for (const [resource, all] of ids)
      for (const some of splitBatches(all)) {
        const rows = await selectFromTable(db, getScopedTable(resource)).select('id').where('id', 'in', some).execute()
        for (const { id } of rows) members.add(`${resource} ${id}`)
      }
  }
  return (permission, resource, id) => {
    if (caller.permissions.has(permission)) return true
    const { cacheKey = '' } = caller.scopedPermissions?.get(permission) ?? {}
    return found.get(cacheKey)?.has(`${resource} ${id}`) === true
  }
}

/** Tells whether the caller may know of an object. */
const canKnow = (
  isIn: IsIn,
  permission: Permission | undefined,
  { resource, text: id }: Pick<Named, 'resource' | 'text'>,
) =>
  isIn(`${getScopedPermissions(resource)}:read`, resource, id) ||
  isIn(`${getScopedPermissions(resource)}:list`, resource, id) ||
  (permission !== undefined && isIn(permission, resource, id))

const stripIndices = (field: string): string => field.replaceAll(/\[\d+\]/g, '[]')

/** Returns the objects that the stored object names, as texts that `buildKey` makes. */
const findStoredNames = async (ctx: Ctx, { schema }: ScopedWrite, subject: Named | undefined): Promise<Set<string>> => {
  const place = getIdFields(schema)
  if (!place || !subject) return new Set()
  const row = await selectRow(ctx, subject).selectAll().executeTakeFirst()
  if (!row) return new Set()
  // The columns have the names of the fields. A device is stored as its JSON.
  return new Set(collectTexts(place, 'doc' in row ? JSON.parse(String(row.doc)) : row).map(buildKey))
}
const selectRow = (ctx: Ctx, { resource, text }: Named) =>
  selectFromTable(ctx.db, getScopedTable(resource)).where('id', '=', text)
const buildKey = ({ field, text }: Pick<IdText, 'field' | 'text'>): string => `${stripIndices(field)} ${text}`

const hasRow = async (ctx: Ctx, named: Named): Promise<boolean> =>
  (await selectRow(ctx, named).select('id').executeTakeFirst()) !== undefined

const buildOutsideError = (noun: string, permission: Permission, details: readonly FieldIssue[]): AppError =>
  new AppError(
    'FORBIDDEN',
    `The ${noun} is outside of the part of the estate in which you have the permission ${permission}`,
    {
      details,
    },
  )

/** Checks the objects of an input before the work. */
const check = async (ctx: Ctx, write: ScopedWrite, named: readonly Named[], isIn: IsIn): Promise<void> => {
  const { permission, params, isCreate } = write
  const hidden = named.filter((one) => !canKnow(isIn, permission, one))
  const isParam = ({ field }: Named): boolean => params.includes(field)
  const unknown = hidden.find(isParam)
  if (unknown) throw notFound(getScopedNoun(unknown.resource), unknown.shown)
  const subjects = named.filter(isParam)
  for (const subject of isCreate || permission === undefined ? [] : subjects)
    if (permission !== undefined && !isIn(permission, subject.resource, subject.text)) {
      const noun = getScopedNoun(subject.resource)
      throw (await hasRow(ctx, subject)) ? buildOutsideError(noun, permission, []) : notFound(noun, subject.shown)
    }
  if (hidden.length > 0) {
    const stored = isCreate ? new Set<string>() : await findStoredNames(ctx, write, subjects[0])
    const issues = hidden
      .filter((one) => !stored.has(buildKey(one)))
      .map(({ field, resource, shown }) => ({
        field,
        message: `there is no ${getScopedNoun(resource)} with id "${shown}"`,
      }))
    rejectIssues(issues)
  }
  if (permission === undefined || !isOfFollowing(permission)) return
  for (const one of named)
    if (!isIn(permission, one.resource, one.text))
      throw buildOutsideError(getScopedNoun(one.resource), permission, [
        { field: one.field, message: formatNotThere(permission) },
      ])
  await checkMembers(ctx, write, named)
}

const formatNotThere = (permission: Permission): string => `you do not have the permission ${permission} there`

/** @throws AppError FORBIDDEN for a conflict with a member outside of the part */
const checkMembers = async (ctx: Ctx, { caller, permission }: ScopedWrite, named: readonly Named[]): Promise<void> => {
  const ids = named.flatMap(({ resource, text }) => (resource === 'conflicts' ? text : []))
  if (permission === undefined || ids.length === 0) return
  const rows = await ctx.db.selectFrom('conflict_members').select('member_id').where('conflict_id', 'in', ids).execute()
  const members = rows.map(({ member_id }) => member_id)
  const isIn = await loadMembership(
    ctx,
    caller,
    new Map([['devices', members] as const, ['networks', members] as const]),
  )
  // Former members may be gone.
  for (const table of ['devices', 'networks'] as const)
    for (const some of splitBatches(members))
      for (const { id } of await selectFromTable(ctx.db, table).select('id').where('id', 'in', some).execute())
        if (!isIn(permission, table, id)) throw buildOutsideError('conflict', permission, [])
}

type Changed = {
  readonly change: ItemChange
  readonly resource: ScopedResource
  readonly text: string
  readonly of: Changeable
  /** The document before the change, as the work has read it, with the kind of the object. */
  readonly was?: { readonly kind: string; readonly document: string } | undefined
}

/** Returns the objects that a transaction has changed. A relationship is where both of its devices are. */
const listChangedSince = async (ctx: Ctx, since: number): Promise<Changed[]> =>
  (await ctx.changedObjects(since)).flatMap(({ kind, id, change, before }): Changed[] => {
    if (kind === 'relationship') {
      const { parent_id, child_id } = parseId(id)
      return [parent_id, child_id].map((text) => ({ change, resource: 'devices', text, of: 'relationships' }))
    }
    const resource = toScopedResource(kind)
    const was = before === undefined ? undefined : { kind, document: before }
    return resource ? [{ change, resource, text: id, of: resource, was }] : []
  })

/** Returns the permission that decides on a change: that of the resource, if the work needs it, else that of the operation. */
const getDecidingPermission = (
  { permission, required }: ScopedWrite,
  { of, change }: Changed,
): Permission | undefined => {
  const own: Permission = `${of === 'relationships' ? of : getScopedPermissions(of)}:${change}`
  return required.has(own) ? own : (permission ?? [...required][0])
}

/**
 * Returns the objects that were outside when the work locked them: with several writers, another one may have moved them after the check
 * of the input. Objects that inherit their scopes stay with their parent.
 */
const findMovedAway = async (ctx: Ctx, write: ScopedWrite, changed: readonly Changed[]): Promise<Set<Changed>> => {
  if (changed.length === 0) return new Set()
  const setOf = await ctx.store.sql.besideOthers(() => loadForTransaction(ctx))
  if (!setOf) return new Set()
  const isOutside = (one: Changed): boolean => {
    const permission = getDecidingPermission(write, one)
    const scopeSet =
      permission && !write.caller.permissions.has(permission) && write.caller.scopedPermissions?.get(permission)
    if (!scopeSet || !one.was) return false
    const placing = getPlacing({ kind: one.was.kind, id: one.text }, JSON.parse(one.was.document))
    return (
      placing !== undefined && 'facts' in placing && !placing.inherits && !isInScopeSet(scopeSet, setOf(placing.facts))
    )
  }
  return new Set(changed.filter(isOutside))
}

/** @throws AppError FORBIDDEN for a changed object outside of the part, before or after the change */
const checkChanges = async (
  ctx: Ctx,
  write: ScopedWrite,
  before: { named: readonly Named[]; isIn: IsIn },
  since: number,
) => {
  const names = new Map(before.named.map((one) => [`${one.resource} ${one.text}`, one]))
  const getNamed = ({ resource, text }: Changed) => names.get(`${resource} ${text}`)
  const changed = (await listChangedSince(ctx, since)).filter((one) => one.change === 'create' || getNamed(one))
  const present = changed.filter(({ change }) => change !== 'delete')
  const isIn = await loadMembership(ctx, write.caller, mapIdsByResource(present))
  const moved = await findMovedAway(
    ctx,
    write,
    changed.filter(({ change }) => change !== 'create'),
  )
  for (const one of changed) {
    const permission = getDecidingPermission(write, one)
    const noun = getChangedNoun(one.of)
    if (permission === undefined) throw new Error(`the ${noun} is changed without a permission`)
    const named = one.change === 'create' ? undefined : getNamed(one)
    if (named && (moved.has(one) || !before.isIn(permission, one.resource, one.text)))
      throw buildOutsideError(noun, permission, [{ field: named.field, message: formatNotThere(permission) }])
    if (one.change === 'delete' || isIn(permission, one.resource, one.text)) continue
    const message = `must place the ${noun} in your part of the estate`
    throw buildOutsideError(
      noun,
      permission,
      (SCOPE_FIELDS[one.of] ?? []).map((field) => ({ field, message })),
    )
  }
}

const start = async (ctx: Ctx, write: ScopedWrite) => {
  const named = listNamed(write)
  const isIn = await loadMembership(ctx, write.caller, mapIdsByResource(named))
  await check(ctx, write, named, isIn)
  return { named, isIn }
}

type Choice = Pick<ScopedWrite, 'caller' | 'permission'> & {
  readonly named: { readonly resource: string; readonly ids: readonly string[] }
  readonly isMeant: typeof canKnow
}

const filterIds = async (ctx: Ctx, { caller, permission, named, isMeant }: Choice): Promise<ReadonlySet<string>> => {
  const { resource, ids } = named
  if (!isScopedResource(resource)) return new Set(ids)
  const all = ids.map((text) => ({ resource, text }))
  const isIn = await loadMembership(ctx, caller, mapIdsByResource(all))
  return new Set(all.filter((one) => isMeant(isIn, permission, one)).map(({ text }) => text))
}

/** Serves writes. */
export const writeChecks: Pick<
  ScopeEnforcer<Tables>,
  'checkInput' | 'checkRepeat' | 'checkScope' | 'filterVisible' | 'filterPermitted'
> = {
  checkInput: async (ctx, write) => void (await start(ctx, write)),
  checkRepeat: async (ctx, write) => {
    const named: Named[] = []
    for (const one of listNamed(write)) if (await hasRow(ctx, one)) named.push(one)
    await check(ctx, write, named, await loadMembership(ctx, write.caller, mapIdsByResource(named)))
  },
  checkScope: async (ctx, write, work) => {
    const before = await start(ctx, write)
    const since = ctx.changeCount
    const made = await work()
    await areaUpdates.updateAreas(ctx, since)
    await checkChanges(ctx, write, before, since)
    await refuseOverlaps(ctx, since)
    return made
  },
  filterVisible: (ctx, write, named) => filterIds(ctx, { ...write, named, isMeant: canKnow }),
  filterPermitted: (ctx, write, named) =>
    filterIds(ctx, {
      ...write,
      named,
      isMeant: (isIn, permission, { resource, text }) => permission !== undefined && isIn(permission, resource, text),
    }),
}
