// A caller with a role in one scope works with the scans, the inbox and the conflicts of one half of a doubled estate.
import { describe, expect, test } from 'bun:test'
import { contracts } from '../../src/app/contracts.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { expectNothingHidden, type Half, type Halves, halves } from '../../testing/hostile/halves.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

/** The objects that an admin has made in a half for one call. */
type Made = {
  readonly network: string
  readonly scan: string
  readonly found: readonly string[]
  readonly rule: string
  readonly conflict: string
  readonly documented: string
  readonly ids: Half
}
type Call = (made: Made) => readonly [http: string, body?: object]

const [FIRST, SECOND] = [0, 1]

const CALLS: Readonly<Record<string, Call>> = {
  // Nothing is probed.
  'scans.start': ({ network }) => [`POST /api/discovery/networks/${network}/scan?dry_run=true`],
  'scans.record': ({ network }) => [`POST /api/discovery/networks/${network}/results`, { hosts: [] }],
  'scans.delete': ({ scan }) => [`DELETE /api/discovery/scans/${scan}`],
  'discovery.delete': ({ found }) => [`DELETE /api/discovery/devices/${found[FIRST]}`],
  'discovery.clear': ({ network }) => [`DELETE /api/discovery/devices?network_id=${network}`],
  'discovery.promote': ({ found, ids: { datacenters: datacenter_id } }) => [
    `POST /api/discovery/devices/${found[FIRST]}/promote`,
    { name: 'promoted', datacenter_id },
  ],
  'discovery.merge': ({ found }) => [
    `POST /api/discovery/devices/${found[FIRST]}/merge`,
    { other_ids: [found[SECOND]] },
  ],
  'discovery-rules.create': ({ ids: { inSpace } }) => [
    'POST /api/discovery/rules',
    { network_id: inSpace, enabled: false },
  ],
  'discovery-rules.update': ({ rule }) => [`PUT /api/discovery/rules/${rule}`, { interval_hours: 9 }],
  'discovery-rules.delete': ({ rule }) => [`DELETE /api/discovery/rules/${rule}`],
  'discovery-locks.create': ({ documented }) => ['POST /api/discovery/locks', { device_id: documented, field: 'os' }],
  'discovery-locks.delete': ({ ids: { devices } }) => [`DELETE /api/discovery/locks/${devices}/os`],
  'conflicts.ignore': ({ conflict }) => [`POST /api/conflicts/${conflict}/ignore`, {}],
  'conflicts.resolve': ({ conflict, documented }) => [
    `POST /api/conflicts/${conflict}/resolve`,
    { keep_device_id: documented },
  ],
  'conflicts.delete': ({ conflict }) => [`DELETE /api/conflicts/${conflict}`],
}

/** Each answers 200 with the outcome of each item. */
const ITEMS: Readonly<Record<string, Call>> = {
  'discovery.delete-many': ({ found }) => ['POST /api/discovery/devices/delete', { ids: found }],
  'discovery.promote-many': ({ found, ids: { datacenters: datacenter_id } }) => [
    'POST /api/discovery/devices/promote',
    { ids: found, name: 'many {ip}', datacenter_id },
  ],
  'inbox.ignore': ({ found }) => ['POST /api/discovery/inbox/ignore', { ids: found }],
  'inbox.restore': ({ found }) => ['POST /api/discovery/inbox/restore', { ids: found }],
  'inbox.accept': ({ found }) => ['POST /api/discovery/inbox/accept', { items: [{ id: found[2] }] }],
}

/** A scan that runs would probe its network; its answer is that of a scan that has ended. */
const ELSEWHERE = ['scans.cancel', 'discovery.split', 'conflicts.detect']

test('each write of discovery and conflicts that is limited has a call here', () => {
  const names = [contracts.scans, contracts.discovery, contracts.discoveryRules, contracts.inbox, contracts.conflicts]
    .concat(contracts.discoveryLocks as never)
    .flatMap((set) => Object.values<AnyOperation>(set))
    .filter(({ effect, scope }) => effect !== 'read' && scope !== undefined)
    .map(({ name }) => name)
  expect(names.sort()).toEqual([...Object.keys(CALLS), ...Object.keys(ITEMS), ...ELSEWHERE].sort())
})

describe.each(onSqlite())('discovery of a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)
  let started: Promise<Halves & { readonly bea: Person; readonly cyd: Person }> | undefined
  let count = 0

  const grant = (role_id: string, user_id: string, scope_id?: string) =>
    all.admin.ask('POST /api/grants', { role_id, user_id, scope_id })
  /** Bea may do all in the scope and sees nothing else; Cyd also reads everything. */
  const writers = () => {
    started ??= estate().then(async (built) => {
      const [bea, cyd] = [await all.person(), await all.person()]
      for (const { id } of [bea, cyd]) await grant('admin', id, built.scope)
      await grant('viewer', cyd.id)
      return { ...built, bea, cyd }
    })
    return started
  }
  const read = async <T>(path: string): Promise<T> => (await all.admin.ask(`GET /api/${path}`)).body as T
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, status, answer]).toMatchObject([path, 201, expect.anything()])
    return (answer as { id: string }).id
  }

  const prepare = async (n: 1 | 2, word: string, ids: Half): Promise<Made> => {
    const base = `10.${n}.${++count}`
    const datacenter_id = ids.datacenters
    const network = await make('networks', { name: `${word} ${count}`, subnet: `${base}.0/24`, datacenter_id })
    const device = (name: string, ips: string[], more = {}) =>
      make('devices', { name: `${word} ${name}`, datacenter_id, addresses: ips.map((ip) => ({ ip })), ...more })
    const documented = await device(`documented ${count}`, [`${base}.9`, `${base}.8`], { hostname: 'documented' })
    await device(`twin ${count}`, [`${base}.8`])
    const hosts = [1, 2, 9].map((i) => ({ ip: `${base}.${i}`, hostname: `${word}-seen-${count}-${i}` }))
    const scan = await make(`discovery/networks/${network}/results`, { hosts })
    const found = await read<{ id: string; ip: string }[]>(`discovery/devices?network_id=${network}`)
    const rule = await make('discovery/rules', { network_id: network, enabled: false })
    const conflict = (await read<{ id: string; ip_address: string }[]>('conflicts')).find(
      ({ ip_address }) => ip_address === `${base}.8`,
    )
    return { network, scan, found: found.map(({ id }) => id), rule, conflict: conflict?.id ?? '', documented, ids }
  }

  /** All that the calls may change. */
  const state = async (): Promise<unknown[]> => {
    const lists = [
      'discovery/devices?network_id=*',
      'discovery/scans',
      'discovery/rules',
      'discovery/locks',
      'conflicts',
    ]
    return Promise.all(
      [...lists, 'discovery/inbox', 'discovery/inbox?ignored=true', 'devices'].map((path) => read(path)),
    )
  }
  const send = ({ ask }: Person, [http, body]: ReturnType<Call>): Promise<Answer> => ask(http, body)

  test.each(Object.entries(CALLS))('%s', async (name, call) => {
    const built = await writers()
    const { own, other, bea, cyd } = built
    const outside = call(await prepare(2, 'omega', other))
    const before = await state()
    const [asCyd, asBea] = [await send(cyd, outside), await send(bea, outside)]
    expect([name, asCyd.status, asCyd.body]).toMatchObject([name, 403, { code: 'FORBIDDEN' }])
    expect([name, [400, 404].includes(asBea.status), asBea.body]).toMatchObject([
      name,
      true,
      { details: expect.anything() },
    ])
    expect(await state()).toEqual(before)
    const answer = await send(bea, call(await prepare(1, 'alpha', own)))
    expect([name, answer.status < 300, answer.body]).toEqual([name, true, answer.body])
    expectNothingHidden(built, name, answer)
  })

  test.each(Object.entries(ITEMS))('%s', async (name, call) => {
    const built = await writers()
    const { own, other, bea, cyd } = built
    const [http, body] = call({ ...(await prepare(2, 'omega', other)), ids: own })
    const before = await state()
    for (const [who, code] of [
      [cyd, 'FORBIDDEN'],
      [bea, 'NOT_FOUND'],
    ] as const) {
      const answer = await who.ask(http, body)
      const { results = [], succeeded } = answer.body as {
        results?: { error?: { code: string } }[]
        succeeded?: number
      }
      expect([name, code, answer.status, succeeded]).toEqual([name, code, 200, 0])
      expect([...new Set(results.map(({ error }) => error?.code))]).toEqual([code])
    }
    expect(await state()).toEqual(before)
    const answer = await send(bea, call(await prepare(1, 'alpha', own)))
    const { failed } = answer.body as { failed: number }
    // Nothing is to be restored.
    expect([name, answer.status, failed]).toEqual([name, 200, name === 'inbox.restore' ? failed : 0])
    expectNothingHidden(built, name, answer)
  })

  test('a conflict with a member outside of the scope is shown, and not decided', async () => {
    const built = await writers()
    const shared = (await built.bea.ask('GET /api/conflicts')).body as { id: string; ip_address: string }[]
    const { id } = shared.find(({ ip_address }) => ip_address === '10.1.0.60') ?? {}
    for (const [http, body] of [
      [`POST /api/conflicts/${id}/resolve`, { keep_device_id: built.own.child }],
      [`POST /api/conflicts/${id}/ignore`, {}],
      [`DELETE /api/conflicts/${id}`, undefined],
    ] as const) {
      const answer = await built.bea.ask(http, body)
      expect([http, answer.status]).toEqual([http, 403])
      expectNothingHidden(built, http, answer)
    }
    const detected = await built.bea.ask('POST /api/conflicts/detect', {})
    expectNothingHidden(built, 'conflicts.detect', detected)
    const active = (await built.bea.ask('GET /api/conflicts?status=active')).body as unknown[]
    expect(detected.body).toEqual({ conflicts: active, count: active.length })
  })

  test('a device is accepted, promoted and split only in the part', async () => {
    const built = await writers()
    const { own, other, bea } = built
    const { found, network } = await prepare(1, 'alpha', own)
    // The device would be outside of the scope without the datacenter.
    const promote = `POST /api/discovery/devices/${found[0]}/promote`
    const refused = await bea.ask(promote, { name: 'nowhere' })
    expect([refused.status, refused.body]).toMatchObject([403, { details: [{ field: 'datacenter_id' }, {}, {}] }])
    const unknown = await bea.ask(promote, { name: 'there', datacenter_id: other.datacenters })
    expect([unknown.status, unknown.body]).toMatchObject([400, { details: [{ field: 'datacenter_id' }] }])
    // The inbox compares with a hidden device. The fields of the device do not change.
    const hidden = await make('devices', {
      name: 'omega hidden',
      datacenter_id: other.datacenters,
      hostname: 'unseen',
      addresses: [{ ip: `10.1.${count}.44` }],
    })
    await make(`discovery/networks/${network}/results`, {
      hosts: [{ ip: `10.1.${count}.44`, hostname: 'alpha-new-name' }],
    })
    const items = (await bea.ask(`GET /api/discovery/inbox?network_id=${network}&bucket=changed`)).body as {
      id: string
      ip: string
    }[]
    const item = items.find(({ ip }) => ip === `10.1.${count}.44`)
    const accepted = await bea.ask('POST /api/discovery/inbox/accept', { items: [{ id: item?.id }] })
    expect(accepted.body).toMatchObject({ succeeded: 0, failed: 1 })
    expect(await read(`devices/${hidden}`)).toMatchObject({ hostname: 'unseen' })
    const split = await bea.ask(`POST /api/discovery/devices/${found[1]}/split`, { ips: [`10.1.${count}.2`] })
    expect([split.status, split.body]).toMatchObject([400, { details: [{ field: 'ips' }] }])
    const theirs = await prepare(2, 'omega', other)
    const away = await bea.ask(`POST /api/discovery/devices/${theirs.found[1]}/split`, { ips: [`10.2.${count}.2`] })
    expect(away.status).toBe(404)
    expect((await bea.ask(`POST /api/discovery/scans/${theirs.scan}/cancel`)).status).toBe(404)
    const { scan } = await prepare(1, 'alpha', own)
    expect((await bea.ask(`POST /api/discovery/scans/${scan}/cancel`)).status).toBe(400)
  })
})
