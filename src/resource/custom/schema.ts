/** The definitions of custom fields as they are sent and given. Browser-safe. */
import { z } from 'zod'
import { line } from '../../contract/fields/fields.ts'
import { isKindId, KIND_ID } from '../../contract/fields/kind-id.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { customFieldFacts } from '../../inventory/custom-fields/resource.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import { crud } from '../crud.ts'
import { CUSTOM_RESOURCES, FIELD_NAME, isFieldName, MAX_TEXT, MAX_VALUES, REFERENCE_TARGETS } from './fields.ts'

const MAX_CHOICES = 500
const MAX_CHOICE = 128

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])

const FieldName = z
  .string()
  .refine(isFieldName, { error: 'must begin with a-z, and have 1-50 of a-z 0-9 _' })
  .meta({ exact: { pattern: matchWhole(FIELD_NAME), examples: ['owner'] } })

/** In the normal form NFC (UAX #15), as names are. */
const Choice = line(MAX_CHOICE)
  .trim()
  .normalize('NFC')
  .min(1, 'must not be blank')
  .meta({ exact: { pattern: '\\S' } })

/** Trimmed; duplicates are dropped. */
const Choices = z
  .array(Choice)
  .max(MAX_CHOICES)
  .nullable()
  .transform((choices) => [...new Set(choices ?? [])])
  .describe('The values of a choice')

const DefaultValue = z
  .union([line(MAX_TEXT), z.number(), z.boolean(), z.array(line(MAX_TEXT)).max(MAX_VALUES)])
  .nullable()
  .transform((value) => (value === '' ? null : value))

const DEFAULT_HINT = 'The value of a new object that is created without one'

const formatResources = (names: readonly string[]): string => `must be one of ${names.join(', ')}, or the id of a kind`

/** The name of a resource, or the id of a kind. Kinds are checked by the rules. */
const buildResource = (names: readonly string[], ...more: readonly string[]) =>
  z
    .string()
    .refine((name) => names.includes(name) || more.includes(name) || isKindId(name), { error: formatResources(names) })
    .meta({ orKind: [...names, ...more] })
const Resource = buildResource(CUSTOM_RESOURCES)
/** A kind that does not exist has no fields, so the filter takes its id. The names of resources have the form of such ids. */
const ResourceFilter = z.string().regex(new RegExp(matchWhole(KIND_ID)), formatResources(CUSTOM_RESOURCES))
const Target = buildResource(REFERENCE_TARGETS)
const ReferenceTo = buildResource(REFERENCE_TARGETS, '')
  .nullable()
  .transform((resource) => resource || null)
const REFERENCE_HINT = 'The resource that a reference names'

const MAX_CONDITION_VALUES = 50
const MAX_CONDITION_VALUE = 128
const MAX_FIELD_PATH = 64

const OnlyFor = z.object({
  field: z.string().describe('A field of the resource, or `custom.<name>`'),
  values: z.array(z.string()).describe('It equals one of them, in any case; ids for a reference'),
})
export type OnlyFor = z.infer<typeof OnlyFor>
const ONLY_FOR_HINT = 'The field applies only to objects for which this holds'

const OnlyForInput = z
  .object({
    field: line(MAX_FIELD_PATH).trim().min(1, 'is required').describe('A field of the resource, or `custom.<name>`'),
    values: z
      .array(
        line(MAX_CONDITION_VALUE)
          .trim()
          .min(1, 'must not be blank')
          .meta({ exact: { pattern: '\\S' } }),
      )
      .min(1)
      .max(MAX_CONDITION_VALUES)
      .transform((values) => [...new Set(values)])
      .describe('It equals one of them, in any case; ids for a reference'),
  })
  .nullable()

export const customFieldCrud = crud(customFieldFacts, {
  schemas: {
    resource: {
      input: Resource.describe('Whose objects have the field; `addresses` are those of devices, and reservations'),
      answer: Resource.describe('Whose objects have the field'),
      filter: ResourceFilter.optional().describe('Only the fields of this resource, or of the kind with this id'),
    },
    name: { input: FieldName.describe('The name in `custom`, unique in its resource'), answer: z.string() },
    choices: { input: Choices, answer: z.array(z.string()) },
    reference_to: { input: ReferenceTo.describe(REFERENCE_HINT), answer: Target.nullable().describe(REFERENCE_HINT) },
    default: { input: DefaultValue.describe(DEFAULT_HINT), answer: Value.nullable().describe(DEFAULT_HINT) },
    only_for: { input: OnlyForInput.describe(ONLY_FOR_HINT), answer: OnlyFor.optional().describe(ONLY_FOR_HINT) },
    objects: { answer: z.int().optional().describe('How many objects have a value, with `include=usage`') },
  },
  filters: {
    include: z
      .array(z.enum(['usage']))
      .optional()
      .describe('usage adds how many objects have a value'),
  },
  patch: {
    rename_choices: z
      .record(Choice, Choice)
      .refine((pairs) => Object.keys(pairs).length <= MAX_CHOICES, {
        error: `must have at most ${MAX_CHOICES} choices`,
      })
      .optional()
      .describe('New names of choices, by their old ones; the values of all objects change with them'),
  },
  // The objects that have values.
  listShows: INVENTORY.filter((resource) => resource !== 'custom-fields'),
})
export const { Item: CustomField, Draft: CustomFieldDraft, Patch: CustomFieldPatch } = customFieldCrud
export type CustomField = z.infer<typeof CustomField>
export type CustomFieldDraft = z.output<typeof CustomFieldDraft>
export type CustomFieldPatch = z.output<typeof CustomFieldPatch>
