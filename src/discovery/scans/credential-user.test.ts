// A scan uses the credentials of the devices and networks that its user reaches at the moment in which its scanner starts.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import {
  ALL,
  type CredentialEstate,
  credentialEstates,
  REACHED,
  WITH_CREDENTIALS,
} from '../../../testing/estates/credential-estates.ts'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { callTool } from '../../../testing/mcp.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { scriptedScanner } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { toCredentialUser } from './credential-user.ts'

describe.each(onSqlite())('the credentials of a scan on %s', (dialect) => {
  const d = discoveryApp(dialect, WITH_CREDENTIALS)
  const { sending, made, estate, limited, start, used, usedBy, revoke, next } = credentialEstates(d)
  const logOf = async (id: string) => (await d.api.scans.get({ id })).log.map(({ text }) => text)

  test('a user with the permission everywhere gives all credentials of the network and of its devices', async () => {
    const net = await estate()
    expect(await usedBy(net, d.admin.key)).toEqual(ALL)
    const role = await createRole(d.app.db, { name: `scanner ${next()}`, permissions: ['discovery:create'] })
    const { id } = await createUser(d.app.db, { username: `scanner-${next()}`, roles: [role.id] })
    expect(await usedBy(net, await keyFor(d.app.db, id))).toEqual(ALL)
  })

  test('a user with a role in a scope gives the credentials of its devices and networks', async () => {
    const net = await estate()
    expect(await usedBy(net, (await limited(net)).key)).toEqual(REACHED)
  })

  test('of a device that the user may scan and not see are not used', async () => {
    const net = await estate()
    const permissions = ['discovery:create', 'networks:read']
    const role = await createRole(d.app.db, { name: `blind ${next()}`, permissions })
    expect(await usedBy(net, (await limited(net, role.id)).key)).toEqual(['network'])
  })

  test('of a device that the user sees and may not scan are not used', async () => {
    const net = await estate()
    const { id, key } = await limited(net)
    await made('POST /api/grants', { role_id: 'role-viewer', user_id: id })
    expect(await usedBy(net, key)).toEqual(REACHED)
  })

  test('that are left out are not in the log of the scan, which says the same where none is left out', async () => {
    const net = await estate()
    const { key } = await limited(net)
    const id = await start(net, key)
    ;(await d.scanner.next(net.subnet)).end('done')
    await d.ended(id)
    const log = await logOf(id)
    expect(log).toContain('only the credentials of devices and networks that its user reaches are used')
    expect(log.join()).not.toMatch(/hidden|both/)
    await d.api.devices.delete({ id: net.hidden })
    const next = await start(net, key)
    ;(await d.scanner.next(net.subnet)).end('done')
    await d.ended(next)
    expect(await logOf(next)).toEqual(log)
  })

  test('that are left out are not in the estimate', async () => {
    const net = await estate()
    const { key } = await limited(net)
    await d.api.devices.update({ id: net.own, addresses: [] })
    const body = { scan_type: 'deep', dry_run: true }
    const techniquesOf = async (as: string) => {
      const { body: answer } = await ask(sending(as), `POST /api/discovery/networks/${net.id}/scan`, body)
      return (answer as { techniques: string[] }).techniques
    }
    expect(await techniquesOf(d.admin.key)).toContain('SNMP tables with stored credentials')
    expect(await techniquesOf(key)).not.toContain('SNMP tables with stored credentials')
  })

  test('an API key gives the credentials of its owner, cut by its limits', async () => {
    const net = await estate()
    const keyOf = async (limits: object, owner = d.admin.key) =>
      (await made('POST /api/keys', { name: `key ${next()}`, ...limits }, owner)).key
    expect(await usedBy(net, await keyOf({ scope_id: net.scope }))).toEqual(REACHED)
    expect(await usedBy(net, await keyOf({ permissions: ['discovery:create'] }))).toEqual(ALL)
    const { key } = await limited(net)
    expect(await usedBy(net, await keyOf({ permissions: ['discovery:create', 'devices:read'] }, key))).toEqual(REACHED)
    expect(await usedBy(net, await keyOf({ permissions: ['discovery:create'] }, key))).toEqual(['network'])
  })

  describe('of a user who waits for its scan', () => {
    /** Queues the scan of a scoped user behind another one, and starts it after a change. */
    const afterwards = async (
      change: (who: Awaited<ReturnType<typeof limited>>, net: CredentialEstate) => Promise<unknown>,
    ) => {
      const net = await estate()
      const who = await limited(net)
      const { scan: first } = await d.begin(net.id)
      const id = await start(net, who.key)
      await change(who, net)
      first.end('done')
      const scan = await d.scanner.next(net.subnet)
      scan.end('done')
      await d.ended(id)
      return used(scan)
    }

    test('a scan uses the credentials that the user has at the start of the scanner', async () => {
      expect(await afterwards(async () => {})).toEqual(REACHED)
      const shown = async (_: unknown, { hidden, scope }: CredentialEstate) => {
        await d.api.devices.update({ id: hidden, tags: ['shown'] })
        const { datacenter_ids } = (await d.ask(`GET /api/scopes/${scope}`)).body as { datacenter_ids: string[] }
        expect((await d.ask(`PUT /api/scopes/${scope}`, { datacenter_ids, tags: ['shown'] })).status).toBe(200)
      }
      expect(await afterwards(shown)).toEqual(ALL)
    })

    test('are none after the loss of the role', async () => {
      expect(await afterwards(({ grant }) => revoke(grant))).toEqual([])
    })

    test('are none after the user is deactivated', async () => {
      expect(await afterwards(({ id }) => d.ask(`PUT /api/users/${id}`, { is_active: false }))).toEqual([])
    })

    test('are none after the user is deleted', async () => {
      expect(await afterwards(({ id }) => d.ask(`DELETE /api/users/${id}`))).toEqual([])
    })

    test('are none after its network has left the scope', async () => {
      const moved = (_: unknown, { id }: CredentialEstate) => d.api.networks.update({ id, datacenter_id: null })
      expect(await afterwards(moved)).toEqual(['own'])
    })
  })

  test('are chosen again for a scan that is resumed', async () => {
    const net = await estate()
    const { key, grant } = await limited(net)
    const id = await start(net, key)
    const first = await d.scanner.next(net.subnet)
    expect(used(first)).toEqual(REACHED)
    await revoke(grant)
    first.end('died', 'it died')
    await d.runJob('discovery.run-scans')
    const second = await d.scanner.next(net.subnet)
    second.end('done')
    await d.ended(id)
    expect(used(second)).toEqual([])
  })

  test('a scan that an earlier version has queued uses the credentials of the user with that name', async () => {
    const net = await estate()
    const { key } = await limited(net)
    const { scan: first } = await d.begin(net.id)
    const id = await start(net, key)
    await d.app.db.write(({ db }) =>
      db.updateTable('discovery_scans').set({ credential_user: null }).where('id', '=', id).execute(),
    )
    first.end('done')
    const scan = await d.scanner.next(net.subnet)
    scan.end('done')
    await d.ended(id)
    expect(used(scan)).toEqual(REACHED)
  })

  test('a scan that an AI client starts uses the credentials of its key', async () => {
    const net = await estate()
    const { key } = await limited(net)
    await callTool({ fetch: d.app.fetch, key }, 'discovery_scan', { id: net.id, scan_type: 'deep' })
    const scan = await d.scanner.next(net.subnet)
    scan.end('done')
    const [last] = await d.api.scans.list({ network_id: net.id })
    await d.ended(last?.id ?? '')
    expect(used(scan)).toEqual(REACHED)
  })

  const takenOver = async () => {
    const there = scriptedScanner()
    const other = await instanceBeside(d.app, { startScan: there.startScan, now: () => new Date(d.now()) })
    try {
      const net = await estate()
      const { key, grant } = await limited(net)
      const before = d.scanner.all.length
      const id = await start(net, key)
      const isHere = await until('a scan has begun', () => {
        if (d.scanner.all.length > before) return { here: true }
        return there.all.length > 0 ? { here: false } : undefined
      })
      const first = await (isHere.here ? d.scanner : there).next(net.subnet)
      expect(used(first)).toEqual(REACHED)
      await revoke(grant)
      await d.app.db.write(({ db }) =>
        db
          .updateTable('discovery_scans')
          .set({ until_ms: Date.now() - 1000 })
          .where('id', '=', id)
          .execute(),
      )
      await (isHere.here ? other.plat : d.app.plat).runJob('discovery.run-scans')
      const second = await (isHere.here ? there : d.scanner).next(net.subnet)
      second.end('done')
      await d.ended(id)
      expect(used(second)).toEqual([])
    } finally {
      await other.close()
    }
  }
  // Not skipped but left out: SQLite has one instance.
  if (dialect === 'postgres') test('are chosen again by another instance that takes the scan over', takenOver)
})

test('a client that acts for a user gives the credentials that the user has granted it', () => {
  const granted = toCredentialUser({
    ...{ userId: 'ada', username: 'ada', via: 'oauth', credentialId: 'grant' },
    permissions: new Set(['discovery:create', 'networks:list']),
    scopedPermissions: new Map([['devices:read', { areas: new Set([1]), scopes: [], cacheKey: '' }]]),
    client: { id: 'c', name: 'c', withheld: new Set() },
  })
  const permissions = ['discovery:create', 'devices:read']
  expect(JSON.parse(granted ?? '')).toEqual({ user_id: 'ada', permissions, scope_id: null })
})
