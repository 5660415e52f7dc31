// Cables link devices as `connected_to` does: also through panels, but only connected ones between network ports.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Impact, SinglePoint } from './api.ts'

type Id = { readonly id: string }
type Side = { readonly port: string; readonly side?: 'rear' }

const DEVICES = ['core', 'edge', 'server', 'panel a', 'panel b', 'spare', 'planned', 'powered', 'pdu']

describe.each(engines())('impact of cables on %s', (dialect) => {
  const all = people(dialect)
  const ids: Record<string, string> = {}
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as Id).id ?? ''
  }
  const cable = (a: readonly [string, Side], b: readonly [string, Side], more: object = {}) => {
    const toEnd = ([name, side]: readonly [string, Side]) => ({ device_id: ids[name], ...side })
    return post('cables', { a: toEnd(a), b: toEnd(b), ...more })
  }
  const read = async <T>(http: string, who: Person = all.admin): Promise<T> => {
    const answer = await who.ask(http)
    expect([http, answer.status, answer.body]).toEqual([http, 200, answer.body])
    // The contract has this type.
    return answer.body as T
  }
  const list = async (name: string, who?: Person): Promise<string[]> =>
    (await read<Impact>(`GET /api/devices/${ids[name]}/impact`, who)).affected.map(
      ({ name: affected, depth, effect, because }) => `${depth} ${affected} ${effect} ${because?.type}`,
    )

  beforeAll(async () => {
    for (const name of DEVICES) ids[name] = await post('devices', { name })
    for (const name of ['panel a', 'panel b'])
      for (const port of ['1', '2']) await post(`devices/${ids[name]}/ports`, { name: port, pass_through: true })
    for (const name of ['pdu', 'powered']) await post(`devices/${ids[name]}/ports`, { name: 'inlet', kind: 'power' })
    // Two panels between the core and the edge, and the server behind the edge.
    await cable(['core', { port: 'eth1' }], ['panel a', { port: '1' }])
    await cable(['panel b', { port: '2', side: 'rear' }], ['panel a', { port: '1', side: 'rear' }])
    await cable(['panel b', { port: '2' }], ['edge', { port: 'up' }])
    await cable(['edge', { port: 'eth1' }], ['server', { port: 'nic' }])
    // A panel between the core and nothing.
    await cable(['core', { port: 'eth2' }], ['panel a', { port: '2' }])
    await cable(['core', { port: 'eth3' }], ['spare', { port: 'nic' }])
    await cable(['edge', { port: 'eth2' }], ['planned', { port: 'nic' }], { status: 'planned' })
    await cable(['pdu', { port: 'inlet' }], ['powered', { port: 'inlet' }])
  })

  test('a device behind panels is linked through them', async () => {
    expect(await list('edge')).toEqual(['1 server cut_off connected_to'])
    expect(await read<SinglePoint[]>('GET /api/impact/single-points')).toEqual([])
    await cable(['server', { port: 'nic2' }], ['powered', { port: 'nic' }])
    expect(await list('edge')).toEqual([
      '1 core cut_off connected_to',
      '1 server cut_off connected_to',
      '2 powered cut_off connected_to',
      '2 spare cut_off connected_to',
    ])
  })

  test('cables count as links only for callers who may list cables', async () => {
    const rights = ['relationships:list', 'devices:list'] as const
    expect(await list('edge', await all.person({ permissions: [...rights] }))).toEqual([])
    expect((await list('edge', await all.person({ permissions: [...rights, 'cables:list'] }))).length).toBe(4)
  })

  test('a cable that is planned or carries power links nothing', async () => {
    expect(await list('planned')).toEqual([])
    expect(await list('pdu')).toEqual([])
  })

  test('a change of a port or a cable is seen by the next call', async () => {
    expect(await list('core')).toContain('1 spare cut_off connected_to')
    const [first] = await read<Id[]>(`GET /api/cables?device_id=${ids.spare}`)
    await all.admin.ask(`PUT /api/cables/${first?.id}`, { status: 'planned' })
    expect(await list('core')).not.toContain('1 spare cut_off connected_to')
  })
})
