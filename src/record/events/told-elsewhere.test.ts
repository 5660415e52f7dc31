// The events of a promoted device, and of a change that another instance makes.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { follow } from '../../../testing/feed.ts'
import { expectAsHistory, findLastSeq, readEvents } from '../../../testing/recorded-events.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { deepHost } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('on %s', (dialect) => {
  const d = discoveryApp(dialect)

  test('a promoted device sends device.promoted in place of device.created, with the created device', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [deepHost({ id, at }.at(9), '00:1b:21:00:00:0a')], 'deep')
    const found = await d.only(id)
    const after = await findLastSeq(d.app)
    const { body } = await d.ask(`POST /api/discovery/devices/${found.id}/promote`, { name: 'web-01' })
    const events = await readEvents(d.app, after)
    expect(events.map(({ event }) => event)).toEqual(['device.promoted'])
    expect(events[0]?.data).toEqual({ ...(body as object), ip_address: at(9) })
    await expectAsHistory(d.admin, events[0]?.change_id ?? '', events)
  })

  test('the undo of a promotion sends device.deleted', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [deepHost(at(9), '00:1b:21:00:00:0b')], 'deep')
    const found = await d.only(id)
    await d.ask(`POST /api/discovery/devices/${found.id}/promote`, { name: 'web-02' })
    const [change] = await d.api.history.list({ limit: 1 })
    const after = await findLastSeq(d.app)
    await d.api.history.undo({ id: change?.id ?? '' })
    expect((await readEvents(d.app, after)).map(({ event }) => event)).toEqual(['device.deleted'])
  })

  const severalInstances = dialect === 'sqlite' ? [] : ['of another instance']
  test.each(severalInstances)('a listener hears the objects that a deletion %s changes in passing', async () => {
    const { id: datacenter_id } = await d.api.datacenters.create({ name: 'dc' })
    await d.api.racks.create({ name: 'r', datacenter_id })
    await d.api.devices.create({ name: 'device', datacenter_id })
    const other = await instanceBeside(d.app)
    try {
      const headers = { Authorization: `Bearer ${d.admin.key}` }
      const feed = await follow({
        request: (method, path, body, more) => other.fetch(method, path, { ...headers, ...more }, body),
      })
      await feed.opened()
      await d.api.datacenters.delete({ id: datacenter_id })
      const heard = await feed.hears(3)
      expect(heard.map(({ event }) => event).sort()).toEqual(['datacenter.deleted', 'device.updated', 'rack.updated'])
      expect(new Set(heard.map(({ data }) => data.change_id)).size).toBe(1)
      await feed.stop()
    } finally {
      await other.close()
    }
  })
})
