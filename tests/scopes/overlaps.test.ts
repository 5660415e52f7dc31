// A user with rights in one datacenter cannot lay a network or a pool over the address space of others.
import { describe, expect, test } from 'bun:test'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { callTool } from '../../testing/mcp.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Row = Readonly<Record<string, unknown>> & { readonly id: string }

describe.each(onSqlite())('a scoped writer of networks on %s', (dialect) => {
  const all = people(dialect)

  const make = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as Row).id
  }

  /**
   * Each test has other subnets, by their first octet. Bea has all rights in the datacenter `own`. Cyd also reads everything. Hidden
   * objects are in the datacenter `other`. A key of the administrator is limited to the scope.
   */
  const build = async () => {
    const own = await make('datacenters', { name: 'own' })
    const other = await make('datacenters', { name: 'other' })
    const space = await make('spaces', { name: 'own space' })
    const scope = await make('scopes', { name: 'own', datacenter_ids: [own], space_ids: [space], tags: ['own'] })
    const [bea, cyd] = [await all.person(), await all.person()]
    for (const { id } of [bea, cyd]) await make('grants', { role_id: 'admin', user_id: id, scope_id: scope })
    await make('grants', { role_id: 'viewer', user_id: cyd.id })
    const { body: made } = await all.admin.ask('POST /api/keys', { name: 'own', scope_id: scope })
    const narrow = all.with(all.admin, (made as { key: string }).key)
    const network = (datacenter_id: string, subnet: string, more: object = {}) =>
      make('networks', { name: subnet, subnet, datacenter_id, ...more })
    const device = (datacenter_id: string, ip: string, more: object = {}) =>
      make('devices', { name: ip, datacenter_id, addresses: [{ ip, ...more }] })
    return {
      ...{ own, other, space, bea, cyd, narrow, network, device },
      /** A hidden network around others. */
      outer: await network(other, '10.0.0.0/8'),
      /** A hidden network without one around it. */
      inner: await network(other, '11.5.0.0/24'),
      /** A hidden address outside of all networks. */
      hidden: await device(other, '12.7.0.9'),
      /** A network of Bea with a hidden network, and one with a hidden address. */
      withNetwork: await network(own, '13.0.0.0/16'),
      within: await network(other, '13.0.32.0/24'),
      withDevice: await network(own, '14.0.0.0/24'),
      guest: await device(other, '14.0.0.9'),
      /** A network of Bea in a hidden one, and two that make up a block. */
      held: await network(own, '10.4.0.0/24'),
      left: await network(own, '10.6.0.0/25'),
      right: await network(own, '10.6.0.128/25'),
    }
  }
  let built: ReturnType<typeof build> | undefined
  const estate = () => {
    built ??= build()
    return built
  }

  const documents = async (): Promise<string> =>
    JSON.stringify((await all.admin.ask('GET /api/estate/export')).body).replaceAll(/,?"updated_at":"[^"]*"/g, '')
  const bodyOf = ({ body }: Answer) => body as { code: string; error: string; details: { field: string }[] }

  type Call = readonly [name: string, http: string, body?: object]

  const expectRefused = async (who: Person, [name, http, body]: Call): Promise<string> => {
    const answer = await who.ask(http, body)
    expect([name, answer.status, bodyOf(answer).code, bodyOf(answer).error]).toEqual([
      name,
      403,
      'FORBIDDEN',
      expect.stringMatching(/address space outside of the part|outside of the part/),
    ])
    return JSON.stringify(answer.body)
  }

  test('a network over, in or around hidden address space is refused in the same words, whatever is there', async () => {
    const { own, bea, cyd, narrow } = await estate()
    const before = await documents()
    const create = (subnet: string) => ({ name: 'mine', subnet, datacenter_id: own })
    const calls: readonly Call[] = [
      ['in a hidden network', 'POST /api/networks', create('10.1.0.0/24')],
      ['with the subnet of a hidden network', 'POST /api/networks', create('11.5.0.0/24')],
      ['around a hidden network', 'POST /api/networks', create('11.5.0.0/16')],
      ['over a hidden address', 'POST /api/networks', create('12.7.0.0/24')],
      ['over one hidden address only', 'POST /api/networks', create('12.7.0.9/32')],
      ['in a rehearsal', 'POST /api/networks?dry_run=true', create('12.7.0.0/24')],
      ['in a rehearsal of changes', 'POST /api/networks?dry_run=changes', create('12.7.0.0/24')],
      ['by a ref', 'PUT /api/networks/nb:new', create('12.7.0.0/24')],
    ]
    const texts = new Set<string>()
    for (const who of [bea, cyd, narrow]) for (const call of calls) texts.add(await expectRefused(who, call))
    expect([...texts]).toHaveLength(1)
    expect([...texts][0]).not.toMatch(/10\.|11\.5|12\.7|other/)
    expect(await documents()).toBe(before)
  })

  test('a change of a subnet is judged by the new subnet', async () => {
    const { bea, own, network, device, withNetwork, withDevice, held } = await estate()
    const grown = await network(own, '11.4.0.0/24')
    const calls: readonly Call[] = [
      ['to a hidden network around it', `PUT /api/networks/${held}`, { subnet: '10.4.0.0/23' }],
      ['around a hidden network', `PUT /api/networks/${grown}`, { subnet: '11.4.0.0/15' }],
      ['over a hidden address', `PUT /api/networks/${grown}`, { subnet: '12.7.0.0/24' }],
      ['around a hidden network in it', `PUT /api/networks/${withNetwork}`, { subnet: '13.0.0.0/15' }],
      ['around a hidden address in it', `PUT /api/networks/${withDevice}`, { subnet: '14.0.0.0/23' }],
      ['to a hidden network in it', `PUT /api/networks/${withNetwork}`, { subnet: '13.0.32.0/25' }],
    ]
    const before = await documents()
    const texts = new Set<string>()
    for (const call of calls) texts.add(await expectRefused(bea, call))
    expect([...texts]).toHaveLength(1)
    expect(await documents()).toBe(before)

    await device(own, '11.4.1.7')
    const allowed: readonly Call[] = [
      ['over an own address', `PUT /api/networks/${grown}`, { subnet: '11.4.0.0/22' }],
      ['of other fields', `PUT /api/networks/${withDevice}`, { name: 'renamed', description: 'x', vlan_id: 5 }],
      ['to the same subnet', `PUT /api/networks/${withDevice}`, { subnet: '14.0.0.0/24' }],
      ['to a part of itself in a hidden network', `PUT /api/networks/${held}`, { subnet: '10.4.0.0/25' }],
      ['to a part of itself without the hidden network', `PUT /api/networks/${withNetwork}`, { subnet: '13.0.0.0/19' }],
      ['a removal, whose addresses fall to the hidden network', `DELETE /api/networks/${held}`],
    ]
    for (const [name, http, body] of allowed) {
      const { status } = await bea.ask(http, body)
      expect([name, status < 300]).toEqual([name, true])
    }
  })

  test('an allocation, a split, a merge, bulk items, an import and an apply are judged as a create', async () => {
    const { bea, cyd, own, network, device, other, outer, left, right } = await estate()
    const split = await network(own, '15.0.0.0/24')
    await device(other, '15.0.0.200')
    const row = { name: 'mine', subnet: '12.7.0.0/24', datacenter_id: own }
    const before = await documents()
    const allocation = { prefix_length: 24, datacenter_id: own }
    await expectRefused(cyd, ['an allocation', `POST /api/networks/${outer}/allocate`, allocation])
    for (const call of [
      ['a split', `POST /api/networks/${split}/split`, { prefix_length: 25 }],
      ['a merge', 'POST /api/networks/merge', { network_ids: [left, right] }],
      ['an apply', 'POST /api/estate/apply', { networks: [row] }],
      [
        'an apply of good rows beside',
        'POST /api/estate/apply',
        { networks: [{ ...row, subnet: '90.0.0.0/24' }, row], atomic: false },
      ],
    ] as const)
      await expectRefused(bea, call)

    const rehearsed = await bea.ask('POST /api/estate/apply?dry_run=true', { networks: [row] })
    expect(rehearsed).toMatchObject({ status: 200, body: { lacking: ['networks:create'] } })

    const bulk = (atomic: boolean) => ({ atomic, operations: [{ op: 'create', network: row }] })
    const atomic = await bea.ask('POST /api/networks/bulk', bulk(true))
    expect([atomic.status, bodyOf(atomic).details.map(({ field }) => field)]).toEqual([
      400,
      ['operations[0].network.subnet'],
    ])
    expect(await bea.ask('POST /api/networks/bulk', bulk(false))).toMatchObject({
      body: { succeeded: 0, failed: 1, results: [{ error: { code: 'FORBIDDEN' } }] },
    })

    for (const query of ['', '&dry_run=true']) {
      const { key } = bea
      const response = await all.app.send(`POST /api/estate/import?resource=networks${query}`, { key, body: [row] })
      const text = await response.text()
      expect([query, text]).toEqual([query, expect.stringMatching(/FORBIDDEN.*Nothing was imported/)])
    }
    expect(await documents()).toBe(before)
  })

  test('the plan of an AI client is refused when it is made and when it is applied', async () => {
    const { bea, own, other, device, network } = await estate()
    const peer = { fetch: all.app.fetch, key: bea.key }
    const call = async (operation: string, input: object) => callTool(peer, 'call_operation', { operation, input })
    const overlaps = expect.stringContaining('overlaps address space outside of the part')
    const hidden = { name: 'planned', subnet: '12.7.0.0/24', datacenter_id: own }
    expect(await call('networks.create', hidden)).toMatchObject({ isError: true, value: { error: overlaps } })
    const bulk = await call('networks.bulk', { operations: [{ op: 'create', network: hidden }] })
    expect(JSON.stringify(bulk)).toContain('must overlap no address space outside of the part')

    const [low, high] = [await network(own, '16.0.0.0/25'), await network(own, '16.0.0.128/25')]
    const planned = await call('networks.merge', { network_ids: [low, high] })
    const { plan_id } = planned.value
    expect([planned.isError, plan_id]).toEqual([false, expect.any(String)])
    await device(other, '16.0.0.200')
    expect(await callTool(peer, 'apply_plan', { plan_id })).toMatchObject({ isError: true, value: { error: overlaps } })
  })

  test('an undo restores no network in hidden address space', async () => {
    const { bea, own, other, network, device } = await estate()
    const gone = await network(own, '17.0.0.0/24')
    const removal = await bea.ask(`DELETE /api/networks/${gone}`)
    expect(removal.status).toBe(204)
    const change = removal.headers.get('x-change-id')
    const undo = () => bea.ask(`POST /api/history/${change}/undo`, {})
    const guest = await device(other, '17.0.0.9')
    expect(await undo()).toMatchObject({ status: 403 })
    await all.admin.ask(`DELETE /api/devices/${guest}`)
    const around = await network(other, '17.0.0.0/16')
    expect(await undo()).toMatchObject({ status: 403 })
    await all.admin.ask(`DELETE /api/networks/${around}`)
    expect(await undo()).toMatchObject({ status: 200 })
  })

  test('a move to another space takes no hidden device along, and lands on none', async () => {
    const { bea, own, other, space, network, device } = await estate()
    const taking = await network(own, '18.0.0.0/24')
    const guest = await device(other, '18.0.0.9')
    const move: Call = ['a move', `PUT /api/networks/${taking}`, { space_id: space }]
    await expectRefused(bea, move)
    expect(await bea.ask(`GET /api/devices/${guest}`)).toMatchObject({ status: 404 })
    await all.admin.ask(`DELETE /api/devices/${guest}`)
    expect(await bea.ask(move[1], move[2])).toMatchObject({ status: 200 })

    // An apply and an undo move it as well.
    const moving = await network(own, '18.1.0.0/24')
    const row = { networks: [{ id: moving, space: 'own space' }] }
    const visitor = await device(other, '18.1.0.9')
    for (const query of ['', '?dry_run=true'])
      expect(await bea.ask(`POST /api/estate/apply${query}`, row)).toMatchObject({ status: 403 })
    await all.admin.ask(`DELETE /api/devices/${visitor}`)
    const applied = await bea.ask('POST /api/estate/apply', row)
    expect(applied.status).toBe(200)
    const before = await device(other, '18.1.0.9')
    const undo = () => bea.ask(`POST /api/history/${applied.headers.get('x-change-id')}/undo`, {})
    expect(await undo()).toMatchObject({ status: 403 })
    expect(await bea.ask(`GET /api/networks/${moving}`)).toMatchObject({ body: { space_id: space } })
    await all.admin.ask(`DELETE /api/devices/${before}`)
    expect(await undo()).toMatchObject({ status: 200 })

    // Back to the default space, where there is a hidden address by now that an own device has as well.
    await device(own, '18.0.0.9', { space_id: space })
    await device(other, '18.0.0.9')
    await expectRefused(bea, ['back', `PUT /api/networks/${taking}`, { space_id: null }])
  })

  test('a pool lies over no hidden network', async () => {
    const { bea, own, other, network } = await estate()
    const id = await network(own, '19.0.0.0/16')
    await network(other, '19.0.32.0/24')
    const create = (start_ip: string, end_ip: string): Call => [
      `${start_ip} to ${end_ip}`,
      `POST /api/networks/${id}/pools`,
      { name: start_ip, start_ip, end_ip },
    ]
    const before = await documents()
    const texts = new Set<string>()
    for (const call of [
      create('19.0.0.1', '19.0.255.1'),
      create('19.0.32.5', '19.0.32.9'),
      create('19.0.31.200', '19.0.32.2'),
      create('19.0.32.250', '19.0.33.2'),
    ])
      texts.add(await expectRefused(bea, call))
    expect([...texts]).toHaveLength(1)
    expect(await documents()).toBe(before)

    const [, http, body] = create('19.0.1.1', '19.0.1.9')
    const made = await bea.ask(http, body)
    expect(made.status).toBe(201)
    const change = (more: object): Call => ['a change', `PUT /api/pools/${(made.body as Row).id}`, more]
    texts.clear()
    texts.add(await expectRefused(bea, change({ end_ip: '19.0.40.1' })))
    texts.add(await expectRefused(bea, change({ start_ip: '19.0.32.1', end_ip: '19.0.32.9' })))
    expect([...texts]).toHaveLength(1)
    expect(await bea.ask(`PUT /api/pools/${(made.body as Row).id}`, { end_ip: '19.0.31.255' })).toMatchObject({
      status: 200,
    })
  })

  test('a pool that a tag admits to a network elsewhere lies over no hidden device', async () => {
    const { cyd, other, network, device } = await estate()
    const id = await network(other, '20.0.0.0/24')
    await device(other, '20.0.0.9')
    const create = (start_ip: string, end_ip: string): Call => [
      start_ip,
      `POST /api/networks/${id}/pools`,
      { name: start_ip, start_ip, end_ip, tags: ['own'] },
    ]
    await expectRefused(cyd, create('20.0.0.5', '20.0.0.20'))
    const [, http, body] = create('20.0.0.10', '20.0.0.20')
    expect(await cyd.ask(http, body)).toMatchObject({ status: 201 })
  })

  test('a hidden address is found behind thousands of own ones', async () => {
    const { bea, own, other, device } = await estate()
    const rows = Array.from({ length: 4500 }, (_, i) => ({
      name: `own ${i}`,
      datacenter_id: own,
      // Ten have each address.
      addresses: [{ ip: `23.0.${Math.floor(i / 2000)}.${Math.floor(i / 10) % 200}` }],
    }))
    const { key } = all.admin
    const imported = await all.app.send('POST /api/estate/import?resource=devices', { key, body: rows })
    expect(await imported.text()).toContain('"created":4500')
    const hidden = await device(other, '23.0.255.255')
    const create = () => bea.ask('POST /api/networks', { name: 'large', subnet: '23.0.0.0/16', datacenter_id: own })
    expect(await create()).toMatchObject({ status: 403 })
    await all.admin.ask(`DELETE /api/devices/${hidden}`)
    const first = await device(other, '23.0.0.0')
    expect(await create()).toMatchObject({ status: 403 })
    await all.admin.ask(`DELETE /api/devices/${first}`)
    expect(await create()).toMatchObject({ status: 201 })
  })

  test('the own part and free address space stay open, and callers with the permission everywhere notice nothing', async () => {
    const { bea, own, network, device } = await estate()
    await network(own, '21.0.0.0/16')
    await network(own, '21.0.5.0/24')
    await device(own, '21.0.6.6')
    const create = (who: Person, subnet: string) =>
      who.ask('POST /api/networks', { name: subnet, subnet, datacenter_id: own })
    for (const subnet of [
      '21.0.0.0/17',
      '21.0.6.0/24',
      '21.0.5.0/24',
      '21.0.0.0/8',
      '2001:db8::/32',
      '2001:db8:1::/48',
      '2001:db8::/16',
    ])
      expect([subnet, (await create(bea, subnet)).status]).toEqual([subnet, 201])
    for (const subnet of ['10.1.0.0/24', '11.5.0.0/16', '12.7.0.0/24', '0.0.0.0/0'])
      expect([subnet, (await create(all.admin, subnet)).status]).toEqual([subnet, 201])
    const applied = await bea.ask('POST /api/estate/apply', {
      networks: [
        { name: 'inner', subnet: '22.0.5.0/24', datacenter: 'own' },
        { name: 'outer', subnet: '22.0.0.0/16', datacenter: 'own' },
      ],
      devices: [{ name: 'applied', datacenter: 'own', addresses: [{ ip: '22.0.5.5' }] }],
    })
    expect(applied).toMatchObject({ status: 200 })
  })
})
