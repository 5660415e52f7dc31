// Snapshots of strangers, pushed to a server.
import { describe, expect, test } from 'bun:test'
import { refusal, thrownRefusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { pushingApp } from '../../../testing/sources/pushing.ts'

const port = (device: string, name: string) => ({ device, name })

describe.each(engines())('on %s', (dialect) => {
  const p = pushingApp(dialect)

  test('control characters of a document are dropped', async () => {
    const id = await p.source({ name: 'controls', mode: 'auto', ref: 'controls' })
    const run = await p.run(id, {
      datacenters: [{ name: 'D\u0000C', refs: { controls: 'dc' } }],
      devices: [{ name: 'made\u0000', datacenter: 'D\u0000C', refs: { controls: '1', 'crm\u0000': '\u00012' } }],
      ports: [port('made', 'eth\u00000')],
    })
    expect(run).toMatchObject({ status: 'completed', result: 'applied', counts: { devices: { failed: 0 } } })
    const [device] = await p.api.devices.list({ managed_by: `source:${id}` })
    expect(device).toMatchObject({ name: 'made', refs: { controls: '1', crm: '2' } })
    expect(await p.api.ports.list({ device_id: device?.id ?? '' })).toMatchObject([{ name: 'eth0' }])
  })

  test('a name that is too long is refused for its row only, and a key that is too long for its run', async () => {
    const id = await p.source({ name: 'long', mode: 'auto', ref: 'long' })
    const long = Array.from({ length: 3000 }, (_, i) => i.toString(36)).join('')
    const devices = [
      { name: 'short', refs: { long: '1' } },
      { name: long, refs: { long: '2' } },
    ]
    expect(await p.run(id, { devices })).toMatchObject({
      ...{ result: 'applied', counts: { devices: { created: 1, failed: 1 } } },
    })
    const { error_code, message } = await p.run(id, { devices, ports: [port('short', long)] })
    expect([error_code, message]).toEqual(['bad_answer', expect.stringContaining('is longer than 1024 bytes')])
  })

  test('a row that is too long is refused', async () => {
    const id = await p.source({ name: 'large', ref: 'large' })
    const file = { devices: [{ name: 'large', description: 'x'.repeat(1024 * 1024) }] }
    expect(await p.push(id, file)).toMatchObject(refusal('snapshot'))
  })

  test('a key that no database stores is refused', async () => {
    const id = await p.source({ name: 'asked', ref: 'asked' })
    const objects = [{ resource: 'devices', key: 'a\u0000' }] as const
    const refused = thrownRefusal('objects[0].key')
    await expect(p.api.sources.apply({ id, objects: [...objects] })).rejects.toMatchObject(refused)
    const linked = objects.map((one) => ({ ...one, object_id: null }))
    await expect(p.api.sources.link({ id, objects: linked })).rejects.toMatchObject(refused)
    const host = p.api.sources.create({ name: 'host', kind: 'libvirt', options: { host: 'a\u0000' } })
    await expect(host).rejects.toMatchObject(thrownRefusal('options.host'))
  })
})
