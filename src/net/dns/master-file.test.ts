// Lines of master files: names, text and mailboxes.
import { describe, expect, test } from 'bun:test'
import { formatFileLine, formatFileValue, toMailboxName } from './master-file.ts'

describe('a value of a master file', () => {
  test.each([
    ['CNAME', 'www.example.net', 'www.example.net.'],
    ['SRV', '0 5 5060 sip.example.net', '0 5 5060 sip.example.net.'],
    ['MX', '0 .', '0 .'],
    ['CAA', '0 issue "ca.example.net"', '0 issue "ca.example.net"'],
    ['TXT', 'a "b" \\ é\n;', '"a \\"b\\" \\\\ \\195\\169\\010;"'],
    ['TXT', '', '""'],
    ['PTR', '5.0/26.2.0.192.in-addr.arpa', '5.0/26.2.0.192.in-addr.arpa.'],
  ])('of %s is absolute and quoted (%p)', (type, value, text) => {
    expect(formatFileValue(type, value)).toBe(text)
  })

  test('of long text has strings of 255 bytes', () => {
    expect(formatFileValue('TXT', 'x'.repeat(300))).toBe(`"${'x'.repeat(255)}" "${'x'.repeat(45)}"`)
  })
})

test('a line has the name, the TTL, the class and the type', () => {
  expect(formatFileLine({ name: '@', ttl: 300, type: 'NS', value: 'ns.example.net' })).toBe(
    '@\t300\tIN\tNS\tns.example.net.\n',
  )
})

test('a dot before the @ of a mailbox is escaped', () => {
  expect(toMailboxName('a.b@example.org')).toBe('a\\.b.example.org')
})
