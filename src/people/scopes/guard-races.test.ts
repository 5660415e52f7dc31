// On PostgreSQL, an object may leave the part of a caller between the check of a write and its lock.
import { describe, expect, test } from 'bun:test'
import { people } from '../../../testing/estates/people.ts'
import { halves } from '../../../testing/hostile/halves.ts'

describe('a scoped write', () => {
  const all = people('postgres')
  const estate = halves(all)

  test('does not take back an object that leaves the scope at the same time', async () => {
    const { own, other, scope } = await estate()
    const { db } = all.app
    const bea = await all.person()
    await all.admin.ask('POST /api/grants', { role_id: 'admin', user_id: bea.id, scope_id: scope })
    const { body } = await all.admin.ask('POST /api/devices', { name: 'leaving', datacenter_id: own.datacenters })
    const { id } = body as { id: string }
    const put = () => bea.ask(`PUT /api/devices/${id}`, { datacenter_id: own.datacenters, os: 'x' })
    expect(await put()).toMatchObject({ status: 200 })

    let late: ReturnType<typeof put> | undefined
    await db.write(async (tx) => {
      const row = tx.db.selectFrom('devices').select('doc').where('id', '=', id).forUpdate()
      const { doc } = await row.executeTakeFirstOrThrow()
      late = put()
      await Bun.sleep(500)
      const moved = { ...JSON.parse(doc), datacenter_id: other.datacenters }
      const set = { doc: JSON.stringify(moved), datacenter_id: other.datacenters ?? null, area: 0 }
      await tx.db.updateTable('devices').set(set).where('id', '=', id).execute()
    })
    expect(await late).toMatchObject({ status: 403 })
    expect(await all.admin.ask(`GET /api/devices/${id}`)).toMatchObject({ body: { datacenter_id: other.datacenters } })
  })
})
