/** The answer of an apply: what changed, or would change. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { type Counts, countChanges, formatSummary } from '../../contract/change-summary.ts'
import { AppError, type FieldIssue, shorten } from '../../contract/errors.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { createItemErrors } from '../../kernel/bulk/attempt.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { buildFingerprints, countEffects } from '../../record/history/effects.ts'
import { parseDocument } from '../../record/history/kinds.ts'
import { nameItems } from '../../record/history/names/names.ts'
import { type ApplyResult, MAX_ERRORS, MAX_SHOWN_CHANGES } from '../estate/api.ts'
import type { Plan } from '../plan/context.ts'
import { getRules } from './resources.ts'
import { MAX_BAD_ROWS, type PlannedChange, type RowError } from './row.ts'
import { describeUnresolved } from './unresolved.ts'

const VERBS = ['delete', 'update', 'create'] as const

export const getPermission = ({ resource, change }: Pick<PlannedChange, 'resource' | 'change'>): Permission =>
  `${resource}:${change}`

/** Returns the permissions for what a plan does. */
export const listPermissions = ({ changes }: Plan): Permission[] => [...new Set(changes.map(getPermission))].sort()

/** Returns the counts of the changed objects that no row of the document and no pruning names. */
const countOthers = (all: Counts, own: Counts): Counts => {
  const along: Counts = {}
  for (const verb of VERBS)
    for (const [noun, n] of Object.entries(all[verb] ?? {})) {
      const left = n - (own[verb]?.[noun] ?? 0)
      if (left > 0) along[verb] = { ...along[verb], [noun]: left }
    }
  return along
}

type Lists = ApplyResult['counts']

const listCounts = (rows: Plan, given: readonly Resource[], failed: readonly RowError[]): Lists => {
  const counts: Record<
    string,
    { created: number; updated: number; unchanged: number; deleted: number; failed: number }
  > = {}
  const getCounts = (resource: Resource) => {
    counts[resource] ??= { created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 }
    return counts[resource]
  }
  for (const resource of given) getCounts(resource).unchanged = rows.settled.get(resource)?.size ?? 0
  for (const { resource, change } of rows.changes) getCounts(resource)[`${change}d`]++
  for (const { resource } of failed) getCounts(resource).failed++
  // In the order of the document.
  return Object.fromEntries(INVENTORY.flatMap((resource) => (counts[resource] ? [[resource, counts[resource]]] : [])))
}

/** A fingerprint compares objects by their ids. */
const NO_NAMES: ReadonlyMap<string, string> = new Map()

/** Computes a value that is the same for each run of a call: new ids are replaced by the rows that create them. */
const computeFingerprint = async (
  { changes }: Plan,
  items: readonly PlannedItem[] | undefined,
  now: string,
): Promise<string> => {
  const made = new Map(
    changes.flatMap(({ change, id, resource, row }) => (change === 'create' ? [[id, `${resource}[${row}]`]] : [])),
  )
  const hasher = new Bun.CryptoHasher('sha256')
  const breathe = createBreathe()
  for (const { resource, change, id, document, before } of changes) {
    const text = JSON.stringify([resource, change, id, document, before])
    hasher.update(made.size === 0 ? text : text.replaceAll(ID, (one) => made.get(one) ?? one))
    await breathe()
  }
  const marks = items && buildFingerprints(items, now, NO_NAMES).map((mark) => JSON.stringify(mark))
  hasher.update(JSON.stringify(marks?.sort() ?? null))
  return hasher.digest('base64url')
}
const ID = /[A-Za-z0-9._-]{1,64}/g

const listErrors = (failed: readonly RowError[]): ApplyResult['errors'] => {
  const report = createItemErrors()
  return failed
    .slice(0, MAX_ERRORS)
    .map(({ resource, row, name, error }) => ({ ...{ resource, row, name: shorten(name) }, ...report(error) }))
}

/** Returns the places of all failed rows, by their resource. */
const listFailedRows = (failed: readonly RowError[]): NonNullable<ApplyResult['failed_rows']> =>
  Object.fromEntries(
    [...Map.groupBy(failed, ({ resource }) => resource)].map(([resource, rows]) => [
      resource,
      rows.map(({ row }) => row).sort((a, b) => a - b),
    ]),
  )

export const toShownChange = (change: PlannedChange, isDry: boolean): ApplyResult['changes'][number] => {
  const { change: action, resource, id, name, row, fields, managedBy } = change
  const isNew = action === 'create' && isDry
  return {
    ...{ action, resource, name },
    ...(!isNew && { id }),
    ...(row !== undefined && { row }),
    ...(fields && { fields }),
    ...(managedBy && { managed_by: managedBy }),
  }
}

const NAMED_BY_DEVICES: ReadonlySet<Resource> = new Set(['ports', 'relationships'])

/** Names relationships and ports by the names of their devices: a row may refer to them by ids or refs. */
export const withNames = async (ctx: Ctx, changes: readonly PlannedChange[]): Promise<PlannedChange[]> => {
  const items = changes.flatMap(({ resource, id, name, document, before }) =>
    NAMED_BY_DEVICES.has(resource)
      ? [
          {
            item: { kind: getRules(resource).kind, id, name, fields: {} },
            document: before === undefined ? document : parseDocument(before),
            ...{ from: undefined, to: undefined },
          },
        ]
      : [],
  )
  const named = await nameItems(ctx, items, { withDevices: true })
  const names = new Map(named.map(({ kind, id, name }) => [`${kind} ${id}`, name]))
  return changes.map((one) => ({ ...one, name: names.get(`${getRules(one.resource).kind} ${one.id}`) ?? one.name }))
}

export type AnswerParts = {
  readonly plan: Plan
  /** The resources that the document names. */
  readonly given: readonly Resource[]
  readonly failed: readonly RowError[]
  readonly isDry: boolean
  readonly lacking: readonly Permission[]
  /** The changed objects of the transaction, if it was planned. */
  readonly items: readonly PlannedItem[] | undefined
  /** The names of the document that are not stored, of a dry run. */
  readonly newNames: number | undefined
}

export const buildAnswer = async (ctx: Ctx, parts: AnswerParts): Promise<ApplyResult> => {
  const { plan, given, failed, isDry, lacking, items, newNames } = parts
  const own = countChanges(plan.changes.map(({ change, resource }) => ({ change, kind: getRules(resource).noun })))
  const ordered = VERBS.flatMap((verb) => plan.changes.filter(({ change }) => change === verb))
  const shown = await withNames(ctx, ordered.slice(0, MAX_SHOWN_CHANGES))
  const unresolved = await describeUnresolved(ctx, plan.unresolved)
  return {
    applied: !isDry,
    changed: plan.changes.length > 0,
    summary: formatSummary(own),
    counts: listCounts(plan, given, failed),
    changes: shown.map((change) => toShownChange(change, isDry)),
    changes_total: plan.changes.length,
    errors: listErrors(failed),
    ...(failed.length > 0 && { failed_rows: listFailedRows(failed) }),
    ...(unresolved.length > 0 && { unresolved }),
    extra: plan.extra,
    // The counts have objects that a caller with a part of the estate may not read.
    also:
      items && !ctx.caller.scopedPermissions
        ? countOthers(countEffects(items, { permissions: ctx.caller.permissions, needed: [] }), own)
        : null,
    ...(isDry && { lacking: [...lacking] }),
    ...(newNames !== undefined && { new_names: newNames }),
    fingerprint: await computeFingerprint(plan, items, ctx.now),
  }
}

/** @throws AppError VALIDATION_ERROR for too many bad rows */
export const refuseMany = (failed: readonly RowError[]): void => {
  if (failed.length > MAX_BAD_ROWS) throw createRefusal(failed)
}

/** Returns the error of a document with bad rows, which is not applied. */
export const createRefusal = (failed: readonly RowError[]): AppError => {
  const details: FieldIssue[] = []
  for (const { resource, row, error } of failed) {
    if (details.length >= MAX_ERRORS) break
    const at = `${resource}[${row}]`
    if (error.details.length === 0) details.push({ field: at, message: error.message })
    for (const { field, message } of error.details)
      details.push({ field: field === '' ? at : `${at}.${field}`, message })
  }
  const [first] = details
  const many = failed.length > MAX_BAD_ROWS ? `more than ${MAX_BAD_ROWS} rows are bad` : `${failed.length} rows are bad`
  const rows = failed.length === 1 ? '1 row is bad' : many
  const code = failed.every(({ error }) => error.code === 'FORBIDDEN') ? 'FORBIDDEN' : 'VALIDATION_ERROR'
  return new AppError(code, `${rows}, and nothing is applied: ${first?.field} ${first?.message}`, {
    details: details.slice(0, MAX_ERRORS),
  })
}
