/** Links rows of a source to objects, as a person says. */

import { type FieldIssue, invalid } from '../../../contract/errors.ts'
import { findStoredDocuments } from '../../../exchange/apply/objects.ts'
import { getRules } from '../../../exchange/apply/resources.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../../kernel/operation.ts'
import type { sourceObjects } from '../../api.ts'
import { settleStatus } from '../../status.ts'
import * as store from '../../store.ts'
import { findByKeys, findLinks, formatKey, type ObjectKey, type StoredObject } from '../object-reads.ts'
import { leaveObjects, setLink } from '../object-store.ts'
import { BY_PERSON, buildOwner } from '../row.ts'
import { getSourceOrThrow } from '../settings.ts'
import { findDependents } from './dependents.ts'

type LinkInput = ParsedInputOf<(typeof sourceObjects)['link']>
type Given = LinkInput['objects'][number]

/** @throws AppError VALIDATION_ERROR for unknown rows and objects, and for objects that other rows of the source have */
const validate = async (ctx: Ctx, sourceId: string, objects: readonly Given[]): Promise<void> => {
  const issues: FieldIssue[] = []
  const rows = await findByKeys(ctx, sourceId, objects)
  const given = new Set<string>()
  const chosen = new Map<string, string>()
  const links = await findLinks(
    ctx,
    objects.flatMap(({ object_id }) => object_id || []),
  )
  const stored = new Map<string, ReadonlyMap<string, unknown>>()
  for (const [resource, some] of Map.groupBy(objects, (one) => one.resource)) {
    const ids = some.flatMap(({ object_id }) => object_id || [])
    stored.set(resource, await findStoredDocuments(ctx, getRules(resource), ids))
  }
  for (const [at, one] of objects.entries()) {
    const key = formatKey(one)
    const field = `objects[${at}]`
    if (!rows.has(key))
      issues.push({ field: `${field}.key`, message: `the source has no ${one.resource} with this key` })
    else if (given.has(key)) issues.push({ field: `${field}.key`, message: 'is there twice' })
    given.add(key)
    const id = one.object_id
    if (!id) continue
    if (!stored.get(one.resource)?.has(id))
      issues.push({
        field: `${field}.object_id`,
        message: `there is no ${getRules(one.resource).noun} with id "${id}"`,
      })
    const object = `${one.resource} ${id}`
    const other = chosen.get(object) ?? findOther(links.get(id) ?? [], sourceId, one)
    chosen.set(object, one.key)
    if (other !== undefined)
      issues.push({ field: `${field}.object_id`, message: `is the object of ${other} of this source` })
  }
  if (issues.length > 0) throw invalid(issues)
}

const findOther = (
  links: readonly (Omit<ObjectKey, 'resource'> & {
    readonly resource: string
    readonly source_id: string
    readonly missing_since: string | null
  })[],
  sourceId: string,
  one: ObjectKey,
) =>
  links.find(
    (link) =>
      link.source_id === sourceId &&
      link.resource === one.resource &&
      link.key !== one.key &&
      link.missing_since === null,
  )?.key

/** Returns the rows of which the source has made the objects. */
const filterMade = async (
  ctx: Ctx,
  sourceId: string,
  rows: readonly StoredObject[],
): Promise<readonly StoredObject[]> => {
  const made: StoredObject[] = []
  for (const [resource, some] of Map.groupBy(rows, (one) => one.resource)) {
    const ids = some.flatMap(({ object_id }) => object_id ?? [])
    const objects = await findStoredDocuments(ctx, getRules(resource), ids)
    for (const row of some) {
      const { managed_by } = objects.get(row.object_id ?? '')?.document ?? {}
      if (row.base !== null && managed_by === buildOwner(sourceId)) made.push(row)
    }
  }
  return made
}

export const linkObjects = async (ctx: Ctx, { id, objects }: LinkInput): Promise<{ readonly linked: number }> => {
  await store.lockState(ctx, id)
  // A judgment that is being applied ends before.
  await ctx.lock('apply')
  const source = await getSourceOrThrow(ctx, id)
  await validate(ctx, id, objects)
  const before = await findByKeys(ctx, id, objects)
  const moved = objects.flatMap((one) => {
    const stored = before.get(formatKey(one))
    return stored && stored.object_id !== (one.object_id || null) ? [stored] : []
  })
  // The ports and relationships of a device are found again at its new object.
  const devices = moved.filter(({ resource }) => resource === 'devices')
  const dependents = await findByKeys(ctx, id, await findDependents(ctx, source, devices))
  const named = new Set(objects.map(formatKey))
  const followers = [...dependents.values()].filter((row) => !named.has(formatKey(row)))
  await leaveObjects(ctx, id, await filterMade(ctx, id, [...moved, ...followers]))
  const changed = new Set(moved.map(formatKey))
  for (const { resource, key, object_id } of objects)
    await setLink(ctx, id, {
      ...{ key: { resource, key }, objectId: object_id || null, because: object_id === null ? '' : BY_PERSON },
      keepsBase: !changed.has(formatKey({ resource, key })),
    })
  for (const key of followers) await setLink(ctx, id, { key, objectId: null, because: '' })
  await settleStatus(ctx, id)
  return { linked: objects.length }
}
