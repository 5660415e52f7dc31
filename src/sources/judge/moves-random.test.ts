// Random moves, clones and edits of machines that two sources of one kind say, with runs in any order.
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'

const STEPS = countCases(600)
const SIDES = ['one', 'two'] as const
type Side = (typeof SIDES)[number]

/** Returns numbers below a bound, the same in each run. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
}

type Machine = { readonly name: string; readonly mac: string; key: string; at: Side | undefined }

const toMac = (at: number): string =>
  `00:50:56:00:${(at >> 8).toString(16).padStart(2, '0')}:${(at & 255).toString(16).padStart(2, '0')}`

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

  test('each machine keeps one object with the edits of people, and only clones are ever in doubt', async () => {
    const random = createRandom(dialect === 'sqlite' ? 3 : 5)
    const settings = { kind: 'vcenter', ref: 'vcenter', max_gone_percent: 100 }
    const ids = { one: await j.source(settings), two: await j.source(settings) }
    const machines: Machine[] = []
    /** The MAC addresses that several machines have had. */
    const cloned = new Set<string>()
    const edited = new Map<string, string>()
    let counter = 0

    const isKeyFree = (side: Side, key: string) => !machines.some((one) => one.at === side && one.key === key)
    const pick = <T>(all: readonly T[]): T | undefined => all[random(all.length || 1)]
    const getOther = (side: Side): Side => (side === 'one' ? 'two' : 'one')

    const list = (side: Side) => j.api.sources.objects({ source_id: ids[side], resource: 'devices', limit: 1000 })

    const run = async (side: Side) => {
      const rows = machines
        .filter(({ at }) => at === side)
        .flatMap(({ name, mac, key }): Said[] => [
          { key, macs: [mac], row: { name, status: 'active', tags: ['vm', side], refs: { vcenter: key } } },
          {
            ...{ resource: 'ports', key: `${key} nic`, type: 'port' },
            row: { device: { ref: `vcenter:${key}` }, name: 'nic', mac_address: mac },
          },
        ])
      await j.say(ids[side], rows, { applies: true })
      const objects = [...(await list('one')), ...(await list('two'))]
      expect(objects.filter(({ state }) => state === 'failed')).toEqual([])
      const said = objects.filter(({ missing_since, object_id }) => missing_since === null && object_id !== null)
      expect(new Set(said.map(({ object_id }) => object_id)).size).toBe(said.length)
      const devices = await j.api.devices.list({ limit: 1000 })
      const byId = new Map(devices.map((device) => [device.id, device]))
      for (const [id, description] of edited) expect(byId.get(id)?.description).toBe(description)
      const names = Map.groupBy(devices, ({ name }) => name)
      for (const { name, mac } of machines)
        if (!cloned.has(mac)) expect([name, names.get(name)?.length ?? 0]).toEqual([name, names.has(name) ? 1 : 0])
    }

    const steps: Readonly<Record<string, () => Promise<void> | void>> = {
      runOne: () => run('one'),
      runTwo: () => run('two'),
      add: () => {
        if (machines.length > 25) return
        const at = ++counter
        machines.push({ name: `vm-${at}`, mac: toMac(at), key: `key-${at}`, at: pick(SIDES) })
      },
      move: () => {
        const machine = pick(machines.filter(({ at }) => at !== undefined))
        if (!machine?.at) return
        const side = getOther(machine.at)
        const key = random(3) === 0 ? `key-${++counter}` : machine.key
        if (isKeyFree(side, key)) Object.assign(machine, { at: side, key })
      },
      clone: () => {
        const origin = pick(machines)
        const side = pick(SIDES)
        if (!origin || !side || machines.length > 25) return
        const key = random(2) === 0 ? origin.key : `key-${++counter}`
        if (!isKeyFree(side, key)) return
        cloned.add(origin.mac)
        machines.push({ name: random(2) === 0 ? origin.name : `vm-${++counter}`, mac: origin.mac, key, at: side })
      },
      lose: () => {
        const machine = pick(machines)
        if (machine && random(2) === 0) machine.at = undefined
      },
      find: () => {
        const machine = pick(machines.filter(({ at }) => at === undefined))
        const side = pick(SIDES)
        if (machine && side && isKeyFree(side, machine.key)) machine.at = side
      },
      edit: async () => {
        const device = pick(await j.api.devices.list({ limit: 1000 }))
        if (!device) return
        const description = `mine ${++counter}`
        await j.api.devices.update({ id: device.id, description })
        edited.set(device.id, description)
      },
    }
    const names = Object.keys(steps)
    for (let step = 0; step < STEPS; step++) await steps[names[random(names.length)] ?? '']?.()
    // Runs of both until neither waits for the other one.
    for (const side of ['one', 'two', 'one', 'two'] as const) await run(side)
    for (const side of SIDES) {
      const objects = await list(side)
      for (const { name, mac, key, at } of machines) {
        if (at !== side || cloned.has(mac)) continue
        expect(objects.find((object) => object.key === key)).toMatchObject({ name, state: 'synced' })
      }
      const tags = await Promise.all(
        objects
          .filter(({ state }) => state === 'synced')
          .map(async ({ object_id }) => (await j.api.devices.get({ id: object_id ?? '' })).tags),
      )
      // Nothing of the other source is left at a machine that has moved.
      expect(tags.filter((one) => one.includes(getOther(side)))).toEqual([])
    }
    expect(machines.filter(({ mac, at }) => at !== undefined && !cloned.has(mac)).length).toBeGreaterThan(3)
    expect(edited.size).toBeGreaterThan(3)
  }, 120_000)
})
