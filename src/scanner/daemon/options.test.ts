/** Options of `plat scanner run`: flags before variables, and an error that names both. */
import { describe, expect, test } from 'bun:test'
import { computeBackoff, createPacer } from './backoff.ts'
import { listLinks } from './facts.ts'
import { type Given, parseServerUrl, readOptions } from './options.ts'

const read = (given: Partial<Given> = {}, env: Record<string, string> = {}) =>
  readOptions({ allowsHttp: false, state: '/tmp/state', ...given }, env)

describe('options', () => {
  test('have defaults', () => {
    expect(read()).toMatchObject({ url: undefined, slots: 2, spoolBytes: 67_108_864, stateDir: '/tmp/state' })
    expect(read().readToken()).toBeUndefined()
  })

  test('come from flags, then from variables', () => {
    const env = { PLAT_SCANNER_URL: 'https://b.example/', PLAT_SCANNER_SLOTS: '5', PLAT_SCANNER_TOKEN: 'plat_en_b' }
    expect(read({}, env)).toMatchObject({ url: 'https://b.example', slots: 5 })
    expect(read({}, env).readToken()).toBe('plat_en_b')
    const given = { url: 'https://a.example/plat/', slots: '8', token: 'plat_en_a' }
    expect(read(given, env)).toMatchObject({ url: 'https://a.example/plat', slots: 8 })
    expect(read(given, env).readToken()).toBe('plat_en_a')
  })

  test('the state is in the folder of systemd', () => {
    expect(read({ state: undefined }, { STATE_DIRECTORY: '/var/lib/x' }).stateDir).toBe('/var/lib/x')
  })

  test.each([
    [{ slots: '0' }, 'PLAT_SCANNER_SLOTS'],
    [{ slots: '9' }, 'PLAT_SCANNER_SLOTS'],
    [{ slots: '1.5' }, 'PLAT_SCANNER_SLOTS'],
    [{ url: 'plat.example.com' }, 'PLAT_SCANNER_URL'],
    [{ url: 'ftp://plat.example.com' }, 'PLAT_SCANNER_URL'],
    [{ url: 'https://me:secret@plat.example.com' }, 'no user and no password'],
    [{ url: 'http://plat.example.com' }, '--allow-http'],
    [{ url: 'http://127.0.0.1.example.com' }, '--allow-http'],
    [{ spoolLimit: '64' }, '--spool-limit'],
    [{ spoolLimit: '64MB' }, '--spool-limit'],
    [{ spoolLimit: '-1' }, '--spool-limit'],
    [{ ca: '/nonexistent' }, '--ca'],
  ])('%j is refused', (given, words) => {
    expect(() => read(given)).toThrow(words)
  })

  test.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'https://plat.example.com'])(
    '%s needs no permission',
    (url) => expect(parseServerUrl(url, false)).toBe(url),
  )

  test('plain HTTP is permitted by a variable too', () => {
    const env = { PLAT_SCANNER_URL: 'http://plat.example.com', PLAT_SCANNER_ALLOW_HTTP: 'true' }
    expect(read({}, env)).toMatchObject({ url: 'http://plat.example.com', allowsHttp: true })
    expect(() => read({}, { ...env, PLAT_SCANNER_ALLOW_HTTP: 'maybe' })).toThrow('PLAT_SCANNER_ALLOW_HTTP')
  })

  test('an API key in place of the token is refused, and is not quoted', () => {
    const options = read({ token: 'plat_0123456789' })
    expect(() => options.readToken()).toThrow(/plat_en_/)
    expect(() => options.readToken()).not.toThrow(/0123456789/)
  })

  test('a file of the token that is missing is named when it is needed', () => {
    const options = read({}, { PLAT_SCANNER_TOKEN_FILE: '/nonexistent' })
    expect(() => options.readToken()).toThrow('PLAT_SCANNER_TOKEN_FILE')
  })
})

test('waits double up to a minute, with jitter', () => {
  expect([0, 1, 2, 3, 10, 1000].map((n) => computeBackoff(n, () => 1))).toEqual([
    1000, 2000, 4000, 8000, 60_000, 60_000,
  ])
  expect(computeBackoff(1, () => 0)).toBe(1000)
})

test('requests are spaced in the order in which they came', async () => {
  const slept: number[] = []
  let now = 1000
  const sleep = async (ms: number) => {
    slept.push(ms)
  }
  const pace = createPacer(200, { nowMs: () => now, sleep })
  await Promise.all([pace(), pace(), pace()])
  now += 500
  await pace()
  now += 500
  await pace()
  expect(slept).toEqual([200, 400, 100])
})

test('the networks of a scanner are those of its interfaces, without loopback, link-local and single addresses', () => {
  const info = { mac: '', netmask: '', address: '', internal: false }
  const links = listLinks({
    lo: [{ ...info, family: 'IPv4', cidr: '127.0.0.1/8', internal: true }],
    eth0: [
      { ...info, family: 'IPv4', cidr: '198.18.7.5/24' },
      { ...info, family: 'IPv4', cidr: '198.18.7.6/24' },
      { ...info, family: 'IPv4', cidr: '169.254.1.1/16' },
      { ...info, family: 'IPv6', cidr: 'fe80::1/64', scopeid: 2 },
      { ...info, family: 'IPv6', cidr: '2001:db8::1/64', scopeid: 0 },
    ],
    tun0: [{ ...info, family: 'IPv4', cidr: '198.18.9.1/32' }],
  })
  expect(links).toEqual(['198.18.7.0/24', '2001:db8::/64'])
})
