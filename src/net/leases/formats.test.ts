// The lease files of DHCP servers: recognized, and read past entries that are not valid.
import { describe, expect, test } from 'bun:test'
import { detectLeaseFormat, parseLeases } from './formats.ts'
import { IS_PREFIX, type LeaseEntry, type LeaseFormat } from './lease.ts'

const MAC = '52:54:00:aa:bb:cc'
const V4 = 'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context'
const V6 =
  'address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context'

/** The entries that are leases or errors. */
const entriesOf = (text: string, format: LeaseFormat): LeaseEntry[] =>
  [...parseLeases(text, format)].filter(({ lease, error }) => lease !== undefined || error !== undefined)

describe('the format of a text is recognized', () => {
  test.each([
    ['kea-csv', `${V4}\n10.0.0.5,${MAC},,3600,4000000000,1,0,0,pc,0,\n`],
    ['kea-csv', `${V6}\n`],
    ['kea-json', '  [{"ip-address":"10.0.0.5"}]'],
    ['kea-json', '{"result":0,"arguments":{"leases":[]}}'],
    ['dnsmasq', `1700000000 ${MAC} 10.0.0.5 pc *\n`],
    ['dnsmasq', `duid 00:01\n1700000000 5592732 2001:db8::5 pc 00:01\n`],
    ['dnsmasq', `rubbish before it\n1700000000 ${MAC} 10.0.0.5 * *\n`],
    ['isc', '# The format of this file is documented in the dhcpd.leases(5) manual page.\nlease 10.0.0.5 {\n}\n'],
    ['isc', 'authoring-byte-order little-endian;\n\nserver-duid "\\000";\n'],
    ['isc', 'ia-na "\\001\\000" {\n  iaaddr 2001:db8::5 {\n  }\n}\n'],
    [undefined, 'hello\nworld 1 2 3\n'],
    [undefined, 'a,b,c\n1,2,3\n'],
    [undefined, 'lease of a house\n'],
    [undefined, ''],
  ] as const)('%p', (format, text) => {
    expect(detectLeaseFormat(text)).toBe(format as LeaseFormat)
  })

  test.each([' ', 'a', 'a,', 'address,', '1 ', 'lease ', '\n'])('also in 3 MB of %j', (piece) => {
    expect(detectLeaseFormat(piece.repeat(3_000_000 / piece.length))).toBeUndefined()
  })
})

describe('leases of ISC dhcpd', () => {
  const lease = (ip: string, more = '') => `lease ${ip} {\n  ends never;\n${more}}\n`
  const taken = (text: string) =>
    entriesOf(text, 'isc').map(({ line, lease: one, error }) => [line, one?.ip ?? error ?? ''])

  test.each([
    [
      'an address that is none',
      lease('10.0.0.999') + lease('10.0.0.6'),
      [
        [1, '"10.0.0.999" is no IP address'],
        [4, '10.0.0.6'],
      ],
    ],
    [
      'an end that is no time',
      `lease 10.0.0.5 {\n  ends soon;\n}\n${lease('10.0.0.6')}`,
      [
        [1, 'has an end that is no time'],
        [4, '10.0.0.6'],
      ],
    ],
    [
      'a text without its end',
      lease('10.0.0.5', '  client-hostname "pc;\n') + lease('10.0.0.6'),
      [
        [3, 'has a text without its end'],
        [5, '10.0.0.6'],
      ],
    ],
    [
      'a lease without its end',
      `lease 10.0.0.5 {\n  ends never;\n  hardware ethernet\n${lease('10.0.0.6')}${lease('10.0.0.7')}`,
      [
        [1, 'does not end before the next lease'],
        [4, '10.0.0.6'],
        [7, '10.0.0.7'],
      ],
    ],
    [
      'one bracket too many',
      `${lease('10.0.0.5')}}\n${lease('10.0.0.6')}`,
      [
        [1, '10.0.0.5'],
        [4, 'closes what is not open'],
        [5, '10.0.0.6'],
      ],
    ],
    [
      'words between leases',
      `${lease('10.0.0.5')}rubbish here\n${lease('10.0.0.6')}`,
      [
        [1, '10.0.0.5'],
        [4, 'does not end before the next lease'],
        [5, '10.0.0.6'],
      ],
    ],
    [
      'deep nesting',
      `${'a {\n'.repeat(30)}${lease('10.0.0.6')}`,
      [
        [21, 'is nested deeper than 20'],
        [31, '10.0.0.6'],
      ],
    ],
    [
      'the end of the file within a lease',
      `${lease('10.0.0.5')}lease 10.0.0.6 {\n  ends`,
      [
        [1, '10.0.0.5'],
        [5, 'the file ends within a lease'],
      ],
    ],
  ])('are read past %s', (_, text, expected) => {
    expect<unknown>(taken(text)).toEqual(expected)
  })

  test('of IPv6 are read', () => {
    const text =
      'ia-na "\\001\\000" {\n  cltt 2 2026/03/03 12:00:00;\n  iaaddr 2001:db8::5 {\n    binding state active;\n    ends epoch 1700000000; # Tue Nov 14\n  }\n}\n'
    expect(entriesOf(text, 'isc')).toEqual([{ line: 3, lease: { ip: '2001:db8::5', endsMs: 1_700_000_000_000 } }])
  })
})

describe('the lease file of Kea', () => {
  const row = (ip: string, { state = '0', lifetime = '3600', name = 'pc' } = {}) =>
    `${ip},${MAC},,${lifetime},1700000000,1,0,0,${name},${state},\n`
  const endsMs = 1_700_000_000_000
  const lease = { mac_address: MAC, hostname: 'pc', endsMs }

  test('is read past lines that are not valid', () => {
    expect(entriesOf(`${V4}\nrubbish\n${row('pc')}${row('10.0.0.5')}`, 'kea-csv')).toEqual([
      { line: 2, error: 'has fewer values than columns' },
      { line: 3, error: '"pc" is no IP address' },
      { line: 4, lease: { ip: '10.0.0.5', ...lease } },
    ])
  })

  test('has a lease without end, states, and names with commas', () => {
    const rows = [
      row('10.0.0.5', { lifetime: '4294967295' }),
      row('10.0.0.6', { state: '1' }),
      row('10.0.0.7', { state: '2' }),
      row('10.0.0.8', { state: '3' }),
      row('10.0.0.9', { state: '4' }),
      row('10.0.0.10', { lifetime: '0' }),
      row('10.0.0.11', { state: '9' }),
      row('10.0.0.12', { name: 'a&#x2cb' }),
    ]
    const leases = entriesOf(`${V4}\n${rows.join('')}`, 'kea-csv').map((one) => one.lease)
    expect(leases[0]).toEqual({ ip: '10.0.0.5', mac_address: MAC, hostname: 'pc' })
    expect(leases.slice(1, 7).map((one) => one?.over)).toEqual([
      'is declined',
      'is expired and reclaimed',
      'is released',
      undefined,
      'is deleted',
      'has the state 9',
    ])
    expect(leases[7]?.hostname).toBe('a,b')
  })

  test('may be several files one after the other', () => {
    const six = `2001:db8::5,00:01,3600,1700000000,1,3600,0,1,128,0,0,six,${MAC},0,`
    const prefix = `2001:db8:5::,00:01,3600,1700000000,1,3600,2,1,56,0,0,,,0,`
    const leases = entriesOf(`${V4}\n${row('10.0.0.5')}${V6}\n${six}\n${prefix}\n`, 'kea-csv').map((one) => one.lease)
    expect(leases).toEqual([
      { ip: '10.0.0.5', ...lease },
      { ip: '2001:db8::5', mac_address: MAC, hostname: 'six', endsMs },
      { ip: '2001:db8:5::', endsMs, over: IS_PREFIX },
    ])
  })

  test('without its columns has no lease', () => {
    expect(entriesOf('a,b\n', 'kea-csv')).toEqual([
      { line: 1, error: 'does not have the columns of a lease file of Kea' },
    ])
  })
})

describe('the answer of Kea', () => {
  const one = {
    'ip-address': '10.0.0.5',
    'hw-address': MAC,
    hostname: 'pc',
    cltt: 1_700_000_000,
    'valid-lft': 3600,
    state: 0,
  }
  const read = { line: 1, lease: { ip: '10.0.0.5', mac_address: MAC, hostname: 'pc', endsMs: 1_700_003_600_000 } }
  const readJson = (value: unknown) => entriesOf(JSON.stringify(value), 'kea-json')

  test.each([
    ['a list', [one]],
    ['the arguments', { leases: [one] }],
    ['of the server', { result: 0, text: '1 found', arguments: { leases: [one] } }],
    ['of the control agent', [{ result: 0, arguments: { leases: [one] } }]],
    [
      'of the control agent for two servers',
      [
        { result: 2, text: 'x' },
        { result: 0, arguments: { leases: [one] } },
      ],
    ],
  ])('is read: %s', (_, value) => {
    expect(readJson(value)).toEqual([read])
  })

  test('has states, prefixes, and leases without end', () => {
    const all = readJson([
      { ...one, state: 2 },
      { ...one, 'valid-lft': 0xffffffff },
      { ...one, 'ip-address': '2001:db8::', type: 'IA_PD' },
    ])
    expect(all.map(({ lease }) => [lease?.over, lease?.endsMs])).toEqual([
      ['is expired and reclaimed', 1_700_003_600_000],
      [undefined, undefined],
      [IS_PREFIX, 1_700_003_600_000],
    ])
  })

  test('that has no leases is empty', () => {
    expect(readJson([{ result: 3, text: '0 IPv4 lease(s) found.' }])).toEqual([])
  })

  test('names the line and the number of an entry that is not valid', () => {
    const text = JSON.stringify(
      [
        {
          result: 0,
          arguments: { leases: [one, { cltt: 1 }, { ...one, cltt: 'x' }, 7, { ...one, 'ip-address': 'pc' }] },
        },
      ],
      undefined,
      1,
    )
    const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length - 1
    expect(
      entriesOf(text, 'kea-json').flatMap(({ line, error }) => (error === undefined ? [] : [[line, error]])),
    ).toEqual([
      [lineOf('"cltt": 1\n'), 'lease 2 has no ip-address'],
      [
        lineOf(
          '"ip-address": "10.0.0.5",\n     "hw-address": "52:54:00:aa:bb:cc",\n     "hostname": "pc",\n     "cltt": "x"',
        ),
        'lease 3 has an end that is no time',
      ],
      [lineOf('"ip-address": "pc"'), 'lease 4 is no lease'],
      [lineOf('"ip-address": "pc"'), 'lease 5 "pc" is no IP address'],
    ])
  })

  test.each([
    ['{"result":1,"text":"no such command"}', 'is an error of Kea: no such command'],
    ['[{"result":2,"text":"unsupported"}]', 'is an error of Kea: unsupported'],
    ['{"a":1}', 'has no list of leases'],
    ['7', 'has no list of leases'],
    ['[{"ip-address"', 'is no valid JSON'],
  ])('that is none is an error: %s', (text, error) => {
    expect(entriesOf(text, 'kea-json')).toEqual([{ line: 1, error }])
  })
})

describe('leases of dnsmasq', () => {
  test('are read past lines that are not valid', () => {
    const text = `1700000000 ${MAC} 10.0.0.5 pc *\r\n\nduid 00:01\nrubbish\n0 06-01:02 10.0.0.6 * *\n0 77 2001:db8::5 six 00:01\n0 * 10.0.0.7 * *`
    expect(entriesOf(text, 'dnsmasq')).toEqual([
      { line: 1, lease: { ip: '10.0.0.5', mac_address: MAC, hostname: 'pc', endsMs: 1_700_000_000_000 } },
      { line: 4, error: 'is no lease of dnsmasq' },
      { line: 5, lease: { ip: '10.0.0.6', mac_address: '01:02' } },
      { line: 6, lease: { ip: '2001:db8::5', hostname: 'six' } },
      { line: 7, lease: { ip: '10.0.0.7' } },
    ])
  })
})
