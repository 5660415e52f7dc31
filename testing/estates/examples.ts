/** Bodies that create objects of a resource, made from its facts. No two of one maker conflict. */
import { contracts } from '../../src/app/contracts.ts'
import { FACTS, type Resource, toContractName } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { OperationSet } from '../../src/kernel/operation.ts'
import { type FieldFacts, hasRefs, listFields, type ResourceFacts } from '../../src/resource/facts.ts'

/** Ids of objects that exist, by resource. */
export type Ids = Readonly<Record<string, string>>
export type Body = Readonly<Record<string, unknown>>

/** Returns the word at the beginning of the texts of a resource. */
export type GetWord = (resource: string) => string

/** The place of an object among the objects of its resource: 1 is the first. */
type Place = { readonly n: number; readonly ids: Ids; readonly word?: string }

const toHex = (n: number): string => n.toString(16).padStart(2, '0')

/** Values of fields whose rules are not in the facts. The first network contains all pools, and the first pool all reservations. */
const VALUES: Readonly<Record<string, (place: Place) => unknown>> = {
  'custom-fields.resource': () => 'ports',
  'custom-fields.name': ({ n }) => `field_${n}`,
  'custom-fields.type': () => 'text',
  'custom-fields.multiple': () => false,
  'custom-fields.unique': () => false,
  'custom-fields.choices': () => [],
  'custom-fields.reference_to': () => null,
  'custom-fields.default': () => 'a',
  'custom-fields.pattern': () => 'a+',
  'custom-fields.minimum': () => null,
  'custom-fields.maximum': () => null,
  'custom-fields.only_for': () => ({ field: 'kind', values: ['power'] }),
  'networks.subnet': ({ n }) => `10.${n}.0.0/16`,
  'pools.start_ip': ({ n }) => `10.1.${n}.1`,
  'pools.end_ip': ({ n }) => `10.1.${n}.254`,
  'reservations.ip_address': ({ n }) => `10.1.1.${n}`,
  'device-types.ports': () => [{ name: 'eth0', kind: 'network', type: '1000base-t', pass_through: false }],
  'devices.addresses': ({ n, ids }) => [
    {
      ...{ ip: `10.1.0.${n}`, port: 22, type: 'mgmt', label: 'eth0', network_id: ids.networks, switch_port: 'Gi1/0/1' },
      ...{ interface: 'eth0', pool_id: null },
    },
    {
      ...{ ip: `2001:db8::${n.toString(16)}`, port: null, type: 'ipv6', label: '', network_id: null, switch_port: '' },
      pool_id: null,
    },
  ],
  'devices.domains': ({ n }) => [`d${n}.example.com`, '*.example.com', '_sip._tcp.example.com'],
  // A device in a rack keeps the datacenter of the rack, so a place is no part of the example.
  'devices.mount': () => undefined,
  'ports.parent_id': () => null,
  'ports.tagged_vlan_ids': () => [8, 9],
  'relationships.child_id': ({ ids }) => ids.child,
  'cables.a': ({ n, ids }) => ({ device_id: ids.devices, port: `a${n}` }),
  'cables.b': ({ n, ids }) => ({ device_id: ids.devices, port: `b${n}` }),
}

/** Values of absent fields, if the type does not tell them; undefined for another value in each object. */
const ABSENT: Readonly<Record<string, unknown>> = {
  'custom-fields.label': undefined,
  'kinds.singular': undefined,
  'custom-fields.choices': [],
  'device-types.ports': [],
  'devices.addresses': [],
  'devices.domains': [],
  'ports.tagged_vlan_ids': [],
}

const countNumber = ({ min = 0, max = 1000, step = 1 }: { min?: number; max?: number; step?: number }, n: number) =>
  min + ((n * step) % (max - min))

/** Times of one object follow each other, and times of two objects do not overlap. */
const toTime = (n: number, index: number): string => new Date(Date.UTC(2030, 0, 1, n, index)).toISOString()

const buildText = (fact: FieldFacts & { type: 'text' }, name: string, { n, word }: Place): string => {
  if (fact.rule !== undefined)
    return `${word === undefined ? '' : `${word.replaceAll(' ', '-')}.`}${name}-${n}.example.com`
  return `${word === undefined ? '' : `${word} `}${name} ${n}`.slice(0, fact.max)
}

const buildValue = (fact: FieldFacts, name: string, place: Place & { readonly index: number }): unknown => {
  const { n, index, ids, word = 'Name' } = place
  switch (fact.type) {
    case 'name':
      return `${word} ${n}`
    case 'text':
      return buildText(fact, name, place)
    case 'integer':
    case 'number':
      return countNumber(fact, n)
    case 'flag':
      return !fact.usual
    case 'choice':
      return fact.of.findLast((one) => one !== fact.usual)
    case 'tags':
      return ['a', `tag ${n}`]
    case 'moment':
      return toTime(n, index)
    case 'date':
      return toTime(n, index).slice(0, 10)
    case 'mac':
      return `02:00:00:00:00:${toHex(n)}`
    case 'ip':
      return `192.0.2.${n}`
    case 'reference':
      return ids[fact.to] ?? null
    case 'own':
      throw new Error(`VALUES of testing/estates/examples.ts has no ${name}`)
  }
}

/** Returns the fields of inputs, with those of the path. */
export const listInputs = (facts: ResourceFacts): [string, FieldFacts][] =>
  listFields(facts).filter(([, { isComputed }]) => !isComputed)

/** Returns the values of all fields, or of the required fields, of the object number `n`. */
export const buildExample = (facts: ResourceFacts, place: Place, fields: 'all' | 'required' = 'all'): Body =>
  Object.fromEntries(
    listInputs(facts).flatMap(([name, fact], index) => {
      if (fields === 'required' && fact.required === undefined && fact.type !== 'name') return []
      const own = VALUES[`${facts.name}.${name}`]
      const value = own ? own(place) : buildValue(fact, name, { ...place, index })
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** True for a text that may be any text. */
export const isFreeText = (facts: ResourceFacts, name: string, fact: FieldFacts): boolean =>
  fact.type === 'text' && !fact.required && !fact.isComputed && !fact.rule && !VALUES[`${facts.name}.${name}`]

/** Returns a change of one field that needs no other. */
export const buildTextChange = (facts: ResourceFacts, text = 'changed'): Body => {
  const texts = listInputs(facts).filter(([name, fact]) => isFreeText(facts, name, fact))
  const [name = ''] = texts.find(([one]) => one === 'description') ?? texts[0] ?? []
  return { [name]: text }
}

/** Returns the values that a create gives to the fields that it does not name. Fields that an answer then lacks are not among them. */
export const buildDefaults = (facts: ResourceFacts): Body => {
  const values = listInputs(facts).flatMap(([name, fact]): [string, unknown][] => {
    if (fact.required || fact.type === 'name' || fact.onlyWithValue) return []
    const key = `${facts.name}.${name}`
    if (Object.hasOwn(ABSENT, key)) return ABSENT[key] === undefined ? [] : [[name, ABSENT[key]]]
    if ('usual' in fact) return [[name, fact.usual]]
    if (fact.type === 'tags') return [[name, []]]
    return [[name, fact.type === 'text' || fact.type === 'mac' ? '' : null]]
  })
  return { ...Object.fromEntries(values), ...(hasRefs(facts) ? { refs: {} } : {}), managed_by: '' }
}

/** A create of an object: its address, its body, and all fields of the object with those of the address. */
export type Create = { readonly path: string; readonly body: Body; readonly whole: Body }

/** Makes the creates of a suite. @param ids the objects that new ones refer to */
export const createExamples = (ids: Ids, counts: Record<string, number> = {}, getWord?: GetWord) => {
  const place = (resource: Resource): Place => {
    const n = (counts[resource] ?? 0) + 1
    counts[resource] = n
    return { n, ids, ...(getWord && { word: getWord(resource) }) }
  }
  const build = (resource: Resource, fields: 'all' | 'required' = 'all'): Create => {
    const { create }: OperationSet = contracts[toContractName(resource)]
    if (!create) throw new Error(`${resource} has no create`)
    const { path, params } = parseHttp(create.http)
    const body = buildExample(FACTS[resource], place(resource), fields)
    const rest = Object.entries(body).filter(([name]) => !params.includes(name))
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => String(body[name] ?? ids.devices))
    return { path: at, body: Object.fromEntries(rest), whole: body }
  }
  /** Returns a change of all fields that an update takes. */
  const buildChange = (resource: Resource): Body => {
    const { update }: OperationSet = contracts[toContractName(resource)]
    const { body } = build(resource)
    const { fixed = [] }: ResourceFacts = FACTS[resource]
    // The only object of its resource is no parent of itself.
    const own = listInputs(FACTS[resource]).flatMap(([name, fact]) =>
      fact.type === 'reference' && fact.to === resource ? [name] : [],
    )
    const left = [...fixed, ...own]
    return Object.fromEntries(
      Object.entries(body).filter(([name]) => update && name in update.input.shape && !left.includes(name)),
    )
  }
  return { build, buildChange, counts }
}
export type Examples = ReturnType<typeof createExamples>
