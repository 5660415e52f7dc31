// The rules of racks: their fields, the places of devices in them, their use, and the devices that move with them.
import { describe, expect, test } from 'bun:test'
import { fieldsOf, inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Device } from '../devices/schema.ts'
import type { Elevation, Rack } from './api.ts'

/** Mulberry32: the same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

describe.each(onSqlite())('racks on %s', (dialect) => {
  const inv = inventory(dialect)
  const rackOf = async (fields: object = {}): Promise<Rack> =>
    (await inv.ask('POST /api/racks', { name: 'Rack', ...fields })).body as Rack
  const put = (name: string, mount: object | null, more: object = {}) =>
    inv.ask('POST /api/devices', { name, mount, ...more })
  const deviceOf = (answer: { readonly body: unknown }) => answer.body as Device
  const elevationOf = async (id: string) => (await inv.ask(`GET /api/racks/${id}/elevation`)).body as Elevation

  test('give a device a whole place, which a device without one does not show', async () => {
    const rack = await rackOf()
    const made = deviceOf(await put('placed', { rack_id: rack.id, position: 10 }))
    const mount = {
      ...{ rack_id: rack.id, position: 10, height: 1, face: 'front', full_depth: true, slot: '1/1', power_w: null },
    }
    expect(made.mount as object).toEqual(mount)
    expect(deviceOf(await inv.ask(`PUT /api/devices/${made.id}`, { os: 'x' })).mount as object).toEqual(mount)
    const moved = await inv.ask(`PUT /api/devices/${made.id}`, {
      mount: { rack_id: rack.id, position: 1.5, height: 2 },
    })
    expect(deviceOf(moved).mount as object).toEqual({ ...mount, position: 1.5, height: 2 })
    expect((await inv.api.devices.list({ rack_id: rack.id })).map(({ id }) => id)).toEqual([made.id])
    const out = deviceOf(await inv.ask(`PUT /api/devices/${made.id}`, { mount: null }))
    expect(Object.hasOwn(out, 'mount')).toBe(false)
    expect(await inv.api.devices.list({ rack_id: rack.id })).toEqual([])
    expect(Object.keys(deviceOf(await inv.ask('POST /api/devices', { name: 'none' })))).not.toContain('mount')
  })

  test('refuse a place on its field, and nothing has changed', async () => {
    const [here, there] = [
      await inv.api.datacenters.create({ name: 'here' }),
      await inv.api.datacenters.create({ name: 'there' }),
    ]
    const rack = await rackOf({ datacenter_id: here.id, height: 10, first_unit: 5 })
    await put('holder', { rack_id: rack.id, position: 8, height: 2 })
    const at = (mount: object) => ({ rack_id: rack.id, ...mount })
    for (const [mount, field, more] of [
      [{ rack_id: 'nowhere', position: 8 }, 'mount.rack_id', {}],
      [{ position: 8 }, 'mount.rack_id', {}],
      [at({ position: 6 }), 'mount.rack_id', { datacenter_id: there.id }],
      [at({ position: 4.5 }), 'mount.position', {}],
      [at({ position: 14.5 }), 'mount.position', {}],
      [at({ position: 5.25 }), 'mount.position', {}],
      [at({ position: 9.5 }), 'mount.position', {}],
      [at({ position: 7, height: 1.5 }), 'mount.position', {}],
      [at({ position: 7, height: 0 }), 'mount.position', {}],
      [at({ position: 6, height: 101 }), 'mount.height', {}],
      [at({ position: 6, face: 'side' }), 'mount.face', {}],
      [at({ position: 6, slot: '3/2' }), 'mount.slot', {}],
      [at({ position: 6, slot: '1/5' }), 'mount.slot', {}],
      [at({ position: 6, power_w: -1 }), 'mount.power_w', {}],
    ] as const)
      expect(fieldsOf(await put('refused', mount, more))).toContain(field)
    expect(await inv.ask('POST /api/devices', { name: 'r', mount: at({ position: 8.5 }) })).toMatchObject({
      status: 400,
      body: { details: [{ message: expect.stringContaining('"holder"') }] },
    })
    expect((await elevationOf(rack.id)).front).toHaveLength(1)
  })

  test('take devices of half the width beside each other, and of less than the depth behind each other', async () => {
    const rack = await rackOf()
    const at = (more: object) => ({ rack_id: rack.id, position: 3, full_depth: false, ...more })
    expect((await put('left', at({ slot: '1/2' }))).status).toBe(201)
    expect((await put('right', at({ slot: '2/2' }))).status).toBe(201)
    expect((await put('behind', at({ face: 'rear' }))).status).toBe(201)
    expect(fieldsOf(await put('third', at({ slot: '2/3' })))).toEqual(['mount.position'])
    expect(fieldsOf(await put('deep', at({ full_depth: true })))).toEqual(['mount.position'])
  })

  test('place each device as a plain grid of half units, twelfths of the width and two faces does', async () => {
    const random = randomOf(27)
    const rack = await rackOf({ height: 12 })
    const grid = new Set<string>()
    let [placed, refused] = [0, 0]
    for (let i = 0; i < 150; i++) {
      const n = 1 + random(4)
      const k = 1 + random(n)
      const [position, height] = [1 + random(24) / 2, (1 + random(5)) / 2]
      const [face, full_depth] = [random(2) ? 'front' : 'rear', random(3) === 0]
      const cells: string[] = []
      for (let half = position * 2; half < (position + height) * 2; half++)
        for (let twelfth = ((k - 1) * 12) / n; twelfth < (k * 12) / n; twelfth++)
          for (const side of full_depth ? ['front', 'rear'] : [face]) cells.push(`${half} ${twelfth} ${side}`)
      const fits = position + height <= 13 && !cells.some((cell) => grid.has(cell))
      const answer = await put(`d${i}`, { rack_id: rack.id, position, height, face, full_depth, slot: `${k}/${n}` })
      expect([i, answer.status]).toEqual([i, fits ? 201 : 400])
      if (fits) for (const cell of cells) grid.add(cell)
      if (fits) placed++
      else refused++
    }
    expect(Math.min(placed, refused)).toBeGreaterThan(20)
    const taken = new Set([...grid].map((cell) => Math.floor(Number(cell.split(' ')[0]) / 2)))
    expect((await elevationOf(rack.id)).usage.used_units).toBe(taken.size)
  })

  test('give one place to one of 20 callers at once', async () => {
    const rack = await rackOf()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put(`at once ${i}`, { rack_id: rack.id, position: 7 + (i % 2) / 2 })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(400)])
    expect((await elevationOf(rack.id)).front).toHaveLength(1)
  })

  test('are made again by an undo, with their devices', async () => {
    const rack = await rackOf({ name: 'undone' })
    const made = deviceOf(await put('undone', { rack_id: rack.id, position: 4 }))
    inv.advance(1000)
    const gone = await inv.ask(`DELETE /api/racks/${rack.id}`)
    expect(gone.status).toBe(204)
    expect(Object.hasOwn(await inv.api.devices.get({ id: made.id }), 'mount')).toBe(false)
    const [change] = await inv.api.history.list({ operation: 'racks.delete', limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`, {})).status).toBe(200)
    expect((await inv.api.devices.get({ id: made.id })).mount).toEqual(made.mount)
    expect((await inv.api.racks.get({ id: rack.id })).name).toBe('undone')
  })

  test('show the past of a place', async () => {
    // The history of a database begins with its migration, by the clock of the machine.
    inv.advance(Date.parse('2100-01-01T00:00:00Z') - Date.parse(inv.now()))
    const rack = await rackOf({ name: 'past' })
    const made = deviceOf(await put('past', { rack_id: rack.id, position: 2 }))
    inv.advance(1000)
    const as_of = inv.now()
    inv.advance(1000)
    await inv.ask(`PUT /api/devices/${made.id}`, { mount: null })
    const past = (await inv.ask(`GET /api/racks/${rack.id}/elevation?as_of=${as_of}`)).body as Elevation
    expect(past.front.map(({ position }) => position)).toEqual([2])
    expect((await elevationOf(rack.id)).front).toEqual([])
  })

  test('give their datacenter to their devices, and keep it apart from that of another one', async () => {
    const [one, two] = [
      await inv.api.datacenters.create({ name: 'one' }),
      await inv.api.datacenters.create({ name: 'two' }),
    ]
    const rack = await rackOf({ datacenter_id: one.id })
    const made = deviceOf(await put('follows', { rack_id: rack.id, position: 1 }))
    expect(made.datacenter_id).toBe(one.id)
    await inv.ask(`PUT /api/racks/${rack.id}`, { datacenter_id: two.id })
    expect((await inv.api.devices.get({ id: made.id })).datacenter_id).toBe(two.id)
    expect(fieldsOf(await inv.ask(`PUT /api/devices/${made.id}`, { datacenter_id: one.id }))).toEqual(['mount.rack_id'])
    await inv.ask(`PUT /api/racks/${rack.id}`, { datacenter_id: null })
    expect((await inv.api.devices.get({ id: made.id })).datacenter_id).toBe(two.id)
    // The device is there already: an undo of the change only concerns the rack.
    const moved = await inv.admin.request('PUT', `/api/racks/${rack.id}`, { datacenter_id: two.id })
    const change = await inv.api.history.get({ id: moved.headers.get('x-change-id') ?? '' })
    expect(change.items?.map(({ kind }) => kind)).toEqual(['rack'])
    await inv.api.datacenters.delete({ id: two.id })
    expect((await inv.api.racks.get({ id: rack.id })).datacenter_id).toBe(null)
    expect((await inv.api.devices.get({ id: made.id })).datacenter_id).toBe(null)
  })

  test('cannot leave a device outside', async () => {
    const rack = await rackOf({ height: 20 })
    await put('top', { rack_id: rack.id, position: 19, height: 2 })
    expect(fieldsOf(await inv.ask(`PUT /api/racks/${rack.id}`, { height: 19 }))).toEqual(['height'])
    expect(fieldsOf(await inv.ask(`PUT /api/racks/${rack.id}`, { first_unit: 20 }))).toEqual(['first_unit'])
    expect((await inv.ask(`PUT /api/racks/${rack.id}`, { height: 21 })).status).toBe(200)
  })

  test('tell the use of space and power, in the list too', async () => {
    const rack = await rackOf({ name: 'used', height: 10, max_power_w: 400 })
    await put('a', { rack_id: rack.id, position: 2, height: 1.5, power_w: 100 })
    await put('b', { rack_id: rack.id, position: 6, power_w: 50 })
    await put('pdu', { rack_id: rack.id })
    const usage = {
      ...{ total_units: 10, used_units: 3, free_units: 7, largest_free_units: 4, devices: 3 },
      ...{ power_w: 150, max_power_w: 400, power: 37.5 },
    }
    const { usage: shown, unplaced, front } = await elevationOf(rack.id)
    expect(shown).toEqual(usage)
    expect([unplaced.map(({ name }) => name), front.map(({ name }) => name)]).toEqual([['pdu'], ['a', 'b']])
    const [listed] = await inv.api.racks.list({ name: 'used', include: ['usage'] })
    expect(listed?.usage).toEqual(usage)
    expect(Object.hasOwn((await inv.api.racks.list({ name: 'used' }))[0] ?? {}, 'usage')).toBe(false)
  })

  test('are drawn without a script, and hostile names stay text', async () => {
    const rack = await rackOf({ name: '<script>alert(1)</script>' })
    await put(']]><script>x</script>\u202e"&', { rack_id: rack.id, position: 1, height: 2 })
    const response = await inv.admin.request('GET', `/api/racks/${rack.id}/elevation.svg?face=rear`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toStartWith('image/svg+xml')
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(text).not.toMatch(/<script|<foreignObject|href|\u202e|on\w+=/i)
    expect(text).toContain(']]&gt;&lt;script&gt;x&lt;/script&gt;&quot;&amp;')
    expect((await inv.admin.request('GET', `/api/racks/${rack.id}/elevation.svg?face=top`)).status).toBe(400)
    expect((await inv.admin.request('GET', '/api/racks/none/elevation.svg')).status).toBe(404)
  })

  test('are drawn from behind as a mirror of the front', async () => {
    const rack = await rackOf()
    const at = { rack_id: rack.id, position: 3, slot: '1/2' }
    await put('front', { ...at, full_depth: true })
    await put('rear', { ...at, slot: '2/2', full_depth: false, face: 'rear' })
    const svg = await (await inv.admin.request('GET', `/api/racks/${rack.id}/elevation.svg?face=rear`)).text()
    const xOf = (name: string) => Number(new RegExp(`<title>${name}, [^/]*/title><rect x="([\\d.]+)"`).exec(svg)?.[1])
    expect(xOf('rear')).toBeLessThan(xOf('front'))
  })

  test('take many devices in one bulk call, of which each place counts', async () => {
    const rack = await rackOf()
    const device = (name: string, position: number) => ({
      op: 'create',
      device: { name, mount: { rack_id: rack.id, position } },
    })
    const answer = await inv.ask('POST /api/devices/bulk', {
      operations: [device('b1', 1), device('b2', 2), device('b3', 2)],
    })
    expect(fieldsOf(answer)).toEqual(['operations[2].device.mount.position'])
    expect((await elevationOf(rack.id)).front).toEqual([])
  })
})
