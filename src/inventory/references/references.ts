/** Counts the objects that name an object: by custom fields, and objects of kinds also by their built-in fields. */
import { orNotFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { listValues, type Page } from '../../kernel/list.ts'
import { loadFieldsOfType } from '../../resource/custom/definitions.ts'
import { isKindResource, toObjectResource } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import { getNoun } from '../../resource/nouns.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import { COUNTED, type Counted, HOLDERS, REFERENCED, type Reference, type Referenced, references } from './api.ts'
import { countHoldersThen } from './past.ts'
import {
  countByKind,
  countHolders,
  filterDevices,
  findDevicesOfAddresses,
  findTarget,
  type ValueCount,
} from './store.ts'

/** The fields of objects of kinds that name an object of a resource. */
const OWN_FIELDS = {
  datacenters: { field: 'datacenter_id', label: 'Datacenter' },
  objects: { field: 'parent_id', label: 'Parent' },
} as const

const hasOwnFields = (resource: Referenced): resource is keyof typeof OWN_FIELDS => Object.hasOwn(OWN_FIELDS, resource)

/** Returns the context over the objects that the caller may list. A read of the past hides the others already. */
const narrow = (ctx: Ctx): Promise<Ctx> => (ctx.isPast ? Promise.resolve(ctx) : narrowToListed(ctx.unscoped, HOLDERS))

/** Adds the addresses of the devices that the caller may list: the values of addresses are in no scope themselves. */
const addAddresses = async (
  { ctx, listed, counts }: { readonly ctx: Ctx; readonly listed: Ctx; readonly counts: Map<number, ValueCount> },
  fields: readonly StoredField[],
  id: string,
): Promise<void> => {
  const numbers = fields.flatMap(({ resource, number }) => (resource === 'addresses' ? number : []))
  const found = await findDevicesOfAddresses(ctx.unscoped, numbers, id)
  const visible = await filterDevices(listed, [...found.values()].flat())
  for (const [number, devices] of found) {
    const addresses = devices.filter((device) => visible.has(device)).length
    const known = counts.get(number) ?? { all: 0, addresses: 0 }
    counts.set(number, { all: known.all - known.addresses + addresses, addresses })
  }
}

const countValues = async (
  ctx: Ctx,
  { listed, fields, id }: { readonly listed: Ctx; readonly fields: readonly StoredField[]; readonly id: string },
): Promise<Map<number, ValueCount>> => {
  if (ctx.isPast) return countHoldersThen(listed, fields, id)
  const counts = await countHolders(
    listed,
    fields.map(({ number }) => number),
    id,
  )
  if (listed !== ctx) await addAddresses({ ctx, listed, counts }, fields, id)
  return counts
}

const toReferences = (field: StoredField, { all, addresses }: ValueCount): Reference[] => {
  const { resource, name, label } = field
  const build = (of: Counted, objects: number): Reference => ({
    resource: of,
    kind_id: isKindResource(resource) ? resource : null,
    field: `custom.${name}`,
    label,
    objects,
  })
  const counted =
    resource === 'addresses'
      ? [build('addresses', addresses), build('reservations', all - addresses)]
      : // A custom field is of a resource with custom fields.
        [build(toObjectResource(resource) as Counted, all)]
  return counted.filter(({ objects }) => objects > 0)
}

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)

const compare = (a: Reference, b: Reference): number =>
  COUNTED.indexOf(a.resource) - COUNTED.indexOf(b.resource) ||
  compareTexts(a.kind_id ?? '', b.kind_id ?? '') ||
  compareTexts(a.field, b.field)

const countReferences = async (ctx: Ctx, resource: Referenced, id: string): Promise<Reference[]> => {
  const target = orNotFound(await findTarget(ctx.unscoped, resource, id), getNoun(resource), id)
  const listed = await narrow(ctx)
  const all = await loadFieldsOfType(ctx.unscoped, 'reference')
  const fields = all.filter((field) => field.reference_to === target)
  const counts = await countValues(ctx, { listed, fields, id })
  const byValue = fields.flatMap((field) => toReferences(field, counts.get(field.number) ?? { all: 0, addresses: 0 }))
  if (!hasOwnFields(resource)) return byValue.sort(compare)
  const { field, label } = OWN_FIELDS[resource]
  const own = (await countByKind(listed, field, id)).map(
    ({ kind_id, n }): Reference => ({ resource: 'objects', kind_id, field, label, objects: n }),
  )
  return [...byValue, ...own].sort(compare)
}

export const feature: Feature = {
  operations: implement(
    references,
    // One for each of the resources.
    Object.fromEntries(
      REFERENCED.map((resource) => [
        resource,
        async (ctx: Ctx, { id, ...page }: { readonly id: string } & Page) =>
          listValues(await countReferences(ctx, resource, id), page),
      ]),
    ) as Handlers<typeof references, Tables>,
  ),
}
