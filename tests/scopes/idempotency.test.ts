// A retry with an idempotency key, of a caller with rights in a part of the estate, and of a request that names objects by refs.
import { describe, expect, test } from 'bun:test'
import { type Answer, people } from '../../testing/estates/people.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Row = { readonly id: string }
const idOf = ({ body }: Answer): string => (body as Row).id

describe.each(onSqlite())('a retry of a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return idOf(answer)
  }
  const build = async () => {
    const own = await make('datacenters', { name: `own ${crypto.randomUUID()}` })
    const scope_id = await make('scopes', { name: `own ${own}`, datacenter_ids: [own] })
    const bea = await all.person()
    const grant = await make('grants', { role_id: 'admin', user_id: bea.id, scope_id })
    return { own, bea, grant }
  }

  test('gets the answer of a merge, which has deleted a network that it names', async () => {
    const { own, bea } = await build()
    const network = (subnet: string) =>
      make('networks', { name: subnet, subnet, datacenter_id: own, refs: { netbox: subnet } })
    const [low, high] = [await network('10.6.0.0/25'), await network('10.6.0.128/25')]
    const merge = (network_ids: readonly string[]) =>
      bea.ask('POST /api/networks/merge', { network_ids }, { 'Idempotency-Key': 'merge' })
    const first = await merge([low, high])
    expect(first).toMatchObject({ status: 200, body: { removed: [{ id: high }] } })
    expect(await merge([low, high])).toMatchObject({ status: 200, body: first.body })
  })

  test('gets the answer of a request whose refs mean nothing more', async () => {
    const { own, bea } = await build()
    const network = (subnet: string, ref: string) =>
      make('networks', { name: subnet, subnet, datacenter_id: own, refs: { netbox: ref } })
    await network('10.7.0.0/25', 'low')
    await network('10.7.0.128/25', 'high')
    const merge = (body: object) => bea.ask('POST /api/networks/merge', body, { 'Idempotency-Key': 'by refs' })
    const first = await merge({ network_ids: ['netbox:low', 'netbox:high'] })
    expect(first.status).toBe(200)
    expect(await merge({ network_ids: ['netbox:low', 'netbox:high'] })).toMatchObject({ status: 200, body: first.body })
    expect((await merge({ network_ids: ['netbox:high', 'netbox:low'] })).status).toBe(400)
  })

  test('is refused once the objects have left its part of the estate', async () => {
    const { own, bea } = await build()
    const network_id = await make('networks', { name: 'leaves', subnet: '10.8.0.0/24', datacenter_id: own })
    const create = () =>
      bea.ask(
        `POST /api/networks/${network_id}/pools`,
        { name: 'p', start_ip: '10.8.0.1', end_ip: '10.8.0.9' },
        { 'Idempotency-Key': 'leaves' },
      )
    const first = await create()
    expect(first.status).toBe(201)
    expect(await create()).toMatchObject({ status: 201, body: first.body })
    const other = await make('datacenters', { name: 'other' })
    await all.admin.ask(`PUT /api/networks/${network_id}`, { datacenter_id: other })
    expect((await create()).status).toBe(404)
  })

  test('is refused once the right is gone', async () => {
    const { own, bea, grant } = await build()
    const create = () =>
      bea.ask('POST /api/devices', { name: 'mine', datacenter_id: own }, { 'Idempotency-Key': 'right' })
    expect((await create()).status).toBe(201)
    await all.admin.ask(`DELETE /api/grants/${grant}`)
    expect((await create()).status).toBe(403)
  })
})
