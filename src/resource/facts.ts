/**
 * The facts of a resource: all that is declared about a noun once, and from which its schemas, operations, rows and forms follow. A fact
 * is a value without behavior. Imports nothing, because the command line and the browser load it.
 */

type CommonFacts = {
  /** Describes the field in inputs, and in answers without `answer`. */
  readonly description?: string
  /** Describes the field in answers; `''` for no description there. */
  readonly answer?: string
  /** A value for examples, if a value by the type breaks a rule. */
  readonly example?: string | number
  /** A create needs a value, and an update cannot clear it. */
  readonly required?: true
  /** An answer has the field only with a value. */
  readonly onlyWithValue?: true
  /** The rules compute the stored value: the field is in answers and not in inputs. */
  readonly isComputed?: true
  /**
   * A filter of the list: by the value, by a part of the text, by the text in any case, or by the object that the field refers to and all
   * objects below it.
   */
  readonly filter?: 'equal' | 'part' | 'same' | 'within'
}

/**
 * The effect on objects that refer to a deleted object: the reference is cleared, they are deleted, the deletion is refused, or they refer to
 * the parent of the deleted object.
 */
export type OnDelete = 'clear' | 'cascade' | 'refuse' | 'parent'

type NameFacts = {
  readonly type: 'name'
  /** Characters, if fewer than those of other names. */
  readonly max?: number
}
type TextFacts = {
  readonly type: 'text'
  /** Characters. */
  readonly max: number
  /** White space at both ends is removed. A required text always loses it. */
  readonly trim?: true
  /** A rule of `text-rules.ts`. */
  readonly rule?: 'HOST_NAME' | 'DOMAIN_NAME'
}
type NumberFacts = {
  readonly type: 'integer' | 'number'
  readonly min?: number
  readonly max?: number
  /** The value is a multiple of it. */
  readonly step?: number
  /** The value of a field without one. Without it, an absent value is null. */
  readonly usual?: number
}
type FlagFacts = { readonly type: 'flag'; readonly usual: boolean }
type ChoiceFacts = { readonly type: 'choice'; readonly of: readonly string[]; readonly usual?: string }
type ListFacts = { readonly type: 'tags' }
type TimeFacts = { readonly type: 'moment' | 'date' }
type AddressFacts = { readonly type: 'ip' | 'mac' }
type ReferenceFacts = { readonly type: 'reference'; readonly to: string; readonly onDelete?: OnDelete }
/** A field with schemas that are given to `crud()`. It is stored as JSON text, or by the store of its resource. */
type OwnFacts = {
  readonly type: 'own'
  /** How a cell of a file holds the value: a list, a list of numbers or of addresses, or JSON; by default a text. */
  readonly cell?: 'list' | 'numbers' | 'addresses' | 'record'
}

export type FieldFacts = CommonFacts &
  (
    | NameFacts
    | TextFacts
    | NumberFacts
    | FlagFacts
    | ChoiceFacts
    | ListFacts
    | TimeFacts
    | AddressFacts
    | ReferenceFacts
    | OwnFacts
  )

/** A field of answers that is computed when they are made. */
export type ComputedFacts = {
  /**
   * `ids` of objects of the resource `of`; `own` has a schema of its own. Callers who may list some objects of `of` only see what follows
   * from these.
   */
  readonly type: 'ids' | 'own'
  readonly of?: string
  /** The field that it stands behind in answers. */
  readonly after: string
  readonly answer?: string
}

/**
 * The objects that a scope contains: the objects of its areas, or the objects with references to such objects. `read in area`: a grant in a
 * scope only permits reads of the objects of its areas. `everywhere`: it permits reads of all objects.
 */
export type ScopeFacts = 'area' | { readonly follows: string | readonly string[] } | 'read in area' | 'everywhere'

export type ResourceFacts = {
  /** Plural, in kebab case: the URL, the operations, the permissions and, with `_` for `-`, the table. */
  readonly name: string
  /** Singular, as in texts: `VLAN`. */
  readonly noun: string
  /** Plural, in the descriptions of permissions; by default the name. */
  readonly plural?: string
  /** The name of the schema in the OpenAPI document. */
  readonly schema: string
  /** In the order of answers. */
  readonly fields: Readonly<Record<string, FieldFacts>>
  /** Fields that stand behind `managed_by` in inputs, and before `custom` in answers. */
  readonly laterFields?: Readonly<Record<string, FieldFacts>>
  readonly computed?: Readonly<Record<string, ComputedFacts>>
  /** The columns of tables on the command line. */
  readonly columns: readonly string[]
  /** The fields with values that are unique together, in any case. */
  readonly identity?: readonly string[]
  /** The fields that an update cannot change. */
  readonly fixed?: readonly string[]
  /** Rows of estate documents find an object by its name in the objects of these fields. */
  readonly within?: readonly string[]
  /** The field of the object of the same resource that an object is below. */
  readonly parent?: string
  /** These fields tell objects of one name apart. */
  readonly apart?: readonly string[]
  /** The order of the fields in forms and files, if it is not the order of answers. A field that is not named comes last. */
  readonly inputs?: readonly string[]
  /** A field that is shown beside the label where an object is chosen. */
  readonly detail?: string
  /** The resources with events that refresh its lists and pages in the web UI, besides the resources of `computed`. */
  readonly refreshedBy?: readonly string[]
  /** The order of the list; by default the name. */
  readonly order?: readonly string[]
  /** Fields by which the list can be sorted besides the name and the times. */
  readonly sorts?: readonly string[]
  /** The field that names an object in messages, and that lists are sorted by as names are; by default `name`. */
  readonly label?: string
  /** The column of its collation key, if it is not `<label>_order`. */
  readonly orderColumn?: string
  /** The object has ids of other systems; false for none. */
  readonly refs?: false
  /** The object has no time of its last change. */
  readonly updates?: false
  /** The place of the values of custom fields in answers; absent without them. */
  readonly custom?: 'last' | 'before times'
  /** The resource of their definitions, if that is another one. */
  readonly customOf?: string
  /** The field with the id of the kind of their definitions. */
  readonly customBy?: string
  readonly scope: ScopeFacts
  /** `read`: operators list and read the objects, and only administrators change them. By default operators also create and update them. */
  readonly operators?: 'read'
  /** No write of it can be proposed. */
  readonly proposes?: false
  /** The words of operations: `{ list: 'List VLANs, by number' }`. */
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'delete', string>>
  /** The positional arguments of `create` on the command line. */
  readonly args: readonly string[]
  /** The operations that an AI client sees without a search. */
  readonly mcp?: readonly ('list' | 'create' | 'get' | 'update' | 'delete')[]
  /** The page is hidden where no object exists. An export of all leaves out an empty list, unless it is only the page. */
  readonly isOptional?: true | 'page'
  /** The texts of its events, if they are not the usual ones. */
  readonly eventTexts?: { readonly created?: string; readonly updated?: string }
  /** Fields that the global search finds, the label first. */
  readonly search?: readonly string[]
  /** There may be so many objects that a migration has made an index of the fields of `search` and `custom`. */
  readonly hasSearchIndex?: true
  /** Its position in lists with another order than the registry. A resource without one comes last. */
  readonly ranks?: Readonly<Partial<Record<'events' | 'custom' | 'menu' | 'search', number>>>
}

/** Keeps the exact type of the facts. */
export const resource = <const F extends ResourceFacts>(facts: F): F => facts

type Empty = Readonly<Record<never, never>>
type LaterFields<F extends ResourceFacts> = F extends {
  readonly laterFields: infer L extends Readonly<Record<string, FieldFacts>>
}
  ? L
  : Empty

/** All stored fields of a resource, but `id`, refs, owner, times and custom values. */
export type FieldsOf<F extends ResourceFacts> = F['fields'] & LaterFields<F>

export type Computed<F extends ResourceFacts> = F extends {
  readonly computed: infer C extends Readonly<Record<string, ComputedFacts>>
}
  ? C
  : Empty

type IsNullable<F extends FieldFacts> = F extends { readonly required: true } | { readonly usual: unknown }
  ? false
  : true
type OrNull<F extends FieldFacts, T> = IsNullable<F> extends true ? T | null : T

/** The value of a field in an object, if it is not `own`. */
export type ValueOf<F extends FieldFacts> = F extends { readonly type: 'name' | 'text' | 'mac' }
  ? string
  : F extends { readonly type: 'integer' | 'number' }
    ? OrNull<F, number>
    : F extends { readonly type: 'flag' }
      ? boolean
      : F extends { readonly type: 'choice'; readonly of: readonly (infer C)[] }
        ? OrNull<F, C>
        : F extends { readonly type: 'tags' }
          ? string[]
          : F extends { readonly type: 'reference' | 'moment' | 'date' | 'ip' }
            ? OrNull<F, string>
            : never

type List = keyof NonNullable<ResourceFacts['ranks']>

/** Returns the position of a resource in a list. */
export const getRank = ({ ranks }: ResourceFacts, list: List): number => ranks?.[list] ?? Number.POSITIVE_INFINITY

/** Returns resources in the order of a list. */
export const sortByRank = <F extends ResourceFacts>(all: readonly F[], list: List): readonly F[] =>
  all.toSorted((a, b) => (getRank(a, list) === getRank(b, list) ? 0 : getRank(a, list) - getRank(b, list)))

/** True for a resource with objects that are inside or outside a scope. */
export const isInScopes = ({ scope }: ResourceFacts): boolean => scope === 'area' || typeof scope === 'object'

/** Returns the fields with the objects that decide the scopes of an object. */
export const listFollowed = ({ scope }: ResourceFacts): readonly string[] =>
  typeof scope === 'object' ? [scope.follows].flat() : []

/** Returns all stored fields, in the order of answers. */
export const listFields = ({ fields, laterFields = {} }: ResourceFacts): [string, FieldFacts][] => [
  ...Object.entries(fields),
  ...Object.entries(laterFields),
]

/** Returns the resources of objects that filters of the list take with the objects below them. */
export const listTrees = ({ fields }: ResourceFacts): string[] => [
  ...new Set(
    Object.values(fields).flatMap((field) =>
      field.type === 'reference' && field.filter === 'within' ? [field.to] : [],
    ),
  ),
]

/**
 * Returns an object whose later fields stand in the order of answers, before the values of custom fields; the optional ones of them only
 * with a value.
 */
export const arrangeLater = <T extends object>(facts: ResourceFacts, object: T): T => {
  const later = Object.entries(facts.laterFields ?? {})
  if (later.length === 0) return object
  const { custom, ...own } = { ...object } as Record<string, unknown>
  const given = later.map(([name, { onlyWithValue }]) => {
    const value = own[name]
    delete own[name]
    return onlyWithValue && (value ?? '') === '' ? {} : { [name]: value }
  })
  // The same fields in another order.
  return Object.assign(own, ...given, custom === undefined ? {} : { custom }) as T
}

/** Returns the value of a field without one. An object that the history makes again may lack a field that came later. */
const getEmptyValue = (facts: FieldFacts): unknown => {
  if ('usual' in facts) return facts.usual ?? null
  if (facts.type === 'text' || facts.type === 'mac') return ''
  return facts.type === 'tags' ? [] : null
}

/** Returns the values of these fields. Fields that the rules compute keep their place. */
export const pickFields = (
  of: ResourceFacts['fields'],
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(of).flatMap(([field, one]) =>
      one.onlyWithValue && !input[field] ? [] : [[field, input[field] ?? getEmptyValue(one)]],
    ),
  )

/** True for a resource of objects that have ids of other systems. */
export const hasRefs = ({ refs }: ResourceFacts): boolean => refs !== false

/**
 * Returns the names of the fields of an object in the order of answers.
 * @param fields the fields in the order of `fields`, with computed ones among them
 */
export const orderAnswer = (facts: ResourceFacts): string[] => {
  const computed = Object.entries(facts.computed ?? {})
  const times = facts.updates === false ? ['created_at'] : ['created_at', 'updated_at']
  const owned = [...(hasRefs(facts) ? ['refs'] : []), 'managed_by']
  const later = Object.keys(facts.laterFields ?? {})
  const custom = facts.custom === undefined ? [] : ['custom']
  const last = facts.custom === 'before times' ? [...later, ...custom, ...times] : [...times, ...later, ...custom]
  const stored = ['id', ...Object.keys(facts.fields), ...owned, ...last]
  return stored.flatMap((name) => [
    name,
    ...computed.filter(([, { after }]) => after === name).map(([computedName]) => computedName),
  ])
}
