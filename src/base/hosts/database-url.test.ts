import { expect, test } from 'bun:test'
import { InvalidValue } from '../config/values.ts'
import { parseDatabaseUrl } from './database-url.ts'

const hostsIn = (text: string) => parseDatabaseUrl(text).hosts.map(({ name, url }) => [name, url])

test('one host is a URL with its port', () => {
  expect(hostsIn('postgres://plat:pw@db1/plat')).toEqual([['db1:5432', 'postgres://plat:pw@db1:5432/plat']])
})

test('several hosts have user, password, database and parameters in common', () => {
  expect(hostsIn('postgresql://plat:p%2Cw@db1:5433,db2,[2001:db8::1]:6000/plat?sslmode=require')).toEqual([
    ['db1:5433', 'postgresql://plat:p%2Cw@db1:5433/plat?sslmode=require'],
    ['db2:5432', 'postgresql://plat:p%2Cw@db2:5432/plat?sslmode=require'],
    ['[2001:db8::1]:6000', 'postgresql://plat:p%2Cw@[2001:db8::1]:6000/plat?sslmode=require'],
  ])
})

test.each([
  [
    'postgres://db1,db2',
    [
      ['db1:5432', 'postgres://db1:5432'],
      ['db2:5432', 'postgres://db2:5432'],
    ],
  ],
  [
    'postgres://u:a,b@c@db1,db2/x',
    [
      ['db1:5432', 'postgres://u:a,b@c@db1:5432/x'],
      ['db2:5432', 'postgres://u:a,b@c@db2:5432/x'],
    ],
  ],
  ['postgres:///plat', [['localhost:5432', 'postgres:///plat']]],
  ['postgres://[::1]/plat', [['[::1]:5432', 'postgres://[::1]:5432/plat']]],
  ['postgres://db.example.org./plat', [['db.example.org.:5432', 'postgres://db.example.org.:5432/plat']]],
  ['postgres://db/plat?target_session_attrs=read-write', [['db:5432', 'postgres://db:5432/plat']]],
  ['postgres://db/plat?a=1&target_session_attrs=read-write&b=2', [['db:5432', 'postgres://db:5432/plat?a=1&b=2']]],
])('%s', (text, hosts) => {
  expect(hostsIn(text)).toEqual(hosts)
})

test('the place has no user and no password', () => {
  expect(parseDatabaseUrl('postgres://plat:secret@db1,db2:5433/plat?sslmode=require').place).toBe('db1,db2:5433/plat')
})

test.each([
  ['mysql://db/plat', 'must start with postgres:// or postgresql://'],
  ['postgres://', 'must start with postgres:// or postgresql://'],
  ['postgres://db1,,db3/plat', 'must name a host at place 2 of its list of hosts'],
  ['postgres://db1,/plat', 'must name a host at place 2 of its list of hosts'],
  ['postgres://db1, db2/plat', 'must have HOST, HOST:PORT or [IPV6]:PORT at place 2 of its list of hosts'],
  ['postgres://db1,2001:db8::1/plat', 'must have HOST, HOST:PORT or [IPV6]:PORT at place 2 of its list of hosts'],
  ['postgres://db1,db2:65536/plat', 'must have a port from 1 to 65535 after the host db2'],
  ['postgres://db1,db2:0/plat', 'must have a port from 1 to 65535 after the host db2'],
  ['postgres://db1,db2:/plat', 'must have a port from 1 to 65535 after the host db2'],
  ['postgres://db1,db2,db1:5432/plat', 'must name each host once; it names db1:5432 twice'],
  [`postgres://${'abcdefghij'.split('').join(',')}/plat`, 'must name at most 9 hosts; it names 10'],
  [
    'postgres://db1,db2/plat?target_session_attrs=any',
    'must not have target_session_attrs=any: Plat uses the primary, so only target_session_attrs=read-write is accepted',
  ],
  ['postgres://plat:12/34@db1/plat', 'must have the characters / ? # @ of its password percent-encoded'],
  ...(['a%', '%zz', '100%secret', '%ff', '%e2%82'] as const).map((password) => [
    `postgres://plat:${password}@db1/plat`,
    'must have a % in its password only before two hexadecimal digits, as in %40 for @: write the % itself as %25',
  ]),
  [
    'postgres://pl%at:secret@db1/plat',
    'must have a % in its user name only before two hexadecimal digits, as in %40 for @: write the % itself as %25',
  ],
  [
    'postgres://plat:secret@db1,db2/pl%at?sslmode=require',
    'must have a % in its database name only before two hexadecimal digits, as in %40 for @: write the % itself as %25',
  ],
  ...['sslmode=yes', 'SSLMODE=verify', 'a=b&ssl-mode=tls'].map((query) => [
    `postgres://db1/plat?${query}`,
    'must have disable, allow, prefer, require, verify-ca or verify-full as sslmode',
  ]),
  ['postgres://db1/plat?sslmode=require&sslmode=disable', 'must have one sslmode'],
  ['postgres://plat:12?34@db1/plat', 'must have the characters / ? # @ of its password percent-encoded'],
])('%s is refused: %s', (text, message) => {
  expect(() => parseDatabaseUrl(text ?? '')).toThrow(new InvalidValue(message))
})

test('a password with percent-encoded characters is accepted', () => {
  expect(hostsIn('postgres://plat:%25%40%E2%82%AC@db1/plat')).toEqual([
    ['db1:5432', 'postgres://plat:%25%40%E2%82%AC@db1:5432/plat'],
  ])
})
