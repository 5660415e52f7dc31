/** The rules of kinds. */
import { AppError, type FieldIssue, invalidField, nameTaken, rejectIssues } from '../../contract/errors.ts'
import { updateRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import { loadAllFields, loadFieldsOfKinds, lockForDefining } from '../../resource/custom/definitions.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import { toField } from '../../resource/custom/store.ts'
import type { ListInput } from '../../resource/list.ts'
import { resourceRules } from '../../resource/rules.ts'
import * as customFields from '../custom-fields/custom-fields.ts'
import { type Kind, type KindDraft, type KindField, type KindPatch, kinds } from './api.ts'
import { toKindId, toSingularName } from './names.ts'
import type { kindFacts } from './resource.ts'
import { countByKind, countKinds, countObjects, findIdByName, findSharedName, store } from './store.ts'

const MAX_KINDS = 100

/** Ids that would be taken for something else in a path or a command. */
const RESERVED = ['default', 'kinds', 'new', 'objects', 'packs']

const refuseTakenName = async (ctx: Ctx, { id, name }: Kind): Promise<void> => {
  const holder = await findIdByName(ctx, toNameKey(name))
  if (holder !== undefined && holder !== id) throw nameTaken('kind', name)
}

/** Returns the issues of a change that objects of the kind exclude. */
const checkUsage = async (ctx: Ctx, before: Kind, after: Kind): Promise<FieldIssue[]> => {
  const { id } = after
  const canTell = ctx.canListAll('objects')
  const issues: FieldIssue[] = []
  const forbid = async (field: 'nested' | 'located', column: 'parent_id' | 'datacenter_id', noun: string) => {
    if (!before[field] || after[field]) return
    const n = await countObjects(ctx, id, column)
    if (n === 0) return
    const who = canTell ? `${n} ${n === 1 ? 'object has' : 'objects have'}` : 'objects have'
    issues.push({ field, message: `cannot be false while ${who} a ${noun}` })
  }
  await forbid('nested', 'parent_id', 'parent')
  await forbid('located', 'datacenter_id', 'datacenter')
  if (!before.unique_names && after.unique_names) {
    const shared = await findSharedName(ctx, id)
    const name = canTell ? `the name ${JSON.stringify(shared)}` : 'the same name'
    if (shared !== undefined) issues.push({ field: 'unique_names', message: `two objects have ${name}` })
  }
  return issues
}

/** @throws AppError IN_USE for a kind with objects, or that a custom field of another resource refers to */
const refuseUsed = async (ctx: Ctx, { id, name }: Kind, fields: readonly CustomField[]): Promise<void> => {
  const n = await countObjects(ctx, id)
  const counted = n === 1 ? '1 object' : `${n} objects`
  if (n > 0) throw new AppError('IN_USE', `The kind "${name}" has ${ctx.canListAll('objects') ? counted : 'objects'}`)
  const referring = fields.find((field) => field.reference_to === id && field.resource !== id)
  if (referring)
    throw new AppError(
      'IN_USE',
      `The custom field "${referring.name}" of ${referring.resource} refers to the kind "${name}"`,
    )
}

/** The list and one kind, with the parts that the caller asks for. */
const hasPart = ({ include }: ListInput, part: 'usage' | 'fields'): boolean =>
  Array.isArray(include) && include.includes(part)

/** Returns the function that adds the parts of a kind, with one query for each part of all kinds. */
const createPartsAdder = async (ctx: Ctx, input: ListInput) => {
  const counts = hasPart(input, 'usage') ? await countByKind(ctx) : undefined
  const fields = hasPart(input, 'fields') ? await loadFieldsOfKinds(ctx) : undefined
  return (kind: Kind): Kind => ({
    ...kind,
    ...(counts && { objects: counts.get(kind.id) ?? 0 }),
    ...(fields && { fields: [...(fields.get(kind.id)?.values() ?? [])].map(toField) }),
  })
}

const rules = resourceRules<typeof kindFacts, Kind>(store, {
  derive: (kind) => ({ ...kind, singular: kind.singular || toSingularName(kind.name) }),
  lock: (ctx, _, id) => lockForDefining(ctx, [id]),
  check: async (ctx, { before, after }) => {
    if (after) {
      await refuseTakenName(ctx, after)
      if (before) rejectIssues(await checkUsage(ctx, before, after))
      else if ((await countKinds(ctx)) >= MAX_KINDS)
        throw new AppError('LIMIT_REACHED', `There are ${MAX_KINDS} kinds, and there cannot be more`)
    } else if (before) {
      const fields = await loadAllFields(ctx)
      await refuseUsed(ctx, before, fields)
      await customFields.removeAll(
        ctx,
        fields.filter(({ resource }) => resource === before.id),
      )
    }
  },
  listed: {
    tables: (input) => [
      ...(hasPart(input, 'usage') ? (['objects'] as const) : []),
      ...(hasPart(input, 'fields') ? (['custom_fields'] as const) : []),
    ],
    createRow: async (ctx, input) => {
      const addParts = await createPartsAdder(ctx, input)
      return (row) => addParts(store.fromRow(row))
    },
  },
})

/** Defines the fields of a new kind, in their order. @throws AppError with the place of a wrong one: `fields[0].type` */
const createFields = async (ctx: Ctx, kindId: string, fields: readonly KindField[]): Promise<void> => {
  for (const [i, field] of fields.entries()) {
    try {
      await customFields.create(ctx, { ...field, resource: kindId, position: field.position ?? i })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const details = error.details.map((one) => ({ ...one, field: `fields[${i}].${one.field}` }))
      throw new AppError(error.code, `fields[${i}]: ${error.message}`, { details, total: error.total })
    }
  }
}

/** @param reserved returns further words that no kind has as its id: nouns and commands */
export const kindsFeature = ({ reserved }: { readonly reserved: () => ReadonlySet<string> }): Feature => {
  const getId = ({ id, name }: KindDraft): string => {
    const made = id ?? toKindId(name)
    if (made === '') throw invalidField('id', 'cannot be made of the name: give one of a-z 0-9 -')
    if (RESERVED.includes(made) || reserved().has(made))
      throw invalidField('id', `"${made}" is a word of Plat: give another id`)
    return made
  }
  const create = async (ctx: Ctx, { fields, ...input }: KindDraft): Promise<Kind> => {
    if (fields && fields.length > 0) ctx.require('custom-fields:create')
    const id = getId(input)
    await lockForDefining(ctx, [id])
    // Of several creates by one ref, the later ones become updates.
    await store.claimRefs(ctx, updateRefs({}, input.refs))
    const kind = await rules.create(ctx, { ...input, id })
    await createFields(ctx, id, fields ?? [])
    return kind
  }
  return {
    operations: implement(kinds, {
      ...rules.handlers,
      create,
      get: async (ctx, { id, ...input }) => (await createPartsAdder(ctx, input))(await rules.getOrThrow(ctx, id)),
      update: (ctx, { fields: _, ...input }: KindPatch) => rules.update(ctx, input),
      delete: async (ctx, { id }) => {
        // Before the definitions of all resources are locked in shared mode.
        await lockForDefining(ctx, [id])
        await rules.remove(ctx, id)
      },
    }),
    reactions: rules.reactions,
  }
}
