/** The filters that Plat adds. */
import { describe, expect, test } from 'bun:test'
import { evaluate } from './testing/render-text.ts'

/** Value, expression, text. */
const cases: readonly (readonly [string, string, string])[] = [
  ['10.1.2.3/20', 'netmask', '255.255.240.0'],
  ['10.0.0.0/0', 'netmask', '0.0.0.0'],
  ['10.0.0.1/32', 'netmask', '255.255.255.255'],
  ['2001:db8::/64', 'netmask', 'ffff:ffff:ffff:ffff::'],
  ['10.1.2.3/24', 'network_address', '10.1.2.0'],
  ['2001:DB8::1/64', 'network_address', '2001:db8::'],
  ['10.1.2.3/24', 'broadcast', '10.1.2.255'],
  ['10.1.2.3/31', 'broadcast', ''],
  ['2001:db8::/64', 'broadcast', ''],
  ['10.1.2.3/24', 'prefix_length', '24'],
  ['10.1.2.3/24', 'prefix_length | plus: 1', '25'],
  ['10.1.2.3', 'in_cidr: "10.1.0.0/16"', 'true'],
  ['10.2.2.3', 'in_cidr: "10.1.0.0/16"', 'false'],
  ['10.1.2.0/24', 'in_cidr: "10.1.0.0/16"', 'true'],
  ['10.1.0.0/15', 'in_cidr: "10.1.0.0/16"', 'false'],
  ['2001:db8::1', 'in_cidr: "10.1.0.0/16"', 'false'],
  ['2001:db8::1', 'in_cidr: "2001:db8::/32"', 'true'],
  ['10.0.0.1', 'reverse_name', '1.0.0.10.in-addr.arpa'],
  ['2001:db8::7', 'reverse_name', `7${'.0'.repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa`],
  ['10.1.2.0/24', 'reverse_name', '2.1.10.in-addr.arpa'],
  ['2001:db8::/32', 'reverse_name', '8.b.d.0.1.0.0.2.ip6.arpa'],
  ['10.1.2.64/26', 'reverse_name', '64/26.2.1.10.in-addr.arpa'],
  ['52:54:00:AB:CD:0f', "mac: 'cisco'", '5254.00ab.cd0f'],
  ['52:54:00:ab:cd:0f', "mac: 'dash'", '52-54-00-ab-cd-0f'],
  ['5254.00ab.cd0f', "mac: 'colon'", '52:54:00:ab:cd:0f'],
  ['52-54-00-ab-cd-0f', "mac: 'bare'", '525400abcd0f'],
  ['5254.00ab.cd0f', 'mac', '52:54:00:ab:cd:0f'],
  ['Rack 7 / Süd--East ', 'slug', 'rack_7_s_d_east'],
  ['__a__', 'slug', 'a'],
  ['---', 'slug', ''],
  ["it's $HOME `id`\n", 'shell', "'it'\\''s $HOME `id`\n'"],
  ['', 'shell', "''"],
]

describe('a filter', () => {
  test.each(cases)('%j | %s', (value, filter, text) => {
    expect(evaluate(`feed.value | ${filter}`, value)).toBe(text)
  })

  test.each(['netmask', 'network_address', 'broadcast', 'prefix_length', 'reverse_name', 'mac', 'slug'])(
    '%s of nothing is nothing',
    (filter) => {
      expect([null, ''].map((value) => evaluate(`feed.value | ${filter}`, value))).toEqual(['', ''])
      expect(evaluate(`feed.absent | ${filter}`)).toBe('')
    },
  )

  test('in_cidr of nothing is false', () => {
    expect(evaluate('feed.value | in_cidr: "10.0.0.0/8"')).toBe('false')
  })

  test.each([
    ['10.0.0.1', 'netmask', 'netmask: "10.0.0.1" is no network such as 10.0.0.0/24'],
    ['10.0.0', 'reverse_name', 'reverse_name: "10.0.0" is no IP address'],
    ['10.0.0.0/22', 'reverse_name', 'reverse_name: "10.0.0.0/22" has no reverse zone of one name'],
    ['web-1', 'in_cidr: "10.0.0.0/8"', 'in_cidr: "web-1" is no IP address'],
    ['10.0.0.1', 'in_cidr', 'in_cidr: "" is no network such as 10.0.0.0/24'],
    ['52:54', 'mac', 'mac: "52:54" is no MAC address'],
    ['5254.00ab.cd0f', "mac: 'windows'", 'mac: "windows" is none of cisco, dash, colon, bare'],
    ['5254.00ab.cd0f', "mac: 'constructor'", 'mac: "constructor" is none of cisco, dash, colon, bare'],
    [['a'], 'slug', 'slug: takes text, and not a list or an object'],
    ['a\0b', 'shell', 'shell: a word of the shell holds no NUL'],
  ])('refuses %j | %s', (value, filter, message) => {
    expect(evaluate(`feed.value | ${filter}`, value)).toEqual({ line: 1, message })
  })

  test('shell gives a word that sh reads back', async () => {
    const value = `a'b"c $(id) \`id\` \\ \n * ~ 'x'`
    const word = evaluate('feed.value | shell', value)
    const sh = Bun.spawn(['sh', '-c', `printf %s ${word}`], { stdout: 'pipe' })
    expect(await sh.stdout.text()).toBe(value)
  })
})
