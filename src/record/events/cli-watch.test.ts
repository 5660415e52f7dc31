/** `plat watch` against a real server, in process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { until } from '../../../testing/until.ts'
import { runCli } from '../../app/cli.ts'

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
})
afterAll(() => app.close())

/** Runs the command, and calls `happens` once it listens. */
const watched = async (argv: readonly string[], happens: () => Promise<unknown>, token = admin.key) => {
  const listening = Promise.withResolvers<void>()
  let last: Promise<Response> | undefined
  const { io, out, err } = memoryIo({
    argv: ['watch', ...argv],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: token },
    fetch: (target, init) => {
      last = app.fetch(new Request(target, init))
      void last.then(() => listening.resolve())
      return last
    },
  })
  const done = runCli(io)
  await Promise.race([listening.promise, done])
  // The command joins the feed right after the answer; an earlier change would not be sent.
  await Bun.sleep(50)
  await happens()
  return { code: await done, out: out(), err: err() }
}

test('shows a line for each event', async () => {
  const { code, out } = await watched(['--count', '2'], async () => {
    const { id } = await admin.api.devices.create({ name: 'web-01' })
    await admin.api.devices.update({ id, os: 'Debian' })
  })
  expect([code, out.split('\n').length]).toEqual([0, 3])
  expect(out).toMatch(/^\S+Z {2}device\.created +web-01\n\S+Z {2}device\.updated +web-01 \(os\)\n$/)
})

test('names a reservation by its address and a relationship by its devices', async () => {
  const { id: network_id } = await admin.api.networks.create({ name: 'named', subnet: '10.1.0.0/24' })
  const range = { start_ip: '10.1.0.10', end_ip: '10.1.0.20' }
  const { id: pool_id } = await admin.api.pools.create({ network_id, name: 'named', ...range })
  for (const id of ['parent', 'child']) await admin.api.devices.create({ id, name: id })
  const { out } = await watched(['--count', '2', '--types', 'reservation.*,relationship.*'], async () => {
    await admin.api.reservations.create({ pool_id, ip_address: '10.1.0.11' })
    await admin.api.relationships.create({ device_id: 'parent', child_id: 'child', type: 'contains' })
  })
  expect(out).toMatch(/reservation\.created +10\.1\.0\.11\n.*relationship\.created +parent contains child\n$/)
})

test('keeps to types, and prints JSON for scripts', async () => {
  const { out } = await watched(['--count', '1', '--types', 'network.*', '-o', 'json'], async () => {
    await admin.api.devices.create({ name: 'hidden' })
    await admin.api.networks.create({ name: 'lan', subnet: '10.0.0.0/24' })
  })
  expect(JSON.parse(out)).toMatchObject({ event: 'network.created', data: { name: 'lan' } })
})

test.each([
  [2, ['--count', 'x'], '--count'],
  [2, ['--types', 'device.exploded'], 'types'],
])('exits with %d for %j', async (code, argv, about) => {
  const { code: was, err } = await watched(argv, async () => {})
  expect([was, err.includes(about)]).toEqual([code, true])
})

test('exits with 3 without the permission', async () => {
  const other = await app.as(['devices:read'])
  expect((await watched([], async () => {}, other.key)).code).toBe(3)
})

test('a watch that a newer feed replaced does not reconnect', async () => {
  const limited = await testApp({ env: { FEEDS_PER_USER: '1' } })
  const { key, api } = await limited.as('admin')
  const stop = new AbortController()
  const start = (argv: readonly string[]) => {
    let opened = 0
    const { io, out, err } = memoryIo({
      argv: ['watch', ...argv],
      env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key },
      interrupted: stop.signal,
      fetch: async (target, init) => {
        const response = await limited.fetch(new Request(target, init))
        opened++
        return response
      },
    })
    return { done: runCli(io), out, err, opened: () => opened || undefined }
  }
  const first = start([])
  await until('the first', first.opened)
  const second = start(['--count', '1'])
  await until('the second', second.opened)
  await until('a note', () => first.err() || undefined)
  await api.devices.create({ name: 'heard by the second' })
  expect(await second.done).toBe(0)
  expect(first.err()).toBe('A newer feed of this user has replaced this one: it resumes in a minute\n')
  stop.abort()
  expect([await first.done, first.opened(), first.out()]).toEqual([0, 1, ''])
  await limited.close()
})
