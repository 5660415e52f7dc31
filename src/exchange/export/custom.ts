/** The values of custom fields in an exported document: references by names, and null where a default would be filled in. */
import { getOwn } from '../../contract/own.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import * as customFields from '../../inventory/custom-fields/custom-fields.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document } from '../../record/history/kinds.ts'
import { type CustomResource, type ReferenceTarget, toObjectResource } from '../../resource/custom/fields.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import { getCustomResource } from '../apply/custom-references.ts'
import type { Names } from './names.ts'

type Field = Pick<CustomField, 'name' | 'type' | 'reference_to' | 'default'>
type Fields = Readonly<Record<string, unknown>>

const replaceIds = (target: ReferenceTarget, value: unknown, names: Names): unknown => {
  const one = (id: unknown) => names.reference(toObjectResource(target), String(id), { kind_id: target })
  return Array.isArray(value) ? value.map(one) : one(value)
}

/** Returns a definition with a name as its default, if it is a reference. */
const replaceDefaultIds = (row: Fields, names: Names): Fields => {
  const target = toText(row.reference_to)
  return target !== '' && row.default !== undefined ? { ...row, default: replaceIds(target, row.default, names) } : row
}

export class CustomExport {
  readonly #fields: ReadonlyMap<CustomResource, readonly Field[]>

  private constructor(fields: ReadonlyMap<CustomResource, readonly Field[]>) {
    this.#fields = fields
  }

  static async read(ctx: Ctx): Promise<CustomExport> {
    return new CustomExport(Map.groupBy(await customFields.findAll(ctx), ({ resource }) => resource))
  }

  /** Returns the ids of the devices that the values of objects name. */
  devicesIn(resource: Resource, documents: readonly Document[]): string[] {
    const listDeviceIds = (of: CustomResource, custom: unknown): string[] =>
      !isRecord(custom)
        ? []
        : this.#of(of)
            .filter(({ reference_to }) => reference_to === 'devices')
            .flatMap(({ name }) => [getOwn(custom, name) ?? []].flat().map(String))
    if (resource === 'custom-fields')
      return documents.flatMap(({ reference_to, default: usual }) =>
        reference_to === 'devices' ? [usual ?? []].flat().map(String) : [],
      )
    return documents.flatMap((document) => {
      const { custom, addresses } = document
      const own = getCustomResource(resource, document)
      return [
        ...(own === undefined ? [] : listDeviceIds(own, custom)),
        ...(Array.isArray(addresses) ? addresses.flatMap((one: Fields) => listDeviceIds('addresses', one.custom)) : []),
      ]
    })
  }

  /** Returns a row with its values as an apply reads them. @param document the object of the row */
  row(resource: Resource, row: Fields, { document, names }: { document: Document; names: Names }): Fields {
    if (resource === 'custom-fields') return replaceDefaultIds(row, names)
    const own = getCustomResource(resource, document)
    const { addresses } = row
    const changed = own === undefined ? row : this.#holder(own, row, names)
    if (resource !== 'devices' || !Array.isArray(addresses) || this.#of('addresses').length === 0) return changed
    return { ...changed, addresses: addresses.map((one: Fields) => this.#holder('addresses', one, names)) }
  }

  #holder(resource: CustomResource, row: Fields, names: Names): Fields {
    const fields = this.#of(resource)
    if (fields.length === 0) return row
    const values = isRecord(row.custom) ? row.custom : {}
    const custom: Record<string, unknown> = { ...values }
    for (const { name, type, reference_to, default: usual } of fields) {
      const value = getOwn(values, name)
      if (value === undefined) {
        if (usual !== null) custom[name] = null
      } else if (type === 'reference' && reference_to) {
        custom[name] = replaceIds(reference_to, value, names)
      }
    }
    return Object.keys(custom).length > 0 ? { ...row, custom } : row
  }

  #of(resource: CustomResource): readonly Field[] {
    return this.#fields.get(resource) ?? []
  }
}
