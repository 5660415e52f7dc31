/** Generates input for an operation from its schema: valid, nearly valid, invalid and hostile. */
import fc from 'fast-check'
import { toInputJsonSchema } from '../../src/contract/validate.ts'
import { type AnyOperation, getNoun } from '../../src/kernel/operation.ts'

/** The keywords in the schemas of inputs. */
type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly ref?: string
}

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\u202egnp.exe',
  '\ufeff',
  '\u2028\u2029',
  'é\u0301😀🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'İıſKß',
  `%_\\'"`,
  '%',
  '_',
  '\\',
  "'",
  '"',
  "' OR 1=1 --",
  "'; DROP TABLE devices; --",
  '" UNION SELECT password_hash FROM users --',
  '*',
  'NEAR(',
  'a AND OR NOT',
  '^"',
  '../../../../etc/passwd',
  '..%2f..%2f',
  '/',
  '?',
  '#',
  '{{7*7}}#{7*7}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '=1+1',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  '9007199254740993',
  '99999999999999999999',
  '10.0.0.0/24',
  '10.0.0.0/33',
  '::/0',
  '0.0.0.0/0',
  '::ffff:10.0.0.1',
  'fe80::1%eth0',
  '10.0.0.1-10.0.0.9',
  '255.255.255.255',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  'x'.repeat(256),
  'x'.repeat(5000),
  '😀'.repeat(2000),
  'x'.repeat(100_000),
]

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 20 }))

const wrongValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e308,
    [],
    {},
    [null],
    [[]],
    { a: 1 },
  ),
  fc.constantFrom<unknown>(
    { toString: 'x' },
    { length: 5 },
    JSON.parse('{"then":1}'),
    { $gt: '' },
    [{ ip: 'x' }],
    Array(200).fill('x'),
  ),
  hostileText,
)

const ADDRESSES = [
  '10.0.0.0',
  '10.0.0.1',
  '10.0.0.20',
  '10.0.0.255',
  '10.0.1.1',
  '2001:db8::1',
  '2001:DB8:0::20',
  '::1',
]
const MOMENTS = [
  '2031-01-02T03:04:05Z',
  '2031-01-02T03:04:05.678+02:00',
  '2001-01-01T00:00:00Z',
  '2031-02-30T00:00:00Z',
]
const EXTREME_MOMENTS = [
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
  '2031-12-31T23:59:60Z',
  '9999-12-31T23:59:59.9999999Z',
]
const SUBNETS = [
  '10.0.0.0/24',
  '10.0.0.5/24',
  '10.0.0.0/16',
  '10.0.0.0/25',
  '0.0.0.0/0',
  '10.0.0.0/32',
  '2001:db8::/64',
  '::/0',
  '::1/128',
]
const HOSTS = [
  'web-1',
  'web-1.example.com',
  'x'.repeat(63),
  'XN--BCHER-KVA',
  'bücher',
  '-x',
  'a..b',
  '*.example.com',
  '_dmarc.example.com',
]
const OBJECT = {
  name: 'x',
  subnet: '10.9.0.0/24',
  hostname: 'h',
  addresses: [{ ip: '10.0.0.77', pool_id: 'pool-4' }],
  tags: ['a', 'a'],
}
/** Valid values for a field of this name if its schema only says text or object. */
const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  subnet: SUBNETS,
  ip: ADDRESSES,
  ip_address: ['10.0.0.50', '10.0.0.51', '10.0.0.10', '2001:db8::10', '10.0.0.1'],
  start_ip: ['10.0.0.5', '10.0.0.10', '2001:db8::', '2001:db8::10'],
  end_ip: ['10.0.0.200', '10.0.0.255', '2001:db8::ffff', '2001:db8::ffff:ffff:ffff:ffff'],
  hostname: HOSTS,
  domains: HOSTS,
  device: [OBJECT, { name: 'y' }, {}, { name: 5 }, { ...OBJECT, addresses: null }],
  network: [OBJECT, { name: 'y' }, {}, { subnet: 'x' }, { vlan_id: 5000 }],
}
const LIKELY = [
  ...ADDRESSES,
  '10.0.0.0/24',
  '10.0.0.0/16',
  '2001:db8::/64',
  'web-1',
  'host.example.com',
  'a b',
  '42',
  'ok',
]

/** Generates the id of an object that exists when the value is made. */
const idFor = (noun: string, ids: Ids): fc.Arbitrary<unknown>[] => {
  const { length } = ids[noun] ?? []
  return length === 0 ? [] : [fc.nat({ max: length - 1 }).map((at) => ids[noun]?.[at])]
}

const textFor = ({ ref, format, maxLength }: Schema, { name, noun, ids }: Place): fc.Arbitrary<unknown> => {
  if (format === 'date-time') return fc.constantFrom(...MOMENTS, ...EXTREME_MOMENTS)
  const [known] = ref !== undefined || name === 'id' ? idFor(ref ?? noun, ids) : []
  const others = name === 'id' && ref === undefined ? ['new-1', 'new-2', 'x'.repeat(65)] : ['unknown']
  if (known) return fc.oneof({ weight: 4, arbitrary: known }, fc.constantFrom(...others))
  if (name === 'id' && ref === undefined) return fc.constantFrom(...others)
  const longest = Math.min(maxLength ?? 100, 5000)
  return fc.constantFrom(...LIKELY, 'x'.repeat(longest), 'x'.repeat(longest + 1))
}

const numberFor = ({ minimum = 0, maximum = 2 ** 31 }: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, 2 ** 31 - 1, 2 ** 31),
    fc.integer({ min: 0, max: 20 }),
  )

/** Ids of existing objects, by noun. Their number is fixed, and they may be replaced while inputs are generated. */
export type Ids = Readonly<Record<string, readonly string[]>>

type Place = { readonly name: string; readonly noun: string; readonly ids: Ids }

const rightFor = (schema: Schema, place: Place): fc.Arbitrary<unknown> => {
  // The keywords beside the options apply to each of them.
  if (schema.anyOf)
    return fc.oneof(
      ...schema.anyOf.map((option) =>
        rightFor(schema.ref === undefined ? option : { ref: schema.ref, ...option }, place),
      ),
    )
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  const known = BY_NAME[place.name]
  if (known && schema.type !== 'array' && schema.type !== 'null') return fc.constantFrom(...known)
  switch (schema.type) {
    case 'string':
      return textFor(schema, place)
    case 'number':
    case 'integer':
      return numberFor(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, place), { maxLength: 4 })
    case 'object':
      return schema.properties ? objectFor(schema, place) : fc.dictionary(hostileText, wrongValue, { maxKeys: 3 })
    default:
      return wrongValue
  }
}

const valueFor = (schema: Schema, place: Place): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: rightFor(schema, place) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: wrongValue },
  )

const objectFor = (
  schema: Schema,
  { noun, ids }: Pick<Place, 'noun' | 'ids'>,
): fc.Arbitrary<Record<string, unknown>> => {
  const { required = [] } = schema as { required?: readonly string[] }
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isRequired = required.includes(name)
    const value = valueFor(field, { name, noun, ids }).map((made): [string, unknown][] => [[name, made]])
    return fc.oneof(
      { weight: isRequired ? 30 : 1, arbitrary: value },
      { weight: 1, arbitrary: fc.constant<[string, unknown][]>([]) },
    )
  })
  return fc.tuple(...fields).map((entries) => Object.fromEntries(entries.flat()))
}

/** Generates input for an operation, from valid to hostile. */
export const inputFor = (op: AnyOperation, ids: Ids): fc.Arbitrary<Record<string, unknown>> =>
  // The JSON Schema of an input, with the relevant keywords.
  objectFor(toInputJsonSchema(op.input) as Schema, { noun: getNoun(op), ids })

/** Encodes text for a path or query, or only replaces forbidden characters. */
export const encoded = (text: string, isRaw: boolean): string =>
  isRaw ? text.replace(/[\s#?/]|\p{Cc}|\P{ASCII}/gu, '%') : encodeURIComponent(text.toWellFormed())

export const HOSTILE_BODIES: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  '',
  '{',
  '[',
  '[]',
  'null',
  '"x"',
  '1e400',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"name":1e400}',
  '{"name":"\\u0000"}',
  '{"name":"\\ud800"}',
  `{"name":${'['.repeat(100_000)}`,
  `{"name":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`,
  '{"name":"a","name":{}}',
  `{"${'x'.repeat(100_000)}":1}`,
  `{"id":"${'x'.repeat(100_000)}"}`,
  `{"tags":[${Array(10_000).fill('"x"').join()}]}`,
  `{"operations":[${Array(1001).fill('{"op":"delete","id":"x"}').join()}]}`,
  '\ufeff{}',
  new Uint8Array([0xff, 0xfe, 0x00, 0x7b]),
  new Uint8Array([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  new Uint8Array(2 ** 20 + 1),
]

/** Path segments and queries that none of our clients sends. */
export const HOSTILE_PATHS: readonly string[] = [
  '%',
  '%00',
  '%zz',
  '%c3%28',
  '%ed%a0%80',
  '%f8%88%80%80%80',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..%5c',
  '%0d%0aX-Injected:%201',
  "'%20OR%201=1--",
  '*',
  ';id=1',
  '%F0%9F%98%80',
  'x'.repeat(4000),
  '__proto__',
  'constructor',
  'hasOwnProperty',
  ':id',
  '{id}',
  '%7Bid%7D',
]
export const HOSTILE_QUERIES: readonly string[] = [
  '?',
  '?=',
  '?&&&',
  '?%',
  '?name=%',
  '?name=%00',
  '?name=%ed%a0%80',
  '?name=%zz&tags=%&tags=%00&q=%00',
  '?q=%00',
  '?tags=%00',
  '?datacenter_id=%00&network_id=%00&user_id=%00',
  '?__proto__=1&constructor=2',
  '?__proto__[x]=1',
  '?limit=1&limit=x',
  '?limit=9007199254740991&offset=9007199254740991',
  '?limit=1e3&offset=0x10',
  '?limit=99999999999999999999',
  '?vlan_id=2147483648',
  '?vlan_id=-9007199254740991',
  '?vlan_id=1.5',
  `?q=${'x'.repeat(5000)}`,
  `?${'a=1&'.repeat(3000)}`,
  `?q=${'%25'.repeat(80)}`,
  '?q=%22',
  '?q=%5C%25_%27',
  '?q=0.0.0.0/0',
  '?q=::/0',
  '?q=10.0.0.0/8%00',
  '?include=everything',
]
