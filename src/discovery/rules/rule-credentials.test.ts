// The scans of a rule use the credentials that the user reaches who made the rule or changed it last.
import { afterEach, describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import {
  ALL,
  type CredentialEstate,
  credentialEstates,
  REACHED,
  WITH_CREDENTIALS,
} from '../../../testing/estates/credential-estates.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const HOUR_MS = 3_600_000

describe.each(onSqlite())('the credentials of a rule on %s', (dialect) => {
  const d = discoveryApp(dialect, WITH_CREDENTIALS)
  const { made, estate, limited, used, revoke, next } = credentialEstates(d)
  // They would be due in the next test.
  afterEach(async () => {
    for (const { id } of await d.api.discoveryRules.list({})) await d.api.discoveryRules.delete({ id })
  })

  const rule = async ({ id }: CredentialEstate, key: string) =>
    (await made('POST /api/discovery/rules', { network_id: id, scan_type: 'deep' }, key)).id
  const run = async ({ id, subnet }: CredentialEstate): Promise<string[]> => {
    d.advance(30 * HOUR_MS)
    await d.runJob('discovery.start-due')
    const scan = await d.scanner.next(subnet)
    scan.end('done')
    const [last] = await d.api.scans.list({ network_id: id })
    await d.ended(last?.id ?? '')
    return used(scan)
  }
  const change = (id: string, key: string, interval_hours: number) =>
    made(`PUT /api/discovery/rules/${id}`, { interval_hours }, key)

  test('a rule uses the credentials of the user who made it, at each run', async () => {
    const net = await estate()
    const { key, grant } = await limited(net)
    await rule(net, key)
    expect(await run(net)).toEqual(REACHED)
    await revoke(grant)
    expect(await run(net)).toEqual([])
  })

  test('a rule uses the credentials of the user who changed it last', async () => {
    const net = await estate()
    const { key } = await limited(net)
    const id = await rule(net, d.admin.key)
    expect(await run(net)).toEqual(ALL)
    await change(id, key, 2)
    expect(await run(net)).toEqual(REACHED)
    await change(id, d.admin.key, 3)
    expect(await run(net)).toEqual(ALL)
  })

  test('a rule keeps the credentials of its user after an update that changes nothing', async () => {
    const net = await estate()
    const id = await rule(net, d.admin.key)
    await change(id, (await limited(net)).key, 24)
    expect(await run(net)).toEqual(ALL)
  })

  test('of an earlier version are all of them, until it is changed', async () => {
    const net = await estate()
    const { key } = await limited(net)
    const id = await rule(net, key)
    await d.app.db.write(({ db }) =>
      db.updateTable('discovery_rules').set({ credential_user: null }).where('id', '=', id).execute(),
    )
    expect(await run(net)).toEqual(ALL)
    await change(id, key, 2)
    expect(await run(net)).toEqual(REACHED)
  })

  test('a rule uses the credentials of the user who undid a change of it', async () => {
    const net = await estate()
    const { key } = await limited(net, 'role-admin')
    const id = await rule(net, d.admin.key)
    await change(id, d.admin.key, 2)
    const { body } = await d.ask(`GET /api/history?kind=discovery-rule&object_id=${id}`)
    const [last] = body as { id: string }[]
    await made(`POST /api/history/${last?.id}/undo`, {}, key)
    expect(await run(net)).toEqual(REACHED)
  })

  test('say nothing of their user in answers', async () => {
    const net = await estate()
    const id = await rule(net, d.admin.key)
    const answers = [await d.ask(`GET /api/discovery/rules/${id}`), await d.ask('GET /api/discovery/rules')]
    expect(JSON.stringify(answers)).not.toContain('credential_user')
  })

  test('of a limited API key stay limited, also when the key is gone', async () => {
    const net = await estate()
    const limits = { name: `rules ${next()}`, scope_id: net.scope }
    const { id, key } = await made('POST /api/keys', limits)
    await rule(net, key)
    expect((await d.ask(`DELETE /api/keys/${id}`)).status).toBe(204)
    expect(await run(net)).toEqual(REACHED)
  })
})
