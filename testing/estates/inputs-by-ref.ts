/** Builds inputs of an operation from ids: for its path, and for each other field that names an object. */
import { type FieldSchema, getInputSchema, listChoices, stripNull } from '../../src/contract/input-schema.ts'
import { parseHttp, takesQuery } from '../../src/kernel/http-route.ts'
import { type AnyOperation, getNoun } from '../../src/kernel/operation.ts'

/** Ids by the resource that a field refers to; by name for parameters of a path that refer to none. */
export type Ids = Readonly<Record<string, string>>

/** A call, named by the field that is about another object than its path. */
export type Call = { readonly field: string; readonly input: Readonly<Record<string, unknown>> }

/** Values of required fields, by name. */
const VALUES: Readonly<Record<string, unknown>> = {
  q: 'machine',
  query: '10.2.0.11',
  prefix_length: 28,
  subnet: '10.1.7.0/24',
  ip: '10.1.0.71',
  ip_address: '10.1.0.70',
  port: 'spare',
  start_ip: '10.1.0.200',
  end_ip: '10.1.0.210',
  vlan_id: 77,
  from: '1h',
}

/** Returns a value without a reference, where the field is required. */
const plain = (name: string, schema: FieldSchema): unknown => {
  if (Object.hasOwn(VALUES, name)) return VALUES[name]
  const { type, properties, required = [], items, minimum = 1, default: preset } = stripNull(schema)
  const [choice] = listChoices(stripNull(schema))
  if (preset !== undefined) return preset
  if (choice !== undefined) return choice
  if (type === 'object')
    return Object.fromEntries(
      required.flatMap((key) => (properties?.[key] ? [[key, plain(key, properties[key])]] : [])),
    )
  if (type === 'array') return items ? [plain(name, items)] : []
  if (type === 'integer' || type === 'number') return minimum
  return type === 'boolean' ? true : 'new'
}

/** A reference in an input: the field, and its value around an id. */
type Place = { readonly field: string; readonly ref: string; readonly around: (id: string) => unknown }

const placesIn = (field: string, schema: FieldSchema): Place[] => {
  const { ref, items, properties = {}, required = [] } = stripNull(schema)
  if (ref !== undefined) return [{ field, ref, around: (id) => id }]
  if (items)
    return placesIn(field, items).map((inner) => ({
      ...inner,
      field: `${inner.field}[]`,
      around: (id) => [inner.around(id)],
    }))
  const others = (but: string) =>
    Object.fromEntries(
      required.flatMap((key) => (key !== but && properties[key] ? [[key, plain(key, properties[key])]] : [])),
    )
  return Object.entries(properties).flatMap(([key, one]) =>
    placesIn(`${field}.${key}`, one).map((inner) => ({
      ...inner,
      around: (id: string) => ({ ...others(key), [key]: inner.around(id) }),
    })),
  )
}

/** Returns the parameters of the path with these ids. */
export const paramsOf = (op: Pick<AnyOperation, 'http' | 'input' | 'name'>, ids: Ids): Record<string, string> => {
  const { properties = {} } = getInputSchema(op.input)
  return Object.fromEntries(
    parseHttp(op.http).params.map((name) => {
      const { ref } = stripNull(properties[name] ?? {})
      return [name, ids[ref ?? name] ?? ids[getNoun(op)] ?? 'none']
    }),
  )
}

/** Inputs with items that the schema lacks, and inputs that need two objects. */
const itemsOf = (own: Ids, about: Ids): Readonly<Record<string, readonly object[]>> => {
  const bulk = (noun: string, resource: string, fields: object) => [
    { op: 'update', id: about[resource], [noun]: { description: 'x' } },
    { op: 'delete', id: about[resource] },
    { op: 'update', id: own[resource], [noun]: fields },
    { op: 'create', [noun]: { name: 'new', subnet: VALUES.subnet, ...fields } },
  ]
  const inBulk = (items: readonly object[]) =>
    items.flatMap((item) => [true, false].map((atomic) => ({ atomic, operations: [item] })))
  return {
    'devices.bulk': inBulk(bulk('device', 'devices', { datacenter_id: about.datacenters })),
    'objects.bulk': inBulk(bulk('object', 'objects', { kind_id: own.kinds, parent_id: about.objects })),
    'networks.bulk': inBulk(bulk('network', 'networks', { datacenter_id: about.datacenters })),
    'ports.bulk': inBulk(bulk('port', 'ports', { device_id: about.devices })),
    'cables.bulk': inBulk(bulk('cable', 'cables', { a: { port_id: about.ports }, b: { port_id: own.ports } })),
    'networks.merge': [{ network_ids: [own.networks, about.networks] }],
  }
}

/**
 * Returns the calls of an operation that are about the objects of `about`: by its path, and by each other reference, where the path is about
 * the objects of `own`.
 */
export const callsAbout = (op: AnyOperation, { own, about }: { readonly own: Ids; readonly about: Ids }): Call[] => {
  const { properties = {}, required = [] } = getInputSchema(op.input)
  const { params } = parseHttp(op.http)
  const given = Object.fromEntries(
    required.flatMap((name) => {
      const { [name]: schema } = properties
      if (!schema || params.includes(name)) return []
      const [place] = placesIn(name, schema)
      return [[name, place ? place.around(about[place.ref] ?? 'none') : plain(name, schema)]]
    }),
  )
  const others = Object.entries(properties)
    .filter(([name]) => !params.includes(name))
    .flatMap(([name, schema]) => placesIn(name, schema).map((place) => ({ ...place, name })))
  return [
    { field: 'path', input: { ...given, ...paramsOf(op, about) } },
    ...others.map(({ name, field, ref, around }) => ({
      field,
      input: { ...given, ...paramsOf(op, own), [name]: around(about[ref] ?? 'none') },
    })),
    ...(itemsOf(own, about)[op.name] ?? []).map((input) => ({ field: JSON.stringify(input), input: { ...input } })),
  ]
}

/** Returns the request of a call: `POST /api/...`, and its body. */
export const requestOf = (
  op: AnyOperation,
  { input }: Call,
): { readonly http: string; readonly body?: Readonly<Record<string, unknown>> } => {
  const { method, path, params } = parseHttp(op.http)
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = Object.entries(input).filter(([name]) => !params.includes(name))
  if (!takesQuery(method)) return { http: `${method} ${at}`, body: Object.fromEntries(rest) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) for (const one of [value].flat()) query.append(name, String(one))
  return { http: `${method} ${at}${rest.length > 0 ? `?${query}` : ''}` }
}
