/** Decides about the objects of rows that are missing. */

import { toText } from '../../contract/unknown.ts'
import { findStoredDocuments } from '../../exchange/apply/objects.ts'
import { getRules } from '../../exchange/apply/resources.ts'
import type { PlannedChange } from '../../exchange/apply/row.ts'
import { formatRowName } from '../../exchange/plan/context.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findLocks, NO_LOCKS } from './locks.ts'
import { findLinks, formatKey, type Link, type StoredObject } from './object-reads.ts'
import type { Verdict } from './object-store.ts'
import { areApart, buildOwner, type Fields, isForeignOwner, type JudgedSource, parseFields } from './row.ts'

const HOUR_MS = 3_600_000

export type GoneResult = {
  readonly stored: StoredObject
  readonly verdict: Verdict
  /** True if an apply of everything does it. */
  readonly isDue: boolean
  readonly does: 'forget' | 'delete' | 'update' | 'nothing'
  readonly change?: PlannedChange
  /** The verdict after an update. */
  readonly applied?: Verdict
}

/** The resources with objects that go as soon as their rows do. */
const AT_ONCE: ReadonlySet<Resource> = new Set(['ports', 'relationships'])
/** The resources with objects that are deleted if the source says so, and else stay. */
const DELETED: ReadonlySet<Resource> = new Set(['networks', 'vlans'])

/** Returns true once the object of a missing row may go. */
export const isDue = (
  { resource, missing_since }: Pick<StoredObject, 'resource' | 'missing_since'>,
  { gone_after_hours }: Pick<JudgedSource, 'gone_after_hours'>,
  now: string,
): boolean =>
  missing_since !== null &&
  (AT_ONCE.has(resource) || Date.parse(missing_since) + gone_after_hours * HOUR_MS <= Date.parse(now))

export type GoneTerms = {
  readonly overwrites: (key: string) => boolean
  /** The objects that rows of the same judgment mean, as `<resource> <id>`. */
  readonly meant: ReadonlySet<string>
}

type Stored = { readonly document: Fields; readonly json: string }

type Judging = {
  readonly overwrite: boolean
  readonly source: JudgedSource
  readonly now: string
  readonly object: Stored | undefined
  /** The rows that are said of the same object. */
  readonly others: readonly Link[]
  /** True if a row of the same judgment means the object. */
  readonly isMeant: boolean
  readonly locked: ReadonlySet<string>
}

const keep = (stored: StoredObject, message: string, more: Partial<Verdict> = {}): Verdict => ({
  ...{ object_id: stored.object_id, state: 'gone', action: 'none', base: stored.base, diff: '{}' },
  ...{ why: '', because: stored.because, message, ...more },
})

const readBase = ({ base, row }: StoredObject): Fields => parseFields(base === null || base === '' ? row : base)

const STATUS = 'decommissioned'

const judgeStatus = (stored: StoredObject, { object, locked, overwrite, ...judging }: Judging): GoneResult => {
  const here = toText(object?.document.status)
  const due = isDue(stored, judging.source, judging.now)
  const nothing = (verdict: Verdict): GoneResult => ({ stored, verdict, isDue: due, does: 'nothing' })
  if (here === STATUS) return nothing(keep(stored, ''))
  const base = readBase(stored)
  const isEdited = base.status !== undefined && base.status !== here
  if (locked.has('status') || (isEdited && !overwrite)) {
    const why = locked.has('status') ? 'locked' : 'edited'
    const diff = JSON.stringify({ fields: {}, kept: { status: { here, source: STATUS, why } } })
    return nothing(keep(stored, 'its status stays, because a person has set it', { diff }))
  }
  const fields = { status: { from: here, to: STATUS } }
  const verdict = keep(stored, '', { action: 'decommission', diff: JSON.stringify({ fields, kept: {} }) })
  return {
    ...{ stored, verdict, isDue: due, does: 'update' },
    change: {
      ...{ change: 'update', resource: 'devices', id: stored.object_id ?? '', name: stored.name },
      ...{ document: { status: STATUS }, fields, before: object?.json ?? '{}' },
    },
    // The row comes back with its own status, which then differs.
    applied: keep(stored, '', { base: JSON.stringify({ ...base, status: STATUS }) }),
  }
}

const judgeOne = (stored: StoredObject, judging: Judging): GoneResult => {
  const { source, object, others, isMeant, now } = judging
  const { resource, object_id: id } = stored
  const due = isDue(stored, source, now)
  const forget: GoneResult = { stored, verdict: keep(stored, ''), isDue: true, does: 'forget' }
  const own = { source_id: source.id, kind: source.kind, type: stored.type }
  const isTaken = isMeant || others.some((other) => AT_ONCE.has(resource) || areApart(own, other))
  // Nothing of the inventory is of this row, or another row has taken its object.
  if (id === null || stored.base === null || !object || isTaken) return forget
  const nothing = (message: string, why = ''): GoneResult => ({
    ...{ stored, verdict: keep(stored, message, { why }), isDue: due, does: 'nothing' },
  })
  const [other] = others
  // Its base stays, so that a row that comes back does not overwrite people, and is followed again.
  if (other) return nothing(`the source "${other.source}" says it too`)
  const managedBy = toText(object.document.managed_by)
  if (isForeignOwner(managedBy)) return nothing(`is managed by "${managedBy}"`, 'owner')
  const isDeleted =
    AT_ONCE.has(resource) || (source.when_gone === 'delete' && (resource === 'devices' || DELETED.has(resource)))
  if (!isDeleted)
    return resource === 'devices' && source.when_gone === 'decommission' ? judgeStatus(stored, judging) : nothing('')
  if (managedBy !== buildOwner(source.id)) return nothing('stays, because the source has not made it')
  const name = formatRowName(resource, object.document)
  return {
    ...{ stored, verdict: keep(stored, '', { action: 'delete' }), isDue: due, does: 'delete' },
    change: { change: 'delete', resource, id, name, document: {}, before: object.json },
  }
}

/** Judges rows that are missing. */
export const judgeGone = async (
  ctx: Ctx,
  source: JudgedSource,
  rows: readonly StoredObject[],
  { overwrites, meant }: GoneTerms,
): Promise<GoneResult[]> => {
  const links = await findLinks(
    ctx,
    rows.flatMap(({ object_id }) => object_id ?? []),
  )
  const results: GoneResult[] = []
  for (const [resource, some] of Map.groupBy(rows, (row) => row.resource)) {
    const ids = some.flatMap(({ object_id }) => object_id ?? [])
    const documents = await findStoredDocuments(ctx, getRules(resource), ids)
    const locks = resource === 'devices' ? await findLocks(ctx, ids) : new Map<string, ReadonlySet<string>>()
    for (const stored of some) {
      const id = stored.object_id ?? ''
      const others = (links.get(id) ?? []).filter(
        ({ source_id, key, missing_since, ...link }) =>
          link.resource === resource && missing_since === null && !(source_id === source.id && key === stored.key),
      )
      const judging = {
        overwrite: overwrites(formatKey(stored)),
        source,
        now: ctx.now,
        object: documents.get(id),
        others,
        isMeant: meant.has(`${resource} ${id}`),
      }
      results.push(judgeOne(stored, { ...judging, locked: locks.get(id) ?? NO_LOCKS }))
    }
  }
  return results
}
