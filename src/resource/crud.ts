/** The schemas and the five operations of a resource, from its facts. Browser-safe. */
import { z } from 'zod'
import {
  addReferable,
  BY_REF,
  ManagedBy,
  ManagedByFilter,
  Refs,
  RefsInput,
  type RefsPatch,
} from '../contract/fields/external-fields.ts'
import { draft, idOf, NewId, Page, patch, Timestamp } from '../contract/fields/fields.ts'
import { sortField, TIMES } from '../contract/fields/sort.ts'
import { type Operation, operation } from '../kernel/operation.ts'
import {
  type Custom,
  type CustomPatch,
  type CustomResource,
  customFilter,
  customInput,
  customOutput,
} from './custom/fields.ts'
import { nameNext } from './custom/next-text.ts'
import {
  type Computed,
  type FieldFacts,
  type FieldsOf,
  hasRefs,
  isInScopes,
  listFields,
  listTrees,
  orderAnswer,
  type ResourceFacts,
  type ValueOf,
} from './facts.ts'
import { buildAnswerSchema, buildFilterSchema, buildInputSchema } from './field-schemas.ts'

/** The schemas of a field that its facts do not tell. */
type FieldSchemas = {
  readonly input?: z.ZodType
  readonly answer?: z.ZodType
  /** In an update, if it differs from `input`. */
  readonly patch?: z.ZodType
  /** The field as a filter of the list. */
  readonly filter?: z.ZodType
}

/** The parts of the contract of a resource beyond its facts. */
export type More = {
  readonly schemas?: Readonly<Record<string, FieldSchemas>>
  /** The schema of an id that a create chooses. */
  readonly newId?: z.ZodType<string, string>
  /** Further fields of an update. */
  readonly patch?: Readonly<Record<string, z.ZodType>>
  /** Fields of the rows of the list beyond the fields of the objects. */
  readonly listed?: Readonly<Record<string, z.ZodType>>
  /** Further filters of the list, behind `managed_by`. */
  readonly filters?: Readonly<Record<string, z.ZodType>>
  /** The input of the list, if its filters do not follow from the facts. */
  readonly listInput?: () => z.ZodObject
  /** Resources of which an object, or a row of the list, shows more than the ids. */
  readonly shows?: readonly string[]
  readonly listShows?: readonly string[]
  /** Statuses of errors beside the statuses of every operation. */
  readonly deleteErrors?: readonly number[]
  /** The positional arguments of the list on the command line. */
  readonly listArgs?: readonly string[]
}

type Flat<T> = { [K in keyof T & string]: Extract<T[K], z.ZodType> }
type SchemasOf<M, K, Part extends keyof FieldSchemas> = M extends {
  readonly schemas: { readonly [P in K & string]: { readonly [Q in Part]: infer S extends z.ZodType } }
}
  ? S
  : never

type IsRequired<F extends FieldFacts> = F extends { readonly required: true } | { readonly type: 'name' } ? true : false

type GivenSchema<M, K, Part extends keyof FieldSchemas, Else> = [SchemasOf<M, K, Part>] extends [never]
  ? Else
  : SchemasOf<M, K, Part>

type AnswerOf<F extends FieldFacts> = F extends { readonly onlyWithValue: true }
  ? z.ZodOptional<z.ZodType<NonNullable<ValueOf<F>>>>
  : z.ZodType<ValueOf<F>>

type ClearedInput<F extends FieldFacts> = F extends { readonly type: 'choice' | 'moment' | 'date' } ? '' | null : null
type InputValue<F extends FieldFacts> = IsRequired<F> extends true ? ValueOf<F> : ValueOf<F> | ClearedInput<F>
type InputOfField<F extends FieldFacts> = z.ZodType<ValueOf<F>, InputValue<F>>

type Fields<F extends ResourceFacts> = FieldsOf<F> & Readonly<Record<string, FieldFacts>>
type NamesOf<T> = { [K in keyof T]: K }[keyof T] & string
type FieldNames<F extends ResourceFacts> =
  | NamesOf<F['fields']>
  | (F extends { laterFields: infer L } ? NamesOf<L> : never)

type RefsShape<F extends ResourceFacts, S> = F extends { readonly refs: false } ? unknown : S
type CustomShape<F extends ResourceFacts, S> = F extends { readonly custom: string } ? S : unknown
type TimesShape<F extends ResourceFacts> = F extends { readonly updates: false }
  ? { created_at: typeof Timestamp }
  : { created_at: typeof Timestamp; updated_at: typeof Timestamp }

type ComputedSchema<C> = C extends { readonly type: 'ids' } ? z.ZodType<string[]> : z.ZodType<never>

type ItemShape<F extends ResourceFacts, M> = Flat<
  { id: z.ZodString } & {
    [K in FieldNames<F>]: GivenSchema<M, K, 'answer', AnswerOf<Fields<F>[K]>>
  } & {
    [K in keyof Computed<F>]: GivenSchema<M, K, 'answer', ComputedSchema<Computed<F>[K]>>
  } & RefsShape<F, { refs: typeof Refs }> & { managed_by: z.ZodString } & TimesShape<F> &
    CustomShape<F, { custom: z.ZodOptional<z.ZodType<Custom>> }>
>

type InputNames<F extends ResourceFacts> = {
  [K in FieldNames<F>]: Fields<F>[K] extends { readonly isComputed: true } ? never : K
}[FieldNames<F>]

type InputSchemaOf<F extends ResourceFacts, M, K extends FieldNames<F>> = GivenSchema<
  M,
  K,
  'input',
  InputOfField<Fields<F>[K]>
>

type OwnedShape<F extends ResourceFacts> = RefsShape<F, { refs: z.ZodType<RefsPatch, RefsPatch> }> & {
  managed_by: typeof ManagedBy
} & CustomShape<F, { custom: z.ZodType<CustomPatch, CustomPatch> }>

type DraftShape<F extends ResourceFacts, M> = Flat<
  { id: z.ZodOptional<z.ZodType<string, string>> } & {
    [K in InputNames<F>]: IsRequired<Fields<F>[K]> extends true
      ? InputSchemaOf<F, M, K>
      : z.ZodPrefault<InputSchemaOf<F, M, K>>
  } & { [K in keyof OwnedShape<F>]: z.ZodPrefault<OwnedShape<F>[K] & z.ZodType> }
>

type PatchShape<F extends ResourceFacts, M> = Flat<
  { id: z.ZodString } & {
    [K in InputNames<F>]: GivenSchema<M, K, 'patch', z.ZodOptional<InputSchemaOf<F, M, K>>>
  } & (M extends { readonly patch: infer P extends z.ZodRawShape } ? P : unknown) & {
      [K in keyof OwnedShape<F>]: z.ZodOptional<OwnedShape<F>[K] & z.ZodType>
    }
>

type FilterNames<F extends ResourceFacts> = {
  [K in NamesOf<F['fields']>]: F['fields'][K] extends { readonly filter: string } ? K : never
}[NamesOf<F['fields']>]
type FilterOf<F> = F extends { readonly filter: 'equal'; readonly type: 'integer' }
  ? z.ZodOptional<z.ZodNumber>
  : F extends { readonly filter: 'equal'; readonly type: 'flag' }
    ? z.ZodOptional<z.ZodBoolean>
    : F extends { readonly filter: 'equal'; readonly type: 'choice'; readonly of: readonly (infer C extends string)[] }
      ? z.ZodOptional<z.ZodType<C, C>>
      : z.ZodOptional<z.ZodString>

type FactsListShape<F extends ResourceFacts, M> = Flat<
  { [K in FilterNames<F>]: GivenSchema<M, K, 'filter', FilterOf<F['fields'][K]>> } & {
    managed_by: typeof ManagedByFilter
  } & (M extends {
      readonly filters: infer A
    }
      ? A
      : unknown) &
    CustomShape<F, { custom: ReturnType<typeof customFilter>; sort: z.ZodOptional<z.ZodString> }> &
    typeof Page
>
type ListInput<F extends ResourceFacts, M> = M extends { readonly listInput: () => infer I extends z.ZodObject }
  ? I
  : z.ZodObject<FactsListShape<F, M>>

type Item<F extends ResourceFacts, M> = z.ZodObject<ItemShape<F, M>>
type Listed<F extends ResourceFacts, M> = M extends { readonly listed: infer L extends z.ZodRawShape }
  ? z.ZodObject<Flat<ItemShape<F, M> & L>>
  : Item<F, M>
type Draft<F extends ResourceFacts, M> = z.ZodObject<DraftShape<F, M>>
type Patch<F extends ResourceFacts, M> = z.ZodObject<PatchShape<F, M>>
type One = z.ZodObject<{ id: z.ZodString }>

export type Crud<F extends ResourceFacts, M = unknown> = {
  readonly Item: Item<F, M>
  readonly Listed: Listed<F, M>
  readonly Draft: Draft<F, M>
  readonly Patch: Patch<F, M>
  /** An input of the stored fields, all of them optional, as an item of a bulk call. */
  readonly Partial: () => z.ZodObject
  readonly operations: {
    readonly list: Operation<`${F['name']}.list`, `GET /api/${F['name']}`, ListInput<F, M>, z.ZodArray<Listed<F, M>>>
    readonly create: Operation<`${F['name']}.create`, `POST /api/${F['name']}`, Draft<F, M>, Item<F, M>>
    readonly get: Operation<`${F['name']}.get`, `GET /api/${F['name']}/{id}`, One, Item<F, M>>
    readonly update: Operation<`${F['name']}.update`, `PUT /api/${F['name']}/{id}`, Patch<F, M>, Item<F, M>>
    readonly delete: Operation<`${F['name']}.delete`, `DELETE /api/${F['name']}/{id}`, One, z.ZodVoid>
  }
}

type Shape = Record<string, z.ZodType>

const buildItem = (facts: ResourceFacts, { schemas = {} }: More): z.ZodObject => {
  const fields = new Map(listFields(facts))
  const owned: Shape = {
    id: z.string(),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }
  const buildField = (name: string): z.ZodType => {
    const given = schemas[name]?.answer
    if (given) return given
    const field = fields.get(name)
    if (field) return buildAnswerSchema(field)
    const computed = facts.computed?.[name]
    if (computed) return computed.answer ? z.array(z.string()).describe(computed.answer) : z.array(z.string())
    return name === 'custom' ? customOutput(getCustomResource(facts)) : (owned[name] as z.ZodType)
  }
  const { schema, columns } = facts
  const shape = Object.fromEntries(orderAnswer(facts).map((name) => [name, buildField(name)]))
  return z.object(shape).meta({ id: schema, columns })
}

const getCustomResource = ({ name, customOf = name }: ResourceFacts): CustomResource =>
  // The facts of a resource with `custom` name one of them.
  customOf as CustomResource

type Inputs = { readonly required: Shape; readonly clearable: Shape }

const buildInputs = (facts: ResourceFacts, { schemas = {} }: More): Inputs => {
  const inputs = listFields(facts).filter(([, { isComputed }]) => !isComputed)
  const toEntry = ([name, field]: [string, FieldFacts]) => [name, schemas[name]?.input ?? buildInputSchema(field)]
  const isRequired = ([, { type, required }]: [string, FieldFacts]) => type === 'name' || required === true
  const isLater = ([name]: [string, FieldFacts]) => Object.hasOwn(facts.laterFields ?? {}, name)
  const optional = inputs.filter((input) => !isRequired(input))
  return {
    required: Object.fromEntries(inputs.filter(isRequired).map(toEntry)),
    clearable: {
      ...Object.fromEntries(optional.filter((input) => !isLater(input)).map(toEntry)),
      ...(hasRefs(facts) && { refs: RefsInput }),
      managed_by: ManagedBy,
      ...Object.fromEntries(optional.filter(isLater).map(toEntry)),
      ...(facts.custom !== undefined && { custom: customInput(getCustomResource(facts)) }),
    },
  }
}

const buildListInput = (facts: ResourceFacts, { filters, listInput, schemas }: More): (() => z.ZodObject) => {
  if (listInput) return listInput
  const { sorts, fields, custom } = facts
  const filtered = Object.entries(fields).filter(([, { filter }]) => filter !== undefined)
  return () =>
    z.object({
      ...Object.fromEntries(
        filtered.map(([name, field]) => [name, schemas?.[name]?.filter ?? buildFilterSchema(name, field)]),
      ),
      managed_by: ManagedByFilter,
      ...filters,
      ...(custom !== undefined && {
        custom: customFilter(getCustomResource(facts)),
        sort: fields.name ? sortField(sorts) : sortField(sorts, TIMES),
      }),
      ...Page,
    })
}

const buildListed = (facts: ResourceFacts, Item: z.ZodObject, { listed }: More): z.ZodObject => {
  const { schema, columns } = facts
  return listed ? Item.extend(listed).meta({ id: `Listed${schema}`, columns }) : Item
}

/** Returns the schemas of a resource and its five operations. @param more the parts that its facts do not tell */
export const crud = <const F extends ResourceFacts, const M extends More = Readonly<Record<never, never>>>(
  facts: F,
  more?: M,
): Crud<F, M> => {
  const { name, summaries, args, mcp = [] } = facts
  if (hasRefs(facts)) addReferable(name)
  const given: More = more ?? {}
  const Item = buildItem(facts, given)
  const Listed = buildListed(facts, Item, given)
  const { required, clearable } = buildInputs(facts, given)
  const { newId = NewId, shows = [], listShows = [], deleteErrors, listArgs } = given
  const Draft = z.object({ id: newId.optional(), ...required, ...draft(clearable) })
  const changed = Object.entries(patch({ ...required, ...clearable }))
  const Patch = z.object({
    id: idOf(name),
    ...Object.fromEntries(changed.map(([field, schema]) => [field, given.schemas?.[field]?.patch ?? schema])),
    ...given.patch,
  })
  const Partial = () => z.object(patch({ id: newId, ...required, ...clearable, ...given.patch }))
  const One = z.object({ id: idOf(name) })
  const isScoped = isInScopes(facts)
  const write = {
    hasHistory: true,
    ...(facts.proposes === false && { proposes: false }),
    ...(isScoped && ({ scope: 'checkWrite' } as const)),
  } as const
  const computedOf = Object.values(facts.computed ?? {}).flatMap(({ of }) => of ?? [])
  // The trees decide what is in lists and in computed fields.
  const trees = listTrees(facts)
  const shown = [...computedOf, ...(computedOf.length > 0 ? trees : []), ...shows]
  const listShown = [...new Set([...shown, ...trees, ...listShows])]
  const withSlot = (verb: 'list' | 'create' | 'get' | 'update' | 'delete') =>
    mcp.includes(verb) && ({ mcp: 'listed' } as const)
  const byRef = hasRefs(facts) && ({ description: BY_REF, alsoAnswers: { 201: 'same' }, createsByRef: true } as const)
  const operations = {
    list: operation({
      name: `${name}.list`,
      summary: summaries.list,
      http: `GET /api/${name}`,
      supportsAsOf: true,
      access: `${name}:list`,
      scope: 'filter',
      ...(listShown.length > 0 && { shows: listShown }),
      ...withSlot('list'),
      ...(listArgs && { cli: { args: listArgs } }),
      input: buildListInput(facts, given),
      output: () => z.array(Listed),
    }),
    create: operation({
      name: `${name}.create`,
      summary: summaries.create,
      http: `POST /api/${name}`,
      status: 201,
      effect: 'create',
      access: `${name}:create`,
      ...write,
      ...withSlot('create'),
      cli: { args },
      ...(facts.custom !== undefined && { serializeBy: nameNext }),
      input: Draft,
      output: Item,
    }),
    get: operation({
      name: `${name}.get`,
      summary: summaries.get,
      http: `GET /api/${name}/{id}`,
      supportsAsOf: true,
      access: `${name}:read`,
      scope: 'checkPath',
      ...(shown.length > 0 && { shows: shown }),
      ...withSlot('get'),
      input: One,
      output: Item,
    }),
    update: operation({
      name: `${name}.update`,
      summary: summaries.update,
      http: `PUT /api/${name}/{id}`,
      ...byRef,
      access: `${name}:update`,
      ...write,
      ...withSlot('update'),
      input: Patch,
      output: Item,
    }),
    delete: operation({
      name: `${name}.delete`,
      summary: summaries.delete,
      http: `DELETE /api/${name}/{id}`,
      access: `${name}:delete`,
      ...write,
      ...(deleteErrors && { errors: deleteErrors }),
      ...withSlot('delete'),
      input: One,
      output: () => z.void(),
    }),
  }
  // The types compute these shapes from the same facts.
  return { Item, Listed, Draft, Patch, Partial, operations } as unknown as Crud<F, M>
}

/** An object of a resource, as it is sent, if no schema but its facts describes it. */
export type ObjectOf<F extends ResourceFacts> = z.infer<Crud<F>['Item']>
