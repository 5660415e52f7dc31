/** The rules of custom fields: definitions, and the values that change with them. */
import { AppError, type FieldIssue, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { getCachedCounts } from '../../database/cache/query-cache.ts'
import type { Db } from '../../database/database.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import type { Tables } from '../../database/tables.ts'
import { updateRefs, withChangedRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { lockForDefining, noteCommit } from '../../resource/custom/definitions.ts'
import type { Rewrite } from '../../resource/custom/engine.ts'
import { CUSTOM_RESOURCES, type Custom, MAX_FIELDS, REFERENCE_TARGETS } from '../../resource/custom/fields.ts'
import { checkDefinition, normalizeDefinition } from '../../resource/custom/rules.ts'
import type { CustomField, CustomFieldDraft, CustomFieldPatch } from '../../resource/custom/schema.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import { customFields } from './api.ts'
import { checkConditions, refuseNamed, renameInConditions } from './condition-rules.ts'
import { definitions } from './definition-store.ts'
import { findEqualValues } from './equal-values.ts'
import { references } from './references.ts'
import { renameChoices, renameValues } from './renames.ts'
import { canTell, checkUsage } from './usage.ts'

/** For the history, the import and estate documents. */
export const { getDerived, naturalKey, idsOfKeys, findAll, filterExistingIds } = store
export const { documents } = definitions

const getOrThrow = async (ctx: Ctx, id: string): Promise<StoredField> =>
  orNotFound(await definitions.find(ctx, id), 'custom field', id)

const buildTakenNameError = ({ resource, name }: CustomField): AppError =>
  new AppError('ALREADY_EXISTS', `A custom field "${name}" of ${resource} exists already`, {
    details: [{ field: 'name', message: `is a custom field of ${resource} already` }],
  })

const refuseTaken = async (ctx: Ctx, field: CustomField): Promise<void> => {
  const same = await store.findByName(ctx, field)
  if (same && same.id !== field.id) throw buildTakenNameError(field)
}

const refuseMore = async (ctx: Ctx, { resource }: CustomField): Promise<void> => {
  const same = (await store.findAll(ctx)).filter((one) => one.resource === resource)
  if (same.length >= MAX_FIELDS)
    throw new AppError('LIMIT_REACHED', `${resource} have ${MAX_FIELDS} custom fields, and cannot have more`)
}

/** @throws AppError VALIDATION_ERROR for a default that refers to nothing */
const checkDefault = async (ctx: Ctx, { type, reference_to, default: usual }: CustomField): Promise<FieldIssue[]> => {
  if (type !== 'reference' || reference_to === null || usual === null) return []
  const ids = [usual].flat().map(String)
  const there = await store.filterExistingIds(ctx, reference_to, ids)
  return ids
    .filter((id) => !there.has(id))
    .map((id) => ({ field: 'default', message: `there is no object of ${reference_to} with id "${id}"` }))
}

/** Returns an issue for each name of a resource that is no kind. Kinds are created and deleted under the lock of the definitions. */
const checkKinds = async (ctx: Ctx, { resource, reference_to }: CustomField): Promise<FieldIssue[]> => {
  const isUnknown = async (name: string | null, names: readonly string[]) =>
    name !== null && !names.includes(name) && !(await store.isKind(ctx, name))
  const list = async (field: string, names: readonly string[]): Promise<FieldIssue> => ({
    field,
    message: `must be one of ${[...names, ...(await store.findKindIds(ctx))].join(', ')}`,
  })
  return [
    ...((await isUnknown(resource, CUSTOM_RESOURCES)) ? [await list('resource', CUSTOM_RESOURCES)] : []),
    ...((await isUnknown(reference_to, REFERENCE_TARGETS)) ? [await list('reference_to', REFERENCE_TARGETS)] : []),
  ]
}

const refuseWrong = async (ctx: Ctx, field: CustomField): Promise<void> => {
  rejectIssues([...checkDefinition(field), ...(await checkKinds(ctx, field))])
  rejectIssues(await checkDefault(ctx, field))
}

export const create = async (ctx: Ctx, input: CustomFieldDraft & Restored): Promise<CustomField> => {
  const { id = ctx.newId(), created_at = ctx.now, resource, name, type, ...draft } = input
  const { label, multiple, choices, reference_to, required, unique, pattern, minimum, maximum } = draft
  const { searchable, description, group, position, only_for, managed_by } = draft
  const field: CustomField = normalizeDefinition({
    ...{ id, resource, name, label, type, multiple, choices, reference_to, required, unique },
    ...{ default: draft.default, pattern, minimum, maximum, searchable, description, group, position },
    ...(only_for && { only_for }),
    ...{ refs: updateRefs({}, draft.refs), managed_by, created_at, updated_at: ctx.now },
  })
  await lockForDefining(ctx, [resource])
  if (input.id !== undefined && (await definitions.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A custom field with id "${id}" exists already`)
  // First: of several creates by one ref, the later ones become updates.
  await definitions.claimRefs(ctx, field.refs)
  await refuseWrong(ctx, field)
  rejectIssues(await checkConditions(ctx, field))
  await refuseTaken(ctx, field)
  await refuseMore(ctx, field)
  await definitions.write(ctx, [{ after: { ...field, number: await store.findNextNumber(ctx) } }])
  return field
}

const rewrite = (ctx: Ctx, change: Rewrite): Promise<void> =>
  change.ids.length === 0 ? Promise.resolve() : ctx.emit('custom-fields.rewriting', change)

/** The texts of searches change with `searchable`. */
const refreshSearchTexts = async (ctx: Ctx, { resource, number }: StoredField): Promise<void> =>
  rewrite(ctx, {
    resource,
    ids: await store.findIdsWithValue(ctx, number),
    change: (custom) => custom,
    isChange: false,
  })

export const update = async (ctx: Ctx, { id, rename_choices, ...patch }: CustomFieldPatch): Promise<CustomField> => {
  const { resource } = await getOrThrow(ctx, id)
  await lockForDefining(ctx, [resource, ...(patch.resource ? [patch.resource] : [])])
  const { number, ...before } = orNotFound(await definitions.lock(ctx, id), 'custom field', id)
  ctx.precondition(before)
  const given = { ...patch, ...(patch.label === '' && { label: patch.name ?? before.name }) }
  const renamed = renameChoices(before, { ...given, rename_choices })
  const merged = merge<CustomField>(
    before,
    withChangedRefs(before, { ...given, ...renamed.patch } as Partial<CustomField>),
  )
  if (merged.changes.length === 0) return before
  const normalized = normalizeDefinition(merged.value)
  // A text may spell the default that it has.
  if (Bun.deepEquals(normalized, before)) return before
  const field: CustomField = { ...normalized, updated_at: ctx.now }
  await refuseWrong(ctx, field)
  rejectIssues(await checkConditions(ctx, field, { before, isKept: renamed.isKept }))
  await refuseTaken(ctx, field)
  if (field.resource !== before.resource) await refuseMore(ctx, field)
  const stored = { ...before, number }
  rejectIssues(await checkUsage(ctx, { ...stored, choices: before.choices.filter(renamed.isKept) }, field))
  await definitions.write(ctx, [{ before: stored, after: { ...field, number } }])
  await renameInConditions(ctx, before, { name: field.name, choices: renamed.names })
  const isRenamed = await renameValues(ctx, stored, { name: field.name, choices: renamed.names })
  if (!isRenamed && field.searchable !== before.searchable) await refreshSearchTexts(ctx, stored)
  return field
}

/** Deletes the definitions of a kind that goes. No object has a value. */
export const removeAll = (ctx: Ctx, fields: readonly StoredField[]): Promise<void> =>
  definitions.write(
    ctx,
    fields.map((before) => ({ before })),
  )

/** @param isForced also with values, which are deleted too */
export const remove = async (ctx: Ctx, id: string, isForced = false): Promise<void> => {
  const { resource } = await getOrThrow(ctx, id)
  await lockForDefining(ctx, [resource])
  const stored = orNotFound(await definitions.lock(ctx, id), 'custom field', id)
  const { number, ...field } = stored
  ctx.precondition(field)
  await refuseNamed(ctx, field)
  const ids = await store.findIdsWithValue(ctx, number)
  if (ids.length > 0 && !isForced) {
    const counted = ids.length === 1 ? '1 object has' : `${ids.length} objects have`
    const objects = canTell(ctx, field) ? counted : 'Objects have'
    throw new AppError('IN_USE', `${objects} a value of "${field.name}"; \`force\` deletes the values too`)
  }
  const without = ({ [field.name]: _, ...others }: Custom): Custom => others
  await rewrite(ctx, { resource, ids, change: without, isChange: true })
  if (ids.length > 0) await store.removeFieldValues(ctx, number)
  await definitions.write(ctx, [{ before: stored }])
}

/** Returns how many objects have a value, by the number of the field. */
const countUsage = (ctx: Ctx): Promise<Map<string, number>> =>
  getCachedCounts(ctx, 'custom_values', 'objects', () => store.countAll(ctx))

/** @param db the database with the definitions that are kept in memory */
export const customFieldsFeature = ({ db }: { readonly db: Db<Tables> }): Feature => {
  const noteEvents = (events: readonly string[]): void => {
    if (events.some((event) => event.startsWith('custom_field.'))) noteCommit(db)
  }
  return {
    operations: implement(customFields, {
      list: async (ctx, { resource, managed_by, include, ...page }) => {
        const isCounted = include?.includes('usage') === true && !ctx.isPast
        let query = store.query(ctx)
        if (resource) query = query.where('resource', '=', resource)
        if (managed_by) query = query.where(isManagedBy(managed_by))
        // The table also has the values of objects that the caller may not list.
        const isWhole = ctx.unscoped === ctx
        const tables =
          isCounted && isWhole ? (['custom_fields', 'custom_values'] as const) : (['custom_fields'] as const)
        const stored = await ctx.store.revision(tables)
        const counts = isCounted ? await countUsage(ctx) : undefined
        const revision = counts && !isWhole ? `${stored} ${JSON.stringify([...counts])}` : stored
        return listRows(ctx, {
          revision,
          query,
          page,
          row: (row): CustomField => {
            const field = store.toField(store.toStored(row))
            return counts ? { ...field, objects: counts.get(String(row.number)) ?? 0 } : field
          },
        })
      },
      create,
      get: async (ctx, { id }) => store.toField(await getOrThrow(ctx, id)),
      update,
      delete: async (ctx, { id, force }) => remove(ctx, id, force),
    }),
    reactions: references,
    warnings: findEqualValues,
    onCommit: noteEvents,
    onRemoteCommit: noteEvents,
    onNotificationGap: () => noteCommit(db),
  }
}
