/** The contract of custom fields: the definitions of the values that objects have in `custom`. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  flagOr,
  idOf,
  line,
  NewId,
  numberOr,
  Page,
  patch,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { matchWhole } from '../../platform/contract/text-rules.ts'
import { operation } from '../../platform/operation/operation.ts'
import { INVENTORY } from '../inventory.ts'
import {
  CUSTOM_RESOURCES,
  FIELD_NAME,
  FIELD_TYPES,
  isFieldName,
  MAX_TEXT,
  MAX_VALUES,
  REFERENCE_TARGETS,
} from './fields.ts'

const MAX_CHOICES = 500
const MAX_CHOICE = 128
const MAX_PATTERN = 256
const MAX_POSITION = 1_000_000

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])

export const CustomField = z
  .object({
    id: z.string(),
    resource: z.enum(CUSTOM_RESOURCES).describe('Whose objects have the field'),
    name: z.string(),
    label: z.string(),
    type: z.enum(FIELD_TYPES),
    multiple: z.boolean().describe('True for a list of values'),
    choices: z.array(z.string()),
    reference_to: z.enum(REFERENCE_TARGETS).nullable().describe('The resource that a reference names'),
    required: z.boolean(),
    unique: z.boolean(),
    default: Value.nullable().describe('The value of a new object that is created without one'),
    pattern: z.string(),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    searchable: z.boolean(),
    description: z.string(),
    group: z.string(),
    position: z.int(),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    objects: z.int().optional().describe('How many objects have a value, with `include=usage`'),
  })
  .meta({ id: 'CustomField', columns: ['id', 'resource', 'name', 'label', 'type', 'required', 'group'] })
export type CustomField = z.infer<typeof CustomField>

const FieldName = z
  .string()
  .refine(isFieldName, { error: 'must begin with a-z, and have 1-50 of a-z 0-9 _' })
  .meta({ exact: { pattern: matchWhole(FIELD_NAME), examples: ['owner'] } })

/** Trimmed; duplicates are dropped. */
const Choices = z
  .array(
    line(MAX_CHOICE)
      .trim()
      .min(1, 'must not be blank')
      .meta({ exact: { pattern: '\\S' } }),
  )
  .max(MAX_CHOICES)
  .nullable()
  .transform((choices) => [...new Set(choices ?? [])])
  .describe('The values of a choice')

const bound = z.number().nullable()

const key = {
  resource: z
    .enum(CUSTOM_RESOURCES)
    .describe('Whose objects have the field; `addresses` are those of devices, and reservations'),
  name: FieldName.describe('The name in `custom`, unique in its resource'),
  type: z.enum(FIELD_TYPES),
}

const fields = {
  label: text(128).describe('The name in forms and tables; the name of the field, where empty'),
  multiple: flagOr(false).describe('A choice or a reference with several values'),
  choices: Choices,
  reference_to: z
    .enum([...REFERENCE_TARGETS, ''], { error: `must be one of ${REFERENCE_TARGETS.join(', ')}` })
    .nullable()
    .transform((resource) => resource || null)
    .describe('The resource that a reference names'),
  required: flagOr(false).describe('Objects need a value from now on'),
  unique: flagOr(false).describe('No two objects have the same value, in any case'),
  default: z
    .union([line(MAX_TEXT), z.number(), z.boolean(), z.array(line(MAX_TEXT)).max(MAX_VALUES)])
    .nullable()
    .transform((value) => (value === '' ? null : value))
    .describe('The value of a new object that is created without one'),
  pattern: text(MAX_PATTERN).describe('A regular expression in the syntax of RE2 that the whole text matches'),
  minimum: bound.describe('The least integer or number'),
  maximum: bound.describe('The greatest integer or number'),
  searchable: flagOr(false).describe('Searches find the values of a text, a choice or a URL'),
  description: text(4096).describe('The help text'),
  group: text(128).describe('The heading above the field in forms'),
  position: numberOr(0, { min: -MAX_POSITION, max: MAX_POSITION }).describe('The order of the fields of a group'),
  refs: RefsInput,
  managed_by: ManagedBy,
}

export const CustomFieldDraft = z.object({ id: NewId.optional(), ...key, ...draft(fields) })
export type CustomFieldDraft = z.output<typeof CustomFieldDraft>

export const CustomFieldPatch = z.object({ id: idOf('custom-fields'), ...patch({ ...key, ...fields }) })
export type CustomFieldPatch = z.output<typeof CustomFieldPatch>

const One = z.object({ id: idOf('custom-fields') })

export const customFields = {
  list: operation({
    name: 'custom-fields.list',
    summary: 'List custom fields, by resource, group, position and name',
    http: 'GET /api/custom-fields',
    supportsAsOf: true,
    access: 'custom-fields:list',
    scope: 'filter',
    // The objects that have values.
    shows: INVENTORY.filter((resource) => resource !== 'custom-fields'),
    input: () =>
      z.object({
        resource: z.enum(CUSTOM_RESOURCES).optional().describe('Only the fields of this resource'),
        managed_by: ManagedByFilter,
        include: z
          .array(z.enum(['usage']))
          .optional()
          .describe('usage adds how many objects have a value'),
        ...Page,
      }),
    output: () => z.array(CustomField),
  }),
  create: operation({
    name: 'custom-fields.create',
    summary: 'Define a custom field of a resource',
    http: 'POST /api/custom-fields',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'custom-fields:create',
    cli: { args: ['resource', 'name', 'type'] },
    input: CustomFieldDraft,
    output: CustomField,
  }),
  get: operation({
    name: 'custom-fields.get',
    summary: 'Show a custom field',
    http: 'GET /api/custom-fields/{id}',
    supportsAsOf: true,
    access: 'custom-fields:read',
    scope: 'checkPath',
    input: One,
    output: CustomField,
  }),
  update: operation({
    name: 'custom-fields.update',
    summary: 'Change a custom field; a new name renames the values of all objects',
    description: BY_REF,
    http: 'PUT /api/custom-fields/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'custom-fields:update',
    input: CustomFieldPatch,
    output: CustomField,
  }),
  delete: operation({
    name: 'custom-fields.delete',
    summary: 'Delete a custom field; one with values only with `force`, which deletes them too',
    http: 'DELETE /api/custom-fields/{id}',
    hasHistory: true,
    access: 'custom-fields:delete',
    input: () =>
      z.object({ ...One.shape, force: z.boolean().optional().describe('Deletes the values of all objects too') }),
    output: () => z.void(),
  }),
}
