/** Two vCenters, whole runs: machines that move, clones, and an inventory that people have documented before. */
import { describe, expect, test } from 'bun:test'
import { takeOneIn } from '../../../../testing/cases.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { Sourced } from '../../../../testing/sources/sourced.ts'
import { manageVcenter, startVcenter, VCENTER_SECRETS } from '../../../../testing/sources/vcenter.ts'
import { buildVcenterSnapshot, type Machines, type TestVm } from '../../../../testing/sources/vcenter-snapshot.ts'
import type { SourceObject } from '../../schema.ts'

/** A busy machine starts a process slowly. */
const TIMEOUT_MS = 180_000

/** Two vCenters of which the snapshots are pushed. */
class Pair {
  readonly #plat: Sourced
  readonly #ids: Readonly<Record<string, string>>

  private constructor(plat: Sourced, ids: Readonly<Record<string, string>>) {
    this.#plat = plat
    this.#ids = ids
  }

  static async add(plat: Sourced, settings: object = {}): Promise<Pair> {
    const [one, two] = [
      await plat.create({ name: 'one', kind: 'vcenter', ...settings }),
      await plat.create({ name: 'two', kind: 'vcenter', ...settings }),
    ]
    return new Pair(plat, { one: one.id, two: two.id })
  }

  getId(source: 'one' | 'two'): string {
    return this.#ids[source] ?? ''
  }

  /** Runs a source to its end. Returns the devices that are in doubt. */
  async say(source: 'one' | 'two', machines: Machines): Promise<string[]> {
    const snapshot = buildVcenterSnapshot(`cluster-${source}`, machines)
    const id = this.getId(source)
    expect(await this.#plat.push(id, { kind: 'vcenter', snapshot })).toMatchObject({ status: 'completed', message: '' })
    const doubts = await this.#plat.api.sources.objects({ source_id: id, resource: 'devices', state: 'unclear' })
    return doubts.map(({ name }) => name)
  }

  async find(source: 'one' | 'two', uuid: string): Promise<SourceObject | undefined> {
    const objects = await this.#plat.api.sources.objects({ source_id: this.getId(source), resource: 'devices' })
    return objects.find(({ key }) => key === `vm/${uuid}` || key === `host/${uuid}`)
  }
}

const vm = (name: string, at: number, more: Partial<TestVm> = {}): TestVm => ({
  ...{ uuid: `uuid-${name}`, name, mac: `00:50:56:00:00:${at.toString(16).padStart(2, '0')}`, ...more },
})

/** Fails if two rows that are said mean one device, or a device of a vCenter is said by none. */
const expectOneObjectEach = async (plat: Sourced): Promise<void> => {
  const said = (await plat.api.sources.objects({ resource: 'devices', limit: 1000 })).filter(
    ({ missing_since }) => missing_since === null,
  )
  const ids = said.flatMap(({ object_id }) => object_id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  const devices = await plat.api.devices.list({})
  expect(
    devices.filter(({ id, managed_by }) => managed_by !== '' && !ids.includes(id)).map(({ name }) => name),
  ).toEqual([])
}

describe.each(takeOneIn(2, engines()))('two vCenters on %s', (dialect) => {
  test(
    'a machine that moves there and back keeps its object, its edits and its history, in either order of the runs',
    async () => {
      const plat = await Sourced.start(dialect)
      const { api } = plat
      // Gone at once, so that the first vCenter has decommissioned a machine before the second one says it.
      const pair = await Pair.add(plat, { gone_after_hours: 0 })
      const [mover, returner] = [vm('mover', 1), vm('returner', 2, { ip: '10.0.0.2' })]
      const [stay, rest] = [vm('stay', 3), vm('rest', 4)]
      expect(await pair.say('one', { vms: [mover, stay] })).toEqual([])
      expect(await pair.say('two', { vms: [returner, rest] })).toEqual([])
      const find = async (name: string) => (await api.devices.list({ q: name })).filter((one) => one.name === name)
      const [first] = await find('mover')
      const [second] = await find('returner')
      const ids = [first?.id ?? '', second?.id ?? '']
      for (const id of ids) await api.devices.update({ id, add_tags: ['mine'], description: 'of a person' })

      const expectAt = async (id: string, cluster: string, os: string) => {
        expect(await api.devices.get({ id })).toMatchObject({
          ...{ status: 'active', description: 'of a person', os },
          tags: expect.arrayContaining(['vm', 'mine', `cluster:cluster-${cluster}`]),
        })
        expect((await api.devices.get({ id })).tags).toHaveLength(3)
        const parents = (await api.relationships.list({ device_id: id })).filter(({ child_id }) => child_id === id)
        const host = await pair.find(cluster === 'one' ? 'one' : 'two', `host-of-cluster-${cluster}`)
        expect(parents.map(({ parent_id }) => parent_id)).toEqual([host?.object_id ?? ''])
        expect(await api.ports.list({ device_id: id })).toHaveLength(1)
        expect((await api.history.list({ object_id: id })).length).toBeGreaterThan(1)
      }
      const upgraded = { os: 'Debian GNU/Linux 13 (64-bit)' }
      // `mover` goes from one to two, and the vCenter that it leaves runs first. `returner` goes the other way.
      expect(await pair.say('one', { vms: [{ ...returner, ...upgraded }, stay] })).toEqual(['returner'])
      expect(await pair.say('two', { vms: [{ ...mover, ...upgraded }, rest] })).toEqual([])
      expect(await pair.say('one', { vms: [{ ...returner, ...upgraded }, stay] })).toEqual([])
      expect([(await find('mover')).map(({ id }) => id), (await find('returner')).map(({ id }) => id)]).toEqual([
        ...[[ids[0] ?? ''], [ids[1] ?? '']],
      ])
      await expectAt(ids[0] ?? '', 'two', upgraded.os)
      await expectAt(ids[1] ?? '', 'one', upgraded.os)
      // Both go back, and now the vCenter to which `mover` goes runs last.
      expect(await pair.say('two', { vms: [returner, rest] })).toEqual(['returner'])
      expect(await pair.say('one', { vms: [mover, stay] })).toEqual([])
      expect(await pair.say('two', { vms: [returner, rest] })).toEqual([])
      await expectAt(ids[0] ?? '', 'one', 'Debian GNU/Linux 12 (64-bit)')
      await expectAt(ids[1] ?? '', 'two', 'Debian GNU/Linux 12 (64-bit)')
      for (const source of ['one', 'two'] as const) expect(await plat.listOpen(pair.getId(source))).toEqual([])
      expect(await api.devices.list({})).toHaveLength(6)
      await expectOneObjectEach(plat)
      await plat.close()
    },
    TIMEOUT_MS,
  )

  test(
    'a clone gets its own object once both vCenters have run, and a clone of a machine that moves is in doubt',
    async () => {
      const plat = await Sourced.start(dialect)
      const pair = await Pair.add(plat)
      const origin = vm('web', 1, { ip: '10.0.0.1' })
      const clones = [
        // The same machine from a backup, a clone with its MAC, and a machine that has only its name.
        origin,
        vm('web-clone', 1),
        { ...vm('web', 9), uuid: 'uuid-namesake' },
      ]
      await pair.say('one', { vms: [origin, vm('stay', 3)] })
      expect(await pair.say('two', { vms: clones })).toEqual(['web', 'web-clone'])
      expect((await pair.find('two', 'uuid-web'))?.message).toContain('which the source "one" says too')
      expect(await pair.say('one', { vms: [origin, vm('stay', 3)] })).toEqual([])
      expect(await pair.say('two', { vms: clones })).toEqual([])
      for (const source of ['one', 'two'] as const) expect(await plat.listOpen(pair.getId(source))).toEqual([])
      // Five machines and two hosts.
      expect(await plat.api.devices.list({})).toHaveLength(7)
      await expectOneObjectEach(plat)
      // Now a machine moves while it is cloned: both rows may be it, until a person says which one is.
      const object = (await pair.find('one', 'uuid-stay'))?.object_id ?? ''
      await pair.say('one', { vms: [origin] })
      const moved = [vm('stay', 3), vm('stay-clone', 3)]
      expect(await pair.say('two', { vms: [...clones, ...moved] })).toEqual(['stay', 'stay-clone'])
      const link = { resource: 'devices', key: 'vm/uuid-stay', object_id: object } as const
      await plat.api.sources.link({ id: pair.getId('two'), objects: [link] })
      expect(await pair.say('two', { vms: [...clones, ...moved] })).toEqual([])
      expect(await pair.find('two', 'uuid-stay')).toMatchObject({ object_id: object, state: 'synced' })
      expect(await plat.api.devices.list({})).toHaveLength(8)
      await expectOneObjectEach(plat)
      await plat.close()
    },
    TIMEOUT_MS,
  )

  test(
    'machines that people have documented are found by each rule, and the doubts are listed',
    async () => {
      const plat = await Sourced.start(dialect)
      const { api } = plat
      const pair = await Pair.add(plat)
      const make = async (name: string, more: object = {}) =>
        (await api.devices.create({ name, description: 'of a person', ...more })).id
      const documented = {
        'by-ref': await make('other-ref', { refs: { vcenter: 'vm/uuid-by-ref' } }),
        'by-mac': await make('other-mac', { addresses: [{ ip: '10.0.1.2', mac_address: '00:50:56:00:00:02' }] }),
        'by-port': await make('other-port'),
        'by-serial': await make('other-serial', { serial: 'SN-4' }),
        'by-name': await make('By-Name.example.com', { addresses: [{ ip: '10.0.1.5' }] }),
      }
      await api.ports.create({ device_id: documented['by-port'], name: 'nic', mac_address: '00:50:56:00:00:03' })
      const named = await make('only-name')
      await make('other-address', { addresses: [{ ip: '10.0.1.7' }] })
      for (const name of ['twin-1', 'twin-2'])
        await api.ports.create({ device_id: await make(name), name: 'nic', mac_address: '00:50:56:00:00:08' })
      const before = (await api.devices.list({})).length
      const vms = [
        ...[vm('by-ref', 1), vm('by-mac', 2), vm('by-port', 3), vm('by-name', 5, { ip: '10.0.1.5' })],
        ...[vm('only-name', 6), vm('only-address', 7, { ip: '10.0.1.7' }), vm('twin', 8)],
      ]
      const hosts = [{ uuid: 'uuid-by-serial', name: 'by-serial', serial: 'sn-4' }]
      const doubts = ['only-address', 'only-name', 'twin']
      expect(await pair.say('one', { vms, hosts })).toEqual(doubts)
      expect(await api.devices.list({})).toHaveLength(before)
      const because = {
        ...{ 'by-ref': 'ref vcenter:vm/uuid-by-ref', 'by-mac': 'MAC 00:50:56:00:00:02' },
        ...{ 'by-port': 'MAC 00:50:56:00:00:03', 'by-serial': 'serial number', 'by-name': 'name and address' },
      }
      for (const [name, id] of Object.entries(documented)) {
        const said = await pair.find('one', `uuid-${name}`)
        expect([said?.object_id, said?.because]).toEqual([id, because[name as keyof typeof because]])
        // The name of the person stays, and the object is not the source's.
        expect(await api.devices.get({ id })).toMatchObject({ description: 'of a person', managed_by: '' })
      }
      // The second vCenter says one of them too: it waits for the first one, and then it is another machine.
      const also = { vms: [vm('by-mac', 2, { uuid: 'uuid-copy' })] }
      expect(await pair.say('two', also)).toEqual(['by-mac'])
      const objects = [
        { resource: 'devices', key: 'vm/uuid-only-name', object_id: named },
        { resource: 'devices', key: 'vm/uuid-only-address', object_id: '' },
        { resource: 'devices', key: 'vm/uuid-twin', object_id: '' },
      ] as const
      await api.sources.link({ id: pair.getId('one'), objects: [...objects] })
      expect(await pair.say('one', { vms, hosts })).toEqual([])
      expect(await pair.say('two', also)).toEqual([])
      // Two that a person has called new, and the copy and its host.
      expect(await api.devices.list({})).toHaveLength(before + 4)
      await expectOneObjectEach(plat)
      await plat.close()
    },
    TIMEOUT_MS,
  )
})

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('two simulators with the same machines', () => {
  test(
    'the machines of the second one are other ones, and one that is registered there keeps its object',
    async () => {
      const MOVED = 'DC0_C0_RP0_VM1'
      const servers = [await startVcenter('vpx'), await startVcenter('vpx')]
      const [first, second] = await Promise.all(servers.map(manageVcenter))
      await second?.unregister(MOVED)
      const plat = await Sourced.start()
      const ids: string[] = []
      for (const [at, { url }] of servers.entries()) {
        const { id } = await plat.create({ name: `vcenter ${at}`, kind: 'vcenter', url, secrets: VCENTER_SECRETS })
        const shown = (await plat.send(`POST /api/sources/${id}/test`)).body as { details: { message: string }[] }
        const [, tls] = shown.details
        await plat.api.sources.update({ id, tls_fingerprint: tls?.message ?? '', secrets: VCENTER_SECRETS })
        ids.push(id)
      }
      const [one = '', two = ''] = ids
      const read = async (id: string) => {
        expect(await plat.run(id)).toMatchObject({ status: 'completed', message: '' })
        const devices = await plat.api.sources.objects({ source_id: id, resource: 'devices' })
        return devices.filter(({ state }) => state === 'unclear').map(({ name }) => name)
      }
      const find = async (id: string) =>
        (await plat.api.sources.objects({ source_id: id, resource: 'devices', name: MOVED }))[0]
      expect(await read(one)).toEqual([])
      // All hosts and machines have the ids of the first simulator.
      expect(await read(two)).toHaveLength(7)
      expect(await read(one)).toEqual([])
      expect(await read(two)).toEqual([])
      expect(await plat.api.devices.list({})).toHaveLength(15)
      const object = (await find(one))?.object_id ?? ''
      await plat.api.devices.update({ id: object, description: 'of a person' })
      await second?.register(MOVED)
      expect(await read(two)).toEqual([MOVED])
      await first?.unregister(MOVED)
      expect(await read(one)).toEqual([])
      expect(await read(two)).toEqual([])
      expect((await find(two))?.object_id).toBe(object)
      expect(await find(one)).toBeUndefined()
      expect((await plat.api.devices.get({ id: object })).description).toBe('of a person')
      for (const id of ids) expect(await plat.listOpen(id)).toEqual([])
      expect(await plat.api.devices.list({})).toHaveLength(15)
      await expectOneObjectEach(plat)
      await plat.close()
      for (const server of servers) server.stop()
    },
    TIMEOUT_MS,
  )
})
