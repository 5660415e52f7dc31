// The history of a scoped caller: the changes and objects of one half, selected by their earlier states, and no byte of the other half.
import { describe, expect, test } from 'bun:test'
import { RESOURCES } from '../../src/inventory/resources.ts'
import type { Change, HistoryEntry, Item } from '../../src/record/history/api.ts'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { expectNothingHidden, halves } from '../../testing/hostile/halves.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

describe.each(onSqlite())('the history of a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  /** Asks as the admin. @returns the id of the change */
  const change = async (http: string, body?: object): Promise<string> => {
    const answer = await all.admin.ask(http, body)
    expect([http, answer.status < 300, answer.body]).toEqual([http, true, answer.body])
    return answer.headers.get('x-change-id') ?? ''
  }
  const read = async <T>(http: string): Promise<T> => {
    const made = await estate()
    const answer = await made.ada.ask(http)
    expect([http, answer.status]).toEqual([http, 200])
    expectNothingHidden(made, http, answer)
    return answer.body as T
  }
  const device = async (name: string, datacenter_id: string | undefined) =>
    (await all.admin.ask('POST /api/devices', { name, datacenter_id })).body as { id: string }
  const items = (id: string) => read<Item[]>(`GET /api/history/${id}/items`)
  const missing = async (http: string, id: string) => {
    const { ada } = await estate()
    const [there, nowhere] = [await ada.ask(http), await ada.ask(http.replace(id, 'nothing'))]
    const text = ({ status, body }: Answer) => JSON.stringify([status, body]).replaceAll(id, 'nothing')
    expect([text(there), there.status]).toEqual([text(nowhere), 404])
  }

  test('a change of both halves has the objects of the own one, and counts no others', async () => {
    const { own, other } = await estate()
    const ids = [own.devices, own.child, other.devices, other.child]
    const both = await change('POST /api/devices/bulk', {
      operations: ids.map((id) => ({ op: 'update', id, device: { os: 'omicron' } })),
    })
    const shown = await read<Change>(`GET /api/history/${both}`)
    expect(shown.items?.map(({ id }) => id).sort()).toEqual([own.devices ?? '', own.child ?? ''].sort())
    expect([shown.summary, shown.counts]).toEqual(['changes 2 devices', { update: { device: 2 } }])
    expect((await items(both)).length).toBe(2)
    const [newest] = await read<Change[]>('GET /api/history?limit=1')
    expect([newest?.id, newest?.summary]).toEqual([both, 'changes 2 devices'])
    expect((await all.admin.ask(`GET /api/history/${both}`)).body).toMatchObject({ summary: 'changes 4 devices' })
  })

  test('a list has the changes of the own half, whatever its pages', async () => {
    const { own, other, ada } = await estate()
    const whole = await ada.ask('GET /api/history?limit=1000')
    const listed = whole.body as Change[]
    expect(whole.headers.get('x-total-count')).toBe(String(listed.length))
    expect((await read<{ changes: number }>('GET /api/history/extent')).changes).toBe(listed.length)
    const pages: Change[] = []
    for (let offset = 0; offset < listed.length; offset += 4)
      pages.push(...(await read<Change[]>(`GET /api/history?limit=4&offset=${offset}`)))
    expect(pages).toEqual(listed)
    const kinds = new Set(
      listed.flatMap(({ counts }) => Object.values(counts).flatMap((ofKind = {}) => Object.keys(ofKind))),
    )
    expect([...kinds].sort()).toEqual([...RESOURCES.map(({ noun }) => noun), 'discovery rule', 'field lock'].sort())
    expect(await read<Change[]>(`GET /api/history?object_id=${other.devices}`)).toEqual([])
    expect((await read<Change[]>(`GET /api/history?object_id=${own.devices}&kind=device`)).length).toBeGreaterThan(0)
    const admins = (await all.admin.ask('GET /api/history?limit=1000')).body as Change[]
    const seen = new Set(listed.map(({ id }) => id))
    for (const { id } of admins.filter((one) => !seen.has(one.id))) {
      await missing(`GET /api/history/${id}`, id)
      await missing(`GET /api/history/${id}/items`, id)
    }
    expect(admins.length).toBeGreaterThan(listed.length + 10)
  })

  test('an object that has moved in is seen from then on, and one that has moved out no longer', async () => {
    const { own, other } = await estate()
    const [came, went] = [await device('omega wanderer', other.datacenters), await device('lambda', own.datacenters)]
    await change(`PUT /api/devices/${came.id}`, { name: 'wanderer' })
    const moved = await change(`PUT /api/devices/${came.id}`, { datacenter_id: own.datacenters })
    const later = await change(`PUT /api/devices/${came.id}`, { os: 'x' })
    const entries = await read<HistoryEntry[]>(`GET /api/devices/${came.id}/history`)
    expect(entries.map(({ change_id }) => change_id)).toEqual([later])
    await missing(`GET /api/history/${moved}`, moved)
    const early = await change(`PUT /api/devices/${went.id}`, { os: 'y' })
    expect((await read<HistoryEntry[]>(`GET /api/devices/${went.id}/history`)).length).toBe(2)
    await change(`PUT /api/devices/${went.id}`, { datacenter_id: other.datacenters })
    await missing(`GET /api/devices/${went.id}/history`, went.id)
    await missing(`GET /api/history/${early}`, early)
    await change(`DELETE /api/devices/${went.id}`)
    await missing(`GET /api/devices/${went.id}/history`, went.id)
    await missing(`GET /api/history/${early}`, early)
  })

  test('an object that is gone is judged by what it was', async () => {
    const { own, other } = await estate()
    const pool = async (n: number, network: string | undefined) => {
      const range = { name: `short ${n}`, start_ip: `10.${n}.0.100`, end_ip: `10.${n}.0.110` }
      return (await all.admin.ask(`POST /api/networks/${network}/pools`, range)).body as { id: string }
    }
    const [mine, others] = [await pool(1, own.networks), await pool(2, other.networks)]
    const gone = await change(`DELETE /api/pools/${mine.id}`)
    const hidden = await change(`DELETE /api/pools/${others.id}`)
    expect((await read<Change>(`GET /api/history/${gone}`)).summary).toBe('deletes 1 pool')
    expect((await read<HistoryEntry[]>(`GET /api/pools/${mine.id}/history`)).map((one) => one.change)).toEqual([
      'delete',
      'create',
    ])
    await missing(`GET /api/history/${hidden}`, hidden)
    await missing(`GET /api/pools/${others.id}/history`, others.id)
  })

  test('a difference of two moments is that of the own half', async () => {
    const { own, other, scope } = await estate()
    const from = await change(`PUT /api/datacenters/${own.datacenters}`, { location: 'before' })
    await change(`PUT /api/devices/${own.devices}`, { os: 'new' })
    await change(`PUT /api/devices/${other.devices}`, { os: 'new' })
    const { id } = await device('omega omicron', other.datacenters)
    const to = await change(`PUT /api/devices/${id}`, { os: 'z' })
    for (const until of [`&to=${to}`, '']) {
      const answer = await (await estate()).ada.ask(`GET /api/history/diff?from=${from}${until}`)
      expect((answer.body as Item[]).map((one) => one.id)).toEqual([own.devices ?? ''])
      expect(answer.headers.get('x-total-count')).toBe('1')
    }
    // The scope as it is now counts.
    const list = 'GET /api/history'
    const before = await (await estate()).ada.ask(list)
    await all.admin.ask(`PUT /api/scopes/${scope}`, { datacenter_ids: [own.datacenters, other.datacenters] })
    const after = await (await estate()).ada.ask(list)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(Number(after.headers.get('x-total-count'))).toBeGreaterThan(Number(before.headers.get('x-total-count')))
    await all.admin.ask(`PUT /api/scopes/${scope}`, { datacenter_ids: [own.region] })
    const again = await (await estate()).ada.ask(list)
    expect(again.body).toEqual(before.body)
  })

  describe('an undo', () => {
    const undo = async (id: string, query = '', who?: Person) =>
      (who ?? (await estate()).ada).ask(`POST /api/history/${id}/undo${query}`, {})
    const update = (id: string | undefined, fields: object) => ({ op: 'update', id, device: fields })
    const osOf = async (id: string | undefined) =>
      ((await all.admin.ask(`GET /api/devices/${id}`)).body as { os: string }).os
    const refused = async (id: string, status: number, who?: Person) => {
      for (const query of ['', '?dry_run=true']) {
        const answer = await undo(id, query, who)
        expect([answer.status, answer.body]).toMatchObject([status, {}])
        expectNothingHidden(await estate(), `undo ${id}`, answer)
      }
      return (await undo(id, '', who)).body as { error: string; details: object[] }
    }

    test('of a change in the part is made, and undone again', async () => {
      const { own, ada } = await estate()
      await change(`PUT /api/devices/${own.devices}`, { os: 'first' })
      const own1 = await ada.ask(`PUT /api/devices/${own.devices}`, { os: 'second' })
      const id = own1.headers.get('x-change-id') ?? ''
      const preview = await undo(id, '?dry_run=true')
      expect(preview.body).toMatchObject({ id: '', summary: 'changes 1 device', undoes: id })
      const undone = await undo(id)
      expect([undone.status, undone.body]).toMatchObject([200, { undoes: id, summary: 'changes 1 device' }])
      expect(await osOf(own.devices)).toBe('first')
      expect((await undo((undone.body as Change).id)).status).toBe(200)
      expect(await osOf(own.devices)).toBe('second')
      const gone = await change(`DELETE /api/devices/${(await device('kappa', own.datacenters)).id}`)
      expect((await undo(gone)).body).toMatchObject({ summary: 'creates 1 device' })
    })

    test('of a change with objects elsewhere is refused', async () => {
      const { own, other } = await estate()
      const both = await change('POST /api/devices/bulk', {
        operations: [update(own.devices, { os: 'third' }), update(other.devices, { os: 'third' })],
      })
      expect((await refused(both, 403)).error).toContain('objects outside of the part of the estate')
      expect(await osOf(own.devices)).toBe('third')
      const hidden = await change(`PUT /api/devices/${other.devices}`, { os: 'fourth' })
      await refused(hidden, 404)
      expect(await osOf(other.devices)).toBe('fourth')
    })

    test('that would move an object out of the part is refused', async () => {
      const { own, other } = await estate()
      const { id } = await device('omega mover', other.datacenters)
      const moved = await change('POST /api/devices/bulk', {
        operations: [
          update(own.devices, { os: 'fifth' }),
          update(id, { name: 'mover', datacenter_id: own.datacenters }),
        ],
      })
      await refused(moved, 403)
      expect((await all.admin.ask(`GET /api/devices/${id}`)).body).toMatchObject({ name: 'mover' })
    })

    test('tells no object elsewhere that is in its way', async () => {
      const { own, other, scope } = await estate()
      // Operators delete nothing.
      const boss = await all.person()
      await all.admin.ask('POST /api/grants', { role_id: 'admin', user_id: boss.id, scope_id: scope })
      const made = await boss.ask('POST /api/devices', { name: 'iota', datacenter_id: own.datacenters })
      const { id } = made.body as { id: string }
      await change(`POST /api/devices/${other.devices}/relationships`, { child_id: id, type: 'depends_on' })
      const { details } = await refused(made.headers.get('x-change-id') ?? '', 409, boss)
      expect(details).toEqual([
        { field: 'id', message: 'objects outside of the part of the estate that you may read are in the way' },
      ])
      const preview = await boss.ask(`DELETE /api/devices/${id}?dry_run=changes`)
      expect(preview.body).toMatchObject({ summary: 'deletes 1 device' })
      expectNothingHidden(await estate(), 'preview', preview)
    })

    test('needs its permission in the part', async () => {
      const { own, scope } = await estate()
      const viewer = await all.person()
      await all.admin.ask('POST /api/grants', { role_id: 'viewer', user_id: viewer.id, scope_id: scope })
      const id = await change(`PUT /api/devices/${own.devices}`, { os: 'sixth' })
      expect((await viewer.ask(`GET /api/history/${id}`)).status).toBe(200)
      expect((await viewer.ask(`POST /api/history/${id}/undo`, {})).status).toBe(403)
      expect(await osOf(own.devices)).toBe('sixth')
    })
  })

  test('a key that is limited to the scope sees the same', async () => {
    const { narrow, ada } = await estate()
    for (const http of ['GET /api/history?limit=1000', 'GET /api/history/extent']) {
      const answer = await narrow.ask(http)
      const mine = await ada.ask(http)
      const sent = (value: unknown) => JSON.stringify(value).replaceAll(/"(user_id|key_id|ip_address)":"[^"]*"/g, '')
      expect(sent(answer.body)).toEqual(sent(mine.body))
    }
  })
})
