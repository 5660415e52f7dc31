/** A resource as its facts declare it: its form, how it is read and written, and the queries that a change affects. */
import { RESOURCES } from '../../../src/inventory/resources.ts'
import { listFields, type ResourceFacts } from '../../../src/resource/facts.ts'
import { toKind } from '../../../src/resource/nouns.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import type { CustomResource } from '../custom-fields/values.ts'
import { RESOURCE_KEYS } from '../live/keys.ts'
import { createCrud } from './crud.ts'
import { getOperations } from './facts/lists.ts'
import { buildFormFields, type Fields } from './fields.ts'
import type { FieldSpec, Resource } from './resource.ts'

export type DeclaredFacts = (typeof RESOURCES)[number]

type Parts<T> = Partial<Resource<T>> & {
  /** The fields that come first in forms. */
  readonly order?: readonly string[]
  readonly controls?: Readonly<Record<string, Partial<FieldSpec>>>
  /** First parts of the keys of further queries that a change affects. */
  readonly affects?: readonly string[]
}

const refersTo = (facts: ResourceFacts, name: string): boolean =>
  listFields(facts).some(([, field]) => field.type === 'reference' && field.to === name)

/** Returns the keys of the queries that a change of a resource affects, also by the deletion of an object that others refer to. */
export const listChangedKeys = ({ name }: ResourceFacts): readonly string[] => [
  ...(RESOURCE_KEYS[name] ?? []),
  ...RESOURCES.filter((other) => refersTo(other, name)).flatMap((other) => [other.name, toKind(other.name)]),
]

type Operations = Parameters<typeof createCrud>[0]
type Crud<T> = Omit<Resource<T>, 'noun' | 'fields' | 'getName' | 'changes'>

/** Returns a resource with a form of all its fields. @param fields its declaration */
export const buildResource = <T extends object>(
  facts: DeclaredFacts,
  fields: Fields<T>,
  { order = [], controls = {}, affects = [], ...parts }: Parts<T> = {},
): Resource<T> => {
  const { name, noun, label = 'name', custom, customOf = name }: ResourceFacts = facts
  return {
    noun,
    fields: buildFormFields(fields, order, {
      // A resource with custom fields, or the resource of their definitions.
      ...(custom !== undefined && { custom: buildCustomControl(customOf as CustomResource) }),
      ...controls,
    }),
    getName: (object) => String(Reflect.get(object, label) ?? ''),
    // Every resource has these operations, and its objects are what `get` answers.
    ...(createCrud(getOperations(facts.name) as Operations) as Crud<T>),
    changes: [...listChangedKeys(facts), ...affects],
    ...parts,
  }
}
