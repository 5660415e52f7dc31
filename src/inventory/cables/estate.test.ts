// Ports and cables in estate documents: natural keys, parents, a second apply, prune, and an export that makes the same again.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'yaml'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

const document = {
  managed_by: 'doc',
  prune: true,
  devices: [{ name: 'sw1' }, { name: 'sw2' }, { name: 'panel' }],
  ports: [
    { device: 'sw1', name: 'Gi0/1', parent: 'Po1', type: '1000base-t', vlan_id: 5, tagged_vlan_ids: [6, 7] },
    { device: 'sw1', name: 'Po1', description: 'trunk' },
    { device: 'sw2', name: 'Gi0/1', parent: 'Po1' },
    { device: 'sw2', name: 'Po1' },
    { device: 'panel', name: '1', pass_through: true },
  ],
  cables: [
    { a: { device: 'sw1', port: 'Gi0/1' }, b: { device: 'panel', port: '1' }, label: 'L1', length_m: 2.5 },
    { a: { device: 'panel', port: '1', side: 'rear' }, b: { device: 'sw2', port: 'gi0/1' } },
    { a: { device: 'sw1', port: 'Gi0/2' }, b: { device: 'sw2', port: 'Gi0/2' }, label: 'L2', status: 'planned' },
  ],
}

describe.each(onSqlite())('estate documents on %s', (dialect) => {
  let [first, second]: TestApp[] = []
  let [admin, other]: TestCaller[] = []
  beforeAll(async () => {
    first = await testApp({ dialect })
    second = await testApp({ dialect })
    admin = await first.as('admin')
    other = await second.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await first?.close()
    await second?.close()
  }, TIMEOUT_MS)

  const apply = async (caller: TestCaller | undefined, body: object) => {
    if (!caller) throw new Error('the apps are there in the tests')
    return ask(caller, 'POST /api/estate/apply', body)
  }
  const counts = (answer: { readonly body: unknown }) => (answer.body as { counts: Record<string, object> }).counts
  const exported = async (caller: TestCaller | undefined): Promise<string> =>
    (await caller?.request('GET', '/api/estate/export?format=yaml'))?.text() ?? ''

  test('make ports and cables, and a second apply changes nothing', async () => {
    const made = counts(await apply(admin, document))
    // The third cable makes two ports.
    expect([made.ports, made.cables]).toMatchObject([{ created: 5 }, { created: 3 }])
    const again = counts(await apply(admin, document))
    expect([again.ports, again.cables]).toMatchObject([
      { unchanged: 5, created: 0, updated: 0 },
      { unchanged: 3, created: 0, updated: 0 },
    ])
    const [port] = ((await admin?.api.ports.list({})) ?? []).filter(({ parent_id }) => parent_id !== null)
    expect((await admin?.api.ports.get({ id: port?.parent_id ?? '' }))?.name).toBe('Po1')
  })

  test('mean a cable by its two ends, whichever is first', async () => {
    const swapped = document.cables.map(({ a, b, ...one }) => ({ ...one, a: b, b: a, color: 'blue' }))
    const applied = counts(await apply(admin, { ...document, cables: swapped.slice(0, 2) }))
    expect(applied.cables).toMatchObject({ updated: 2, created: 0, deleted: 1 })
    const twice = await apply(admin, { cables: [...document.cables.slice(0, 1), ...swapped.slice(0, 1)] })
    expect(twice.status).toBe(400)
    expect(JSON.stringify(twice.body)).toContain('is the same cable as cables[0]')
    const [cable] = (await admin?.api.cables.list({ label: 'L1' })) ?? []
    const moved = await apply(admin, { cables: [{ ...document.cables[2], id: cable?.id }] })
    expect(JSON.stringify(moved.body)).toContain('has other ends')
    expect((await apply(admin, { cables: [{ id: cable?.id, color: 'red' }] })).status).toBe(200)
    const bad = await apply(admin, {
      ports: [
        { device: 'sw1', name: 'x', parent: 'none' },
        { device: 'no', name: 'y' },
      ],
    })
    expect(JSON.stringify(bad.body)).toMatch(/ports\[0\]\.parent.*ports\[1\]\.device/)
  })

  test('exported make the same bytes on an empty server', async () => {
    const text = await exported(admin)
    const whole = parse(text) as Record<string, object[]>
    expect(whole.cables).toMatchObject([{ a: { device: 'panel', port: '1', side: 'rear' } }, { label: 'L1' }])
    expect(whole.ports).toContainEqual({ name: 'Gi0/1', device: 'sw2', parent: 'Po1', managed_by: 'doc' })
    expect((await apply(other, whole)).status).toBe(200)
    expect(await exported(other)).toBe(text)
    expect(counts(await apply(admin, whole)).cables).toMatchObject({ unchanged: 2 })
  })
})
