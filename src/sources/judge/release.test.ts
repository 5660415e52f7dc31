// Sources that are deleted with the objects that they made.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'

const space = (key: string): Said => ({
  ...{ resource: 'spaces', key, type: 'space' },
  row: { name: key, refs: { aws: key } },
})
const network = (key: string, vpc: string, subnet: string): Said => ({
  ...{ resource: 'networks', key, type: 'network' },
  row: { name: key, subnet, space: { ref: `aws:${vpc}` }, refs: { aws: key } },
})
const machine = (key: string, vpc: string, ip: string): Said => ({
  key,
  row: { name: key, addresses: [{ ip, space: { ref: `aws:${vpc}` } }], refs: { aws: key } },
})

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  const listSpaces = async (prefix: string) =>
    (await j.api.spaces.list({})).flatMap(({ name, managed_by }) =>
      name.startsWith(prefix) ? [[name, managed_by]] : [],
    )
  const sayVpc = async (prefix: string) => {
    const id = await j.source({ kind: 'vcenter', ref: 'aws' })
    const vpc = `${prefix}-vpc`
    const rows = [space(vpc), network(`${prefix}-net`, vpc, '10.0.0.0/24'), machine(`${prefix}-1`, vpc, '10.0.0.5')]
    await j.say(id, [...rows, space(`${prefix}-vpc-2`)])
    expect((await j.apply(id)).failed).toEqual([])
    const made = (await j.api.spaces.list({})).find(({ name }) => name === vpc)
    return { id, vpc: made?.id ?? '' }
  }

  test('the spaces that a source made go with it', async () => {
    const { id } = await sayVpc('a')
    expect(await listSpaces('a-')).toHaveLength(2)
    await j.api.sources.delete({ id, objects: 'delete' })
    expect(await listSpaces('a-')).toEqual([])
    expect((await j.api.networks.list({})).filter(({ name }) => name === 'a-net')).toEqual([])
  })

  test('a space that anything else uses stays without an owner, and the others go', async () => {
    const { id, vpc } = await sayVpc('b')
    await j.api.networks.create({ name: 'b-mine', subnet: '10.9.0.0/24', space_id: vpc })
    await j.api.sources.delete({ id, objects: 'delete' })
    expect(await listSpaces('b-')).toEqual([['b-vpc', '']])
    expect((await j.api.networks.list({})).flatMap(({ name }) => (name.startsWith('b-') ? [name] : []))).toEqual([
      'b-mine',
    ])
    expect(await j.api.devices.list({ q: 'b-1' })).toEqual([])
  })

  test('a space that only its source names goes with it, and a space that another source names stays', async () => {
    const { id, vpc } = await sayVpc('c')
    await j.api.sources.update({ id, space_id: vpc })
    const other = await j.source({ kind: 'proxmox', space_id: vpc })
    const second = await sayVpc('d')
    await j.api.sources.update({ id: second.id, space_id: second.vpc })
    for (const one of [id, second.id]) await j.api.sources.delete({ id: one, objects: 'delete' })
    expect(await listSpaces('c-')).toEqual([['c-vpc', '']])
    expect(await listSpaces('d-')).toEqual([])
    await j.api.sources.delete({ id: other })
  })

  test('a device that another source says stays without an owner', async () => {
    const [one, two] = [await j.source({ ref: 'proxmox' }), await j.source({ kind: 'docker', ref: 'docker' })]
    const mac = 'bc:24:11:00:01:01'
    const said = (ref: string): Said => ({
      key: 'e-1',
      type: 'host',
      macs: [mac],
      row: { name: 'e-1', refs: { [ref]: 'e-1' } },
    })
    const port: Said = {
      ...{ resource: 'ports', key: 'e-1 eth0', type: 'port' },
      row: { device: { ref: 'proxmox:e-1' }, name: 'eth0', mac_address: mac },
    }
    await j.say(one, [said('proxmox'), port, { ...said('proxmox'), key: 'e-2', macs: [], row: { name: 'e-2' } }], {
      applies: true,
    })
    await j.say(two, [said('docker')], { applies: true })
    await j.api.sources.delete({ id: one, objects: 'delete' })
    expect(await j.find(two, 'e-1')).toMatchObject({ state: 'synced', because: `MAC ${mac}` })
    const left = (await j.api.devices.list({})).filter(({ name }) => name.startsWith('e-'))
    expect(left.map(({ name, managed_by }) => [name, managed_by])).toEqual([['e-1', '']])
  })
})
