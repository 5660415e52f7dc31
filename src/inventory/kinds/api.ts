/** The contract of kinds: types of objects that users define. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { isKindId, KIND_ID } from '../../contract/fields/kind-id.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { MAX_FIELDS } from '../../resource/custom/fields.ts'
import { CustomField, CustomFieldDraft } from '../../resource/custom/schema.ts'
import { kindFacts } from './resource.ts'

const MAX_POSITION = 1_000_000

const Id = z
  .string()
  .refine(isKindId, { error: 'must begin with a-z, and have 1-50 of a-z 0-9 -' })
  .meta({ exact: { pattern: matchWhole(KIND_ID), examples: ['circuits'] } })
  .describe('Made of the name, where absent; it never changes')

const include = z
  .array(z.enum(['usage', 'fields']))
  .optional()
  .describe('usage adds the number of objects, fields the custom fields')

export const kindCrud = crud(kindFacts, {
  schemas: {
    objects: { answer: z.int().optional().describe('How many objects there are, with `include=usage`') },
    fields: {
      answer: z.array(CustomField).optional().describe('Its custom fields in their order, with `include=fields`'),
    },
  },
  newId: Id,
  filters: { include },
  patch: {
    fields: z
      .array(z.unknown())
      .max(0, 'cannot be changed here: use /api/custom-fields')
      .optional()
      .describe('Not changed here, but at /api/custom-fields'),
  },
  listShows: ['custom-fields', 'objects'],
  deleteErrors: [409],
})

/** A definition without its resource, which is the kind. */
export const KindField = CustomFieldDraft.omit({ resource: true }).extend({
  position: z
    .int()
    .min(-MAX_POSITION)
    .max(MAX_POSITION)
    .nullable()
    .optional()
    .describe('The order of the fields of a group; by default that of the list'),
})
export type KindField = z.output<typeof KindField>

export const Kind = kindCrud.Item
export type Kind = z.infer<typeof Kind>

export const KindDraft = kindCrud.Draft.extend({
  fields: z
    .array(KindField)
    .max(MAX_FIELDS)
    .nullable()
    .optional()
    .describe('Custom fields of the new kind, as in `POST /api/custom-fields`'),
})
export type KindDraft = z.output<typeof KindDraft>
export type KindPatch = z.output<typeof kindCrud.Patch>

export const kinds = {
  ...kindCrud.operations,
  create: operation({
    name: 'kinds.create',
    summary: kindFacts.summaries.create,
    http: 'POST /api/kinds',
    status: 201,
    effect: 'create',
    access: 'kinds:create',
    hasHistory: true,
    cli: { args: ['name'] },
    input: KindDraft,
    output: Kind,
  }),
  get: operation({
    name: 'kinds.get',
    summary: kindFacts.summaries.get,
    http: 'GET /api/kinds/{id}',
    supportsAsOf: true,
    access: 'kinds:read',
    scope: 'checkPath',
    shows: ['custom-fields', 'objects'],
    input: () => z.object({ id: idOf('kinds'), include }),
    output: Kind,
  }),
}
