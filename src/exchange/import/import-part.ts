/** Imports the rows of a caller with a part of the estate: they name objects that the caller knows, and stay in the part. */
import type { z } from 'zod'
import { AppError, type FieldIssue, invalid } from '../../contract/errors.ts'
import { toOptionalText } from '../../contract/unknown.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Resource } from '../../inventory/resources.ts'
import { collectTexts, createPlaceFinder } from '../../kernel/changes/id-fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { createOverlapError, listOverlaps } from '../../people/scopes/overlaps.ts'
import { areaUpdates } from '../../people/scopes/update-areas.ts'
import { KIND_NAMES, type Kind, toKind } from '../../record/history/kind-names.ts'
import { getName, KIND_RULES, parseDocument } from '../../record/history/kinds.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { narrowToKnown } from '../../resource/scoped/scoped-db.ts'
import {
  getScopedNoun,
  getScopedTable,
  isScopedResource,
  type ScopedResource,
} from '../../resource/scoped/scoped-resources.ts'
import type { Batching, Importer, Outcome, Row } from './row.ts'

const placesOf = createPlaceFinder(isScopedResource)

/** A field of a row that names an object. */
type Named = { readonly at: number; readonly resource: ScopedResource; readonly field: string; readonly id: string }

const PLACE = /^\[(\d+)\]\.value\./

const listNamedObjects = (schema: z.ZodType, rows: readonly Row[]): Named[] => {
  const place = placesOf(schema)
  if (!place) return []
  return collectTexts(place, rows).flatMap(({ resource, field, text }) => {
    const [start = '', at] = PLACE.exec(field) ?? []
    if (at === undefined || !isScopedResource(resource) || text === '') return []
    return [{ at: Number(at), resource, field: field.slice(start.length), id: text }]
  })
}

const getId = ({ value: { id } }: Row): string | undefined => toOptionalText(id)

/** Returns the ids of the given objects that a context has. */
const findExisting = async ({ db }: Ctx, named: readonly Named[]): Promise<Set<string>> => {
  const found = new Set<string>()
  for (const [resource, some] of Map.groupBy(named, (one) => one.resource))
    for (const ids of splitBatches([...new Set(some.map(({ id }) => id))])) {
      const query = selectFromTable(db, getScopedTable(resource)).select('id')
      const rows = await query.where('id', 'in', ids).execute()
      for (const { id } of rows) found.add(`${resource} ${id}`)
    }
  return found
}

type Rows = { readonly schema: z.ZodType; readonly resource: Resource; readonly given: readonly Row[] }

/** Returns the errors of rows that name objects which the caller does not know, by their places. */
const findUnknownNames = async (by: Ctx, { schema, resource, given }: Rows, rows: readonly Row[]) => {
  const named = listNamedObjects(schema, rows)
  const there = await findExisting(by, named)
  const unknown = named.filter(({ resource: of, id }) => !there.has(`${of} ${id}`))
  if (unknown.length === 0) return new Map<number, AppError>()
  const own = new Set(rows.flatMap((row) => getId(row) ?? []))
  const stored = await KIND_RULES[toKind(resource)].documents(by, [...own])
  const sent = new Map(listNamedObjects(schema, given).map(({ at, field, id }) => [`${at} ${field}`, id]))
  const issues = new Map<number, FieldIssue[]>()
  for (const { at, resource: of, field, id } of unknown) {
    const row = rows[at]
    const before = row && stored.get(getId(row) ?? '')
    // A row may name an earlier one, and keep a reference that its object has.
    if ((of === resource && own.has(id)) || before?.includes(JSON.stringify(id))) continue
    const message = `there is no ${getScopedNoun(of)} with id "${sent.get(`${at} ${field}`) ?? id}"`
    issues.set(at, [...(issues.get(at) ?? []), { field, message }])
  }
  return new Map([...issues].map(([at, some]) => [at, invalid(some)]))
}

/** @throws AppError FORBIDDEN for an object that the rows have made or changed outside of the part */
const requireInside = async (ctx: Ctx, resource: Resource, since: number): Promise<void> => {
  const items = (await ctx.changedObjects(since)).map((one) => ({ ...one, kind: one.kind as Kind }))
  const own = toKind(resource)
  for (const change of ['create', 'update'] as const) {
    const permission: Permission = `${resource}:${change}`
    const visible = await VisibleItems.of(ctx, () => permission)
    const some = items
      // Objects of other kinds change by rules.
      .filter((one) => one.change === change && (change === 'create' || one.kind === own))
      .map((one) => ({ ...one, states: one.before === undefined ? [] : [{ seq: undefined, document: one.before }] }))
    const inside = new Set(await visible.seen(some))
    const outside = some.find((one) => !inside.has(one))
    if (!outside) continue
    const { kind, id } = outside
    const json = (await KIND_RULES[kind].documents(await narrowToKnown(ctx), [id])).get(id)
    const name = json === undefined ? '' : ` "${getName(kind, id, parseDocument(json))}"`
    const { noun } = KIND_NAMES[kind]
    throw new AppError(
      'FORBIDDEN',
      `Nothing was imported: the ${noun}${name} is outside of the part of the estate in which you have ${permission}`,
    )
  }
}

type Run = Rows & { readonly ctx: Ctx; readonly importer: Importer; readonly batching: Batching }

/** @param rows with ids as refs @throws AppError FORBIDDEN */
export const importInPart = async (
  { ctx, importer, batching, ...of }: Run,
  rows: readonly Row[],
): Promise<Outcome[]> => {
  const since = ctx.changeCount
  let settled = since
  /** The objects of earlier rows are known as well, once their areas are stored. */
  const lookup = async (): Promise<Ctx> => {
    if (ctx.changeCount > settled) await areaUpdates.updateAreas(ctx, settled)
    settled = ctx.changeCount
    return narrowToKnown(ctx)
  }
  const errors = await findUnknownNames(await lookup(), of, rows)
  const good = [...rows.keys()].filter((at) => !errors.has(at))
  const outcomes = await importer(
    ctx,
    good.flatMap((at) => rows[at] ?? []),
    batching,
    lookup,
  )
  await lookup()
  await requireInside(ctx, of.resource, since)
  const [overlap] = await listOverlaps(ctx, since)
  if (overlap) throw createOverlapError(overlap, 'Nothing was imported: ')
  const byPlace = new Map(good.map((at, i) => [at, outcomes[i]]))
  return rows.map((_, at) => errors.get(at) ?? byPlace.get(at) ?? 'unchanged')
}
