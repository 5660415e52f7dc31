// Traces: through panels, both ways, loops, open ends and breakouts; and random cables against a plain model.
import { describe, expect, test } from 'bun:test'
import { inventory, missing } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { End } from '../ports/end.ts'
import type { Trace } from './api.ts'

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

const textOf = ({ device, port, side }: End): string => `${device} ${port} ${side}`
const pathText = ({ hops, ends, is_loop }: Trace) => ({
  hops: hops.map(({ from, to }) => `${textOf(from)} > ${textOf(to)}`),
  ends: ends.map(textOf),
  is_loop,
})

/** A model of cables: the other end of each end. */
class Model {
  readonly other = new Map<string, string>()
  readonly passThrough = new Set<string>()
  #flip(end: string): string {
    return end.endsWith('front') ? end.replace(/front$/, 'rear') : end.replace(/rear$/, 'front')
  }
  #portOf(end: string): string {
    return end.replace(/ (front|rear)$/, '')
  }
  walk(start: string): { hops: [string, string][]; at: string; isLoop: boolean } {
    const hops: [string, string][] = []
    for (let at = start; ; ) {
      const to = this.other.get(at)
      if (to === undefined) return { hops, at, isLoop: false }
      hops.push([at, to])
      if (!this.passThrough.has(this.#portOf(to))) return { hops, at: to, isLoop: false }
      at = this.#flip(to)
      if (at === start) return { hops, at, isLoop: true }
    }
  }
  trace(port: string) {
    const front = this.walk(`${port} front`)
    const text = (hops: [string, string][]) => hops.map(([from, to]) => `${from} > ${to}`)
    if (front.isLoop) return { hops: text(front.hops), ends: [], is_loop: true }
    if (!this.passThrough.has(port)) {
      const ends = front.hops.length === 0 ? [front.at] : [`${port} front`, front.at]
      return { hops: text(front.hops), ends, is_loop: false }
    }
    const rear = this.walk(`${port} rear`)
    const back = front.hops.map(([from, to]): [string, string] => [to, from]).reverse()
    return { hops: text([...back, ...rear.hops]), ends: [front.at, rear.at], is_loop: false }
  }
}

describe.each(onSqlite())('traces on %s', (dialect) => {
  const inv = inventory(dialect)
  const device = async (name: string) => (await inv.api.devices.create({ name })).id
  const panel = async (name: string) => {
    const id = await device(name)
    const port = await inv.api.ports.create({ device_id: id, name: '1', pass_through: true })
    return port.id
  }
  const cable = (a: object, b: object, more: object = {}) =>
    inv.admin.request('POST', '/api/cables', { a, b, ...more }).then((answer) => expect(answer.status).toBe(201))
  const trace = async (id: string) => (await inv.ask(`GET /api/ports/${id}/trace`)).body as Trace

  test('go through panels, sum lengths, and are the same from a panel in between', async () => {
    const [sw, web] = [await device('sw'), await device('web')]
    const [p, q] = [await panel('panel-a'), await panel('panel-b')]
    const gi = (await inv.api.ports.create({ device_id: sw, name: 'Gi0/1' })).id
    expect(await trace(gi)).toEqual({
      hops: [],
      ends: [{ device_id: sw, device: 'sw', port_id: gi, port: 'Gi0/1', side: 'front' }],
      length_m: null,
      is_loop: false,
    })
    await cable({ port_id: gi }, { port_id: p }, { length_m: 0.1, label: 'one' })
    expect(pathText(await trace(gi))).toEqual({
      hops: ['sw Gi0/1 front > panel-a 1 front'],
      ends: ['sw Gi0/1 front', 'panel-a 1 rear'],
      is_loop: false,
    })
    await cable({ port_id: q, side: 'rear' }, { port_id: p, side: 'rear' }, { length_m: 0.2, type: 'om4' })
    await cable({ device_id: web, port: 'eth0' }, { port_id: q }, { status: 'planned' })
    const whole = {
      hops: ['sw Gi0/1 front > panel-a 1 front', 'panel-a 1 rear > panel-b 1 rear', 'panel-b 1 front > web eth0 front'],
      ends: ['sw Gi0/1 front', 'web eth0 front'],
      is_loop: false,
    }
    expect(pathText(await trace(gi))).toEqual(whole)
    const { hops, length_m } = await trace(gi)
    expect(length_m).toBe(0.3)
    expect(hops.map((hop) => hop.cable)).toMatchObject([
      { label: 'one', type: '', status: 'connected', length_m: 0.1 },
      { label: '', type: 'om4', status: 'connected', length_m: 0.2 },
      { status: 'planned', length_m: null },
    ])
    expect(pathText(await trace(p))).toEqual(whole)
    const [path] = await inv.api.cables.paths({ id: sw })
    expect(path).toEqual({ port_id: gi, port: 'Gi0/1', ...(await trace(gi)) })
    expect(await inv.ask('GET /api/ports/none/trace')).toMatchObject(missing)
    expect(await inv.ask('GET /api/devices/none/paths')).toMatchObject(missing)
  })

  test('end where a loop closes', async () => {
    const [p, q] = [await panel('loop-a'), await panel('loop-b')]
    await cable({ port_id: p }, { port_id: q })
    await cable({ port_id: q, side: 'rear' }, { port_id: p, side: 'rear' })
    expect(pathText(await trace(p))).toEqual({
      hops: ['loop-a 1 front > loop-b 1 front', 'loop-b 1 rear > loop-a 1 rear'],
      ends: [],
      is_loop: true,
    })
    const r = await panel('loop-c')
    await cable({ port_id: r }, { port_id: r, side: 'rear' })
    expect(pathText(await trace(r))).toEqual({
      hops: ['loop-c 1 front > loop-c 1 rear'],
      ends: [],
      is_loop: true,
    })
  })

  test('the traces of a breakout equal the traces of its ports, in the order of their names, page by page', async () => {
    const id = await device('breakout')
    const parent = await inv.api.ports.create({ device_id: id, name: 'Et1' })
    for (const n of [10, 2, 1]) {
      const name = `Et1/${n}`
      const port = await inv.api.ports.create({ device_id: id, name, parent_id: parent.id })
      await cable({ port_id: port.id }, { device_id: await device(`server-${n}`), port: 'eth0' })
    }
    const ports = async (query: string) =>
      ((await inv.ask(`GET /api/devices/${id}/paths${query}`)).body as { port: string }[]).map(({ port }) => port)
    expect(await ports('')).toEqual(['Et1/1', 'Et1/2', 'Et1/10'])
    expect(await ports('?limit=1&offset=1')).toEqual(['Et1/2'])
    expect((await inv.ask(`GET /api/devices/${id}/paths?limit=1`)).total).toBe('3')
    expect((await trace(parent.id)).hops).toEqual([])
  })

  test('through 20 panels take few queries', async () => {
    const start = (await inv.api.ports.create({ device_id: await device('long'), name: 'x' })).id
    let at: object = { port_id: start }
    for (let n = 0; n < 20; n++) {
      const port_id = await panel(`long-${n}`)
      await cable(at, { port_id })
      at = { port_id, side: 'rear' }
    }
    await trace(start)
    const times: number[] = []
    for (let n = 0; n < 5; n++) {
      const begin = performance.now()
      expect((await trace(start)).hops.length).toBe(20)
      times.push(performance.now() - begin)
    }
    // A loose bound: the machine of the tests is shared.
    expect(Math.min(...times)).toBeLessThan(100)
  })

  test('traces and the other ends of ports equal a plain model, for random cables', async () => {
    const random = randomOf(27)
    const model = new Model()
    const ports: { readonly id: string; readonly name: string; readonly deviceId: string }[] = []
    for (let d = 0; d < 6; d++) {
      const deviceId = await device(`r${d}`)
      for (let p = 0; p < 4; p++) {
        const pass_through = random(3) > 0
        const { id } = await inv.api.ports.create({ device_id: deviceId, name: `p${p}`, pass_through })
        ports.push({ id, name: `r${d} p${p}`, deviceId })
        if (pass_through) model.passThrough.add(`r${d} p${p}`)
      }
    }
    const made: { readonly id: string; readonly a: string; readonly b: string }[] = []
    for (let step = 0; step < 120; step++) {
      const [x, y] = [ports[random(ports.length)], ports[random(ports.length)]]
      const [side, otherSide] = [random(2), random(2)].map((n) => (n === 0 ? 'front' : 'rear'))
      if (random(4) === 0 && made.length > 0) {
        const [gone] = made.splice(random(made.length), 1)
        if (!gone) continue
        await inv.api.cables.delete({ id: gone.id })
        for (const end of [gone.a, gone.b]) model.other.delete(end)
        continue
      }
      const [a, b] = [`${x?.name} ${side}`, `${y?.name} ${otherSide}`]
      const isFree = (end: string, name = '') =>
        !model.other.has(end) && (end.endsWith('front') || model.passThrough.has(name))
      const expected = a !== b && isFree(a, x?.name) && isFree(b, y?.name) ? 201 : 400
      const body = { a: { port_id: x?.id, side }, b: { port_id: y?.id, side: otherSide } }
      const answer = await inv.ask('POST /api/cables', body)
      expect([step, answer.status]).toEqual([step, expected])
      if (expected !== 201) continue
      made.push({ id: (answer.body as { id: string }).id, a, b })
      model.other.set(a, b)
      model.other.set(b, a)
      if (step % 10 !== 0) continue
      for (const { id, name } of ports) expect([name, pathText(await trace(id))]).toEqual([name, model.trace(name)])
    }
    expect(made.length).toBeGreaterThan(8)
    for (const { id, name } of ports) expect([name, pathText(await trace(id))]).toEqual([name, model.trace(name)])
    for (const deviceId of new Set(ports.map((port) => port.deviceId))) {
      const listed = await inv.api.ports.device({ device_id: deviceId, include: 'peers' })
      for (const { id, peers = [] } of listed) {
        const name = ports.find((port) => port.id === id)?.name
        const seen = peers.map(({ side, device: other, port, port_side }) => [side, `${other} ${port} ${port_side}`])
        const sides = ['front', 'rear'].flatMap((side) => {
          const other = model.other.get(`${name} ${side}`)
          return other === undefined ? [] : [[side, other]]
        })
        expect([name, seen]).toEqual([name, sides])
      }
      const paths = await inv.api.cables.paths({ id: deviceId })
      const cabled = listed.filter(({ peers = [] }) => peers.length > 0)
      expect(paths.map(({ port_id }) => port_id)).toEqual(cabled.map(({ id }) => id))
    }
  }, 60_000)
})
