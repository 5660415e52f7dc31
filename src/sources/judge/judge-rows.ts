/** Judges rows of a source: which objects they mean, and the effect of an apply. Only reads. */

import { type Breathe, createBreathe } from '../../base/runtime/pause.ts'
import { shorten } from '../../contract/errors.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import { getRules } from '../../exchange/apply/resources.ts'
import type { PlannedChange } from '../../exchange/apply/row.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import { type GoneResult, judgeGone } from './gone.ts'
import { findLocks, NO_LOCKS } from './locks.ts'
import { mapBreathing } from './map-breathing.ts'
import { type Match, matchDevices } from './match/devices.ts'
import { inheritBases } from './match/inherited-base.ts'
import { matchNetworks } from './match/networks.ts'
import { findTakenRefs } from './match/taken-refs.ts'
import { findByKeys, formatKey, type Link, type ObjectKey, type StoredObject } from './object-reads.ts'
import type { Verdict } from './object-store.ts'
import { bindTargets, listNames, listTargets } from './own-references.ts'
import { buildBase, keepWithoutDefaults, mergeUpdate, type Planned, type PlanRow, planRows } from './plan-rows.ts'
import {
  buildOwner,
  type Fields,
  isForeignOwner,
  isOwnObject,
  type JudgedSource,
  type OpenRow,
  parseFields,
  toOpenRow,
} from './row.ts'

/** A judged row: its verdict if nothing is applied, the change of an apply, and the verdict after it. */
export type Result = {
  readonly open: OpenRow
  readonly verdict: Verdict
  readonly change?: PlannedChange
  readonly applied: Verdict
  /** Missing rows that lose their object to this one. */
  readonly forgets: readonly Link[]
  /** The rows that it refers to. */
  readonly targets: readonly ObjectKey[]
}

export type Judgment = { readonly said: readonly Result[]; readonly gone: readonly GoneResult[] }

export type JudgeTerms = {
  /** True for a row, by `formatKey`, of which also fields and objects are written that a person has changed. */
  readonly overwrites: (key: string) => boolean
}

export const OVERWRITES_NONE: JudgeTerms = { overwrites: () => false }

/** The longest message of a row. */
const MAX_MESSAGE = 1000

/** The rows of a judgment, and the rows that they refer to. */
type Subject = OpenRow & { readonly targets: readonly ObjectKey[] }

/** Adds the rows that others refer to and that have no object yet. Returns the remaining rows that are referred to as well. */
const close = async (ctx: Ctx, source: JudgedSource, given: readonly StoredObject[], breathe: Breathe) => {
  const subjects = new Map<string, Subject>()
  const outer = new Map<string, StoredObject>()
  let next = given
  while (next.length > 0) {
    const wanted = new Map<string, ObjectKey>()
    for (const stored of next) {
      await breathe()
      const open = toOpenRow(stored)
      const targets = listTargets(stored.resource, open.fields, source.ref)
      subjects.set(formatKey(stored), { ...open, targets })
      if (stored.missing_since === null) for (const target of targets) wanted.set(formatKey(target), target)
    }
    const unknown = [...wanted].filter(([key]) => !subjects.has(key) && !outer.has(key)).map(([, target]) => target)
    const found = unknown.length === 0 ? new Map<string, StoredObject>() : await findByKeys(ctx, source.id, unknown)
    for (const [key, stored] of found) outer.set(key, stored)
    next = [...found.values()].filter(({ object_id, missing_since }) => object_id === null && missing_since === null)
  }
  return { subjects, outer }
}

const findMatches = async (
  ctx: Ctx,
  source: JudgedSource,
  rows: readonly Subject[],
): Promise<ReadonlyMap<string, Match>> => {
  const matches = new Map<string, Match>()
  // A row with an id means its object by it.
  const unlinked = rows.filter(({ stored, fields }) => stored.object_id === null && toText(fields.id) === '')
  for (const resource of ['devices', 'networks'] as const) {
    const own = unlinked.filter(({ stored }) => stored.resource === resource)
    const match = resource === 'devices' ? matchDevices : matchNetworks
    const found = await match(
      ctx,
      source,
      own.filter(({ stored }) => !isOwnObject(stored)),
    )
    for (const [key, one] of found) matches.set(key, one)
    for (const { stored } of own) if (isOwnObject(stored)) matches.set(formatKey(stored), { is: 'new' })
  }
  return matches
}

/** The resources with objects that get no id before they are made. */
const NAMED_BY_FIELDS: ReadonlySet<Resource> = new Set(['relationships', 'kinds'])

/** Returns the rows with the ids of the objects that the rows they refer to are linked to. */
const bindLinked = (
  rows: readonly Subject[],
  { ref }: JudgedSource,
  outer: ReadonlyMap<string, StoredObject>,
): Subject[] => {
  const own = new Map(rows.map(({ stored }) => [formatKey(stored), stored]))
  const findId = (target: ObjectKey) => {
    const key = formatKey(target)
    return (own.get(key) ?? outer.get(key))?.object_id ?? undefined
  }
  return rows.map((row) =>
    row.targets.length === 0
      ? row
      : { ...row, fields: bindTargets({ resource: row.stored.resource, fields: row.fields }, ref, findId) },
  )
}

/** Returns the ids of the objects that rows mean or make, where they are known before the plan. */
const assignIds = (ctx: Ctx, rows: Iterable<Subject>, matches: ReadonlyMap<string, Match>): Map<string, string> => {
  const ids = new Map<string, string>()
  for (const { stored, fields } of rows) {
    const key = formatKey(stored)
    const match = matches.get(key)
    const id = stored.object_id ?? (match?.is === 'found' ? match.id : toText(fields.id))
    if (NAMED_BY_FIELDS.has(stored.resource)) continue
    if (id !== '') ids.set(key, id)
    else if (match?.is === 'new') ids.set(key, ctx.newId())
  }
  return ids
}

const withoutRefs = (fields: Fields, sources: readonly string[]): Fields => {
  if (sources.length === 0 || !isRecord(fields.refs)) return fields
  const left = Object.entries(fields.refs).filter(([source]) => !sources.includes(source))
  return { ...fields, refs: Object.fromEntries(left) }
}

type Binding = {
  readonly source: JudgedSource
  readonly ids: ReadonlyMap<string, string>
  readonly outer: ReadonlyMap<string, StoredObject>
  /** The sources of refs that other objects have, by the row. */
  readonly takenRefs: ReadonlyMap<string, readonly string[]>
}

const toPlanRow = (given: Subject, { source, ids, outer, takenRefs }: Binding): PlanRow => {
  const taken = takenRefs.get(formatKey(given.stored)) ?? []
  const open = taken.length === 0 ? given : { ...given, fields: withoutRefs(given.fields, taken) }
  const { stored } = open
  const { resource } = stored
  const key = formatKey(stored)
  const findId = (target: ObjectKey) =>
    ids.get(formatKey(target)) ?? outer.get(formatKey(target))?.object_id ?? undefined
  const bind = ({ managed_by: _, ...fields }: Fields): Fields => {
    const id = ids.get(key)
    return { ...bindTargets({ resource, fields }, source.ref, findId), ...(id !== undefined && { id }) }
  }
  const isWhole = taken.length === 0
  const isSame = stored.base === '' && isWhole
  const base = stored.base === null ? undefined : isSame ? 'same' : bind(parseFields(stored.base || stored.row))
  return { open, fields: bind(open.fields), base, isWhole }
}

const buildVerdict = ({ stored }: OpenRow, more: Partial<Verdict>): Verdict => ({
  ...{ object_id: stored.object_id, state: 'synced', action: 'none', base: stored.base, diff: '{}', why: '' },
  ...{ because: stored.because, message: '', ...more },
})

/** A row of which nothing is written, because of itself or of a row that it refers to. */
type Blocked = { readonly state: 'unclear' | 'kept'; readonly why: string; readonly message: string }

const formatName = (resource: Resource, name: string): string => `${resource} ${toNameKey(name.trim())}`

/** Adds the rows that refer to blocked ones, by their keys or names. */
const spread = async (
  subjects: ReadonlyMap<string, Subject>,
  blocked: Map<string, Blocked>,
  breathe: Breathe,
): Promise<void> => {
  const names = new Map<string, string>()
  for (let size = 0; size < blocked.size; ) {
    size = blocked.size
    for (const key of blocked.keys()) {
      const { stored } = subjects.get(key) ?? {}
      if (stored) names.set(formatName(stored.resource, stored.name), key)
    }
    for (const [key, { stored, fields, targets }] of subjects) {
      await breathe()
      if (blocked.has(key) || stored.missing_since !== null) continue
      const target = targets.find((one) => blocked.has(formatKey(one)))
      const named = target
        ? undefined
        : listNames(stored.resource, fields).find((one) => names.has(formatName(one.resource, one.name)))
      const at = target ? formatKey(target) : named && names.get(formatName(named.resource, named.name))
      if (at === undefined) continue
      const cause = blocked.get(at)
      const { resource } = target ?? named ?? {}
      if (!resource || !cause || at === key) continue
      const word = cause.state === 'unclear' ? 'is not clear' : 'was deleted here'
      const name = shorten(subjects.get(at)?.stored.name ?? '')
      blocked.set(key, { ...cause, message: `waits: the ${getRules(resource).noun} ${name} ${word}` })
    }
  }
}

const toBlockedResult = (open: Subject, { state, why, message }: Blocked): Result => {
  const verdict = buildVerdict(open, { state, why, message: shorten(message, MAX_MESSAGE) })
  return { open, verdict, applied: verdict, forgets: [], targets: open.targets }
}

/** True for a plan that would make an object again that a link means. */
const isDeletedHere = ({ stored }: OpenRow, planned: Planned | undefined): boolean =>
  planned?.is === 'create' && stored.object_id !== null && planned.change.id === stored.object_id

type Finishing = {
  readonly source: JudgedSource
  readonly match: Match | undefined
  readonly locked: ReadonlySet<string>
  readonly overwrite: boolean
}

/** The words for a row that the natural key of its resource has matched. */
const BY_KEY = 'natural key'

const toResult = (
  row: PlanRow,
  planned: Planned | undefined,
  { source, match, locked, overwrite }: Finishing,
): Result => {
  const { open } = row
  const { stored } = open
  // The rows of a judgment are subjects.
  const { targets } = open as Subject
  const forgets = match?.is === 'found' ? match.forgets : []
  const because = match?.is === 'found' ? match.because : stored.because
  const finish = (verdict: Partial<Verdict>, applied?: Partial<Verdict>, change?: PlannedChange): Result => ({
    ...{ open, forgets, targets, verdict: buildVerdict(open, { because, ...verdict }) },
    applied: buildVerdict(open, { because, ...(applied ?? verdict) }),
    ...(change && { change }),
  })
  if (!planned || planned.is === 'bad') {
    const message = shorten(planned?.message ?? 'is not planned', MAX_MESSAGE)
    return finish({ state: 'failed', message })
  }
  const before = isRecord(row.base) ? parseFields(stored.base || stored.row) : undefined
  const base = buildBase(before, open.fields, row.isWhole)
  // An object that the row has made was not matched.
  const linked = (id: string) => ({ object_id: id, because: because || (stored.object_id === null ? BY_KEY : '') })
  if (planned.is === 'settled') return finish({ ...linked(planned.id), base })
  if (planned.is === 'create') {
    const { change } = planned
    const hasOwner = Object.hasOwn(getRules(stored.resource).draft.shape, 'managed_by')
    const owner = hasOwner && { managed_by: buildOwner(source.id) }
    const made = { object_id: change.id, base: buildBase(undefined, open.fields, row.isWhole), because: stored.because }
    return finish({ state: 'changed', action: 'create', object_id: null, base: null }, made, {
      ...change,
      document: { ...change.document, ...owner },
    })
  }
  const { change, here } = planned
  const link = linked(change.id)
  const managedBy = toText(here.managed_by)
  if (isForeignOwner(managedBy)) {
    const kept = { ...link, state: 'kept', why: 'owner', message: shorten(`is managed by "${managedBy}"`) } as const
    return finish(kept, { ...kept, base })
  }
  const merged = mergeUpdate(row, planned, { locked, overwrite })
  const isKept = Object.keys(merged.kept).length > 0
  const diff = JSON.stringify({ fields: merged.change?.fields ?? {}, kept: merged.kept })
  const after = isKept ? JSON.stringify({ fields: {}, kept: merged.kept }) : '{}'
  const applied = { ...link, state: isKept ? 'kept' : 'synced', base, diff: after } as const
  if (!merged.change) return finish(isKept ? { ...applied, base: stored.base } : applied, applied)
  return finish({ ...link, state: 'changed', action: 'update', diff }, applied, merged.change)
}

/** Judges rows and the rows without an object that they refer to. */
export const judgeRows = async (
  ctx: Ctx,
  source: JudgedSource,
  given: readonly StoredObject[],
  terms: JudgeTerms,
): Promise<Judgment> => {
  const breathe = createBreathe(ctx.signal)
  const { subjects, outer } = await close(ctx, source, given, breathe)
  const all = [...subjects.values()].sort((a, b) => RANKS[a.stored.resource] - RANKS[b.stored.resource])
  const present = all.filter(({ stored }) => stored.missing_since === null)
  const gone = all.filter(({ stored }) => stored.missing_since !== null).map(({ stored }) => stored)
  const matches = await findMatches(ctx, source, bindLinked(present, source, outer))
  const said = await inheritBases(ctx, present, matches)
  const blocked = new Map<string, Blocked>()
  for (const [key, match] of matches)
    if (match.is === 'unclear') blocked.set(key, { state: 'unclear', why: '', message: match.message })
  for (const [key, { state, why }] of outer)
    if (!subjects.has(key) && state === 'kept' && why === 'deleted') blocked.set(key, { state, why, message: '' })
  await spread(subjects, blocked, breathe)
  const open = said.filter(({ stored }) => !blocked.has(formatKey(stored)))
  const ids = assignIds(ctx, open, matches)
  const binding: Binding = { source, outer, ids, takenRefs: await findTakenRefs(ctx, open, ids) }
  const rows = await mapBreathing(open, breathe, (row) => toPlanRow(row, binding))
  const planned = await planRows(ctx, rows)
  for (const row of rows) {
    const key = formatKey(row.open.stored)
    if (isDeletedHere(row.open, planned.get(row)) && !terms.overwrites(key))
      blocked.set(key, { state: 'kept', why: 'deleted', message: 'was deleted here' })
  }
  await spread(subjects, blocked, breathe)
  const updated = [...planned.values()].flatMap((one) => (one.is === 'update' ? [one.change] : []))
  const locks = await findLocks(
    ctx,
    updated.flatMap(({ resource, id }) => (resource === 'devices' ? [id] : [])),
  )
  const byKey = new Map(rows.map((row) => [formatKey(row.open.stored), row]))
  const results = await mapBreathing(said, breathe, (subject): Result => {
    const key = formatKey(subject.stored)
    const block = blocked.get(key)
    const row = byKey.get(key)
    if (block || !row) return toBlockedResult(subject, block ?? { state: 'unclear', why: '', message: '' })
    const one = planned.get(row)
    const locked = (one?.is === 'update' && locks.get(one.change.id)) || NO_LOCKS
    return toResult(row, one, { source, match: matches.get(key), locked, overwrite: terms.overwrites(key) })
  })
  const meant = new Set(results.map(({ open: { stored }, verdict }) => `${stored.resource} ${verdict.object_id}`))
  return { said: await withoutDefaults(ctx, results), gone: await judgeGone(ctx, source, gone, { ...terms, meant }) }
}

const withoutDefaults = async (ctx: Ctx, results: readonly Result[]): Promise<readonly Result[]> => {
  const given = results.flatMap(({ change }) => (change ? [change] : []))
  const changes = await keepWithoutDefaults(ctx, given)
  const byGiven = new Map(given.map((change, at) => [change, changes[at]]))
  return results.map((result) => {
    const change = result.change && byGiven.get(result.change)
    return change ? { ...result, change } : result
  })
}

const RANKS = Object.fromEntries(INVENTORY.map((resource, at) => [resource, at])) as Readonly<Record<Resource, number>>
