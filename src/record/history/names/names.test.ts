/** Items of the history name their objects, and the objects to which they refer, as of then. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { runCommand } from '../../../../testing/run-command.ts'
import { engines } from '../../../../testing/servers/servers.ts'

describe.each(engines())('names in the history on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const cabled = async (prefix: string) => {
    const [a, b] = await Promise.all(
      [`${prefix}sw1`, `${prefix}web-1`].map((name) => admin.api.devices.create({ name })),
    )
    const ends = await Promise.all([
      admin.api.ports.create({ device_id: a?.id ?? '', name: 'Gi0/1' }),
      admin.api.ports.create({ device_id: b?.id ?? '', name: 'eth0' }),
    ])
    const cable = await admin.api.cables.create({ a: { port_id: ends[0].id }, b: { port_id: ends[1].id } } as never)
    return { a: a?.id ?? '', b: b?.id ?? '', ends, cable }
  }

  test('of a deleted cable are the names of its ends before it was deleted', async () => {
    const { a, cable, ends } = await cabled('')
    await admin.api.cables.delete({ id: cable.id })
    const change = await newest()
    await admin.api.devices.update({ id: a, name: 'renamed later' })
    const [item] = await admin.api.history.items({ id: change })
    expect(item?.name).toBe('sw1 Gi0/1 - web-1 eth0')
    expect(item?.names).toEqual({ [ends[0].id]: 'sw1 Gi0/1', [ends[1].id]: 'web-1 eth0' })
    const history = await admin.api.histories.cable({ id: cable.id })
    expect(history.map(({ name }) => name)).toEqual(['sw1 Gi0/1 - web-1 eth0', 'sw1 Gi0/1 - web-1 eth0'])
    const { out } = await runCommand({ app, key: admin.key }, { argv: ['history', 'items', change] })
    expect(out).toContain('sw1 Gi0/1 - web-1 eth0')
    expect(out).not.toContain(ends[0].id)
  })

  test('of a cable that goes with its device are the last ones of both', async () => {
    const { a, cable, ends } = await cabled('gone-')
    await admin.api.devices.delete({ id: a })
    const items = await admin.api.history.items({ id: await newest() })
    expect(items.find(({ id }) => id === cable.id)?.name).toBe('gone-sw1 Gi0/1 - gone-web-1 eth0')
    expect(items.find(({ id }) => id === ends[0].id)?.names).toEqual({ [a]: 'gone-sw1' })
  })

  test('of references are of each moment, and gone objects keep their last one', async () => {
    const site = await admin.api.datacenters.create({ name: 'Before' })
    const rack = await admin.api.racks.create({ name: 'R1', datacenter_id: site.id })
    const device = await admin.api.devices.create({ name: 'd', mount: { rack_id: rack.id, position: 1 } } as never)
    await admin.api.datacenters.update({ id: site.id, name: 'After' })
    await admin.api.devices.update({ id: device.id, mount: null } as never)
    await admin.api.devices.update({ id: device.id, datacenter_id: null } as never)
    await admin.api.racks.delete({ id: rack.id })
    await admin.api.datacenters.delete({ id: site.id })
    const entries = await admin.api.histories.device({ id: device.id })
    expect(entries.map(({ names }) => names)).toEqual([
      { [site.id]: 'After' },
      { [rack.id]: 'R1' },
      { [site.id]: 'Before', [rack.id]: 'R1' },
    ])
    const [, created] = (await admin.api.history.list({ object_id: device.id })).toReversed()
    const difference = await admin.api.history.diff({ from: created?.id ?? '' })
    expect(difference.find(({ id }) => id === device.id)?.names).toEqual({ [site.id]: 'After' })
  })

  test('of values of custom fields are found also after the field is renamed or deleted', async () => {
    const field = await admin.api.customFields.create({
      ...{ resource: 'devices', name: 'uplink', type: 'reference', reference_to: 'devices', multiple: true },
    } as never)
    const core = await admin.api.devices.create({ name: 'core' })
    await admin.api.devices.create({ name: 'leaf', custom: { uplink: [core.id] } })
    const change = await newest()
    await admin.api.customFields.update({ id: field.id, name: 'parent' })
    await admin.api.customFields.delete({ id: field.id, force: true })
    const names = async (id: string) => (await admin.api.history.items({ id, kind: 'device' }))[0]?.names
    expect(await names(change)).toEqual({ [core.id]: 'core' })
    expect(await names(await newest())).toEqual({ [core.id]: 'core' })
  })

  test('are of objects alone that the caller may list', async () => {
    const { cable, ends, a } = await cabled('hidden-')
    const { id } = await admin.api.roles.create({
      name: 'cabling',
      permissions: ['cables:read', 'ports:list'],
    } as never)
    const user = await admin.api.users.create({ username: 'cab', password: 'a long password', roles: [id] } as never)
    const { key } = await admin.api.keys.create({ name: 'k', user_id: user.id } as never)
    const response = await app.fetch(
      new Request(`http://plat.test/api/cables/${cable.id}/history`, { headers: { Authorization: `Bearer ${key}` } }),
    )
    const [entry] = (await response.json()) as { name: string; names: object }[]
    expect(entry?.name).toBe('Gi0/1 - eth0')
    expect(entry?.names).toEqual({ [ends[0].id]: 'Gi0/1', [ends[1].id]: 'eth0' })
    expect(JSON.stringify(entry)).not.toContain(a)
  })
})
