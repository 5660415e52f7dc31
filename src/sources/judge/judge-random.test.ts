// Random edits, undos, deletions and answers of a source: the work of people survives, and the rest is as the source says.
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'

const STEPS = countCases(500)
const KEYS = ['one', 'two', 'three', 'four', 'five', 'six']

/** Returns numbers below a bound, the same in each run. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
}

type Machine = { os: string; tags: string[] }

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

  test('no edited field and no tag of a person is lost, deleted devices stay deleted, and a second answer writes nothing', async () => {
    const random = createRandom(dialect === 'sqlite' ? 7 : 11)
    const id = await j.source({ gone_after_hours: 0, max_gone_percent: 100 })
    const said = new Map<string, Machine>(KEYS.map((key) => [key, { os: 'os 0', tags: ['vm'] }]))
    /** Values that a person has set, by the object. */
    const edited = new Map<string, string>()
    const tagged = new Map<string, string>()
    const deleted = new Set<string>()
    let counter = 0

    const list = async () => new Map((await j.api.devices.list({})).map((device) => [device.id, device]))
    const toRows = (): Said[] =>
      [...said].map(([key, { os, tags }]) => ({
        key,
        row: { name: `vm-${key}`, os, tags, status: 'active', refs: { proxmox: key } },
      }))

    const answer = async () => {
      await j.say(id, toRows())
      const { failed } = await j.apply(id)
      expect(failed).toEqual([])
      const devices = await list()
      for (const gone of deleted) expect(devices.has(gone)).toBe(false)
      for (const [object, os] of edited) expect([object, devices.get(object)?.os]).toEqual([object, os])
      for (const [object, tag] of tagged) expect(devices.get(object)?.tags).toContain(tag)
      for (const row of await j.api.sources.objects({ source_id: id, resource: 'devices' })) {
        const own = said.get(row.key)
        const device = devices.get(row.object_id ?? '')
        if (own && device && edited.get(device.id) === undefined) expect(device.os).toBe(own.os)
        // A value that the source says too follows it from now on.
        if (own && device && edited.get(device.id) === own.os) edited.delete(device.id)
      }
    }

    /** An undo is a change by a person: its results stay. */
    const undo = async () => {
      const before = await list()
      if ((await j.undo()) !== 200) return
      const after = await list()
      for (const object of before.keys())
        if (!after.has(object)) {
          deleted.add(object)
          edited.delete(object)
          tagged.delete(object)
        }
      for (const [object, { os, tags }] of after) {
        deleted.delete(object)
        const was = before.get(object)
        if (was?.os !== os) edited.set(object, os)
        if (!tags.includes(tagged.get(object) ?? '')) tagged.delete(object)
      }
    }

    const steps: Readonly<Record<string, () => Promise<void>>> = {
      answer,
      undo,
      edit: async () => {
        const all = [...(await list()).keys()].sort()
        const object = all[random(all.length || 1)]
        if (object === undefined) return
        const os = `mine ${++counter}`
        await j.api.devices.update({ id: object, os })
        edited.set(object, os)
      },
      tag: async () => {
        const all = [...(await list()).keys()].sort()
        const object = all[random(all.length || 1)]
        if (object === undefined) return
        const tag = `mine-${++counter}`
        await j.api.devices.update({ id: object, add_tags: [tag] })
        tagged.set(object, tag)
      },
      delete: async () => {
        const all = [...(await list()).keys()].sort()
        const object = all[random(all.length || 1)]
        if (object === undefined || deleted.size > 3) return
        await j.api.devices.delete({ id: object })
        for (const known of [edited, tagged]) known.delete(object)
        deleted.add(object)
      },
      change: async () => {
        const key = KEYS[random(KEYS.length)] ?? ''
        const machine = said.get(key)
        if (machine) Object.assign(machine, { os: `os ${++counter}`, tags: random(2) ? ['vm'] : ['vm', 'prod'] })
      },
      lose: async () => void said.delete(KEYS[random(KEYS.length)] ?? ''),
      find: async () => {
        const key = KEYS[random(KEYS.length)] ?? ''
        if (!said.has(key)) said.set(key, { os: `os ${++counter}`, tags: ['vm'] })
      },
    }
    const names = Object.keys(steps)
    await answer()
    for (let step = 0; step < STEPS; step++) await steps[names[random(names.length)] ?? '']?.()
    await answer()
    const rows = toRows()
    await j.say(id, rows)
    expect(await j.apply(id)).toMatchObject({ changes: [], failed: [] })
    expect(await j.say(id, rows)).toMatchObject({ result: 'unchanged' })
  }, 120_000)
})
