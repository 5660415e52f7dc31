// A caller with a role in one scope proposes there, and sees of proposals of the whole estate the items of the scope alone.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { expectNothingHidden, type Halves, halves } from '../../testing/hostile/halves.ts'
import { engines } from '../../testing/servers/servers.ts'

type Body = Readonly<Record<string, unknown>>

describe.each(engines())('of proposals on %s, a scoped caller', (dialect) => {
  const all: People = people(dialect)
  const estate = halves(all)
  let made: Halves
  let author: Person
  /** The id of a proposal that changes a device of each half. */
  let both: string

  beforeAll(async () => {
    made = await estate()
    author = await all.person({ roles: ['admin'] })
    const change = (id: string | undefined, word: string) => ({
      operation: 'devices.update',
      input: { id, description: `both in ${word}` },
    })
    const operations = [change(made.own.devices, 'alpha'), change(made.other.devices, 'omega')]
    const { status, body } = await author.ask('POST /api/proposals', { title: 'both halves', operations, open: true })
    expect([status, body]).toMatchObject([201, { errors: 0, summary: 'changes 2 devices' }])
    both = (body as { id: string }).id
    for (const { devices } of [made.own, made.other]) {
      const comment = { text: devices === made.own.devices ? 'here' : 'there', kind: 'device', object_id: devices }
      expect((await author.ask(`POST /api/proposals/${both}/comments`, comment)).status).toBe(201)
    }
  }, 60_000)

  test('lists and counts those with an item in the scope', async () => {
    const { status, body, headers } = await made.ada.ask('GET /api/proposals')
    const listed = body as { id: string; summary: string }[]
    expect([status, headers.get('x-total-count')]).toEqual([200, '2'])
    expect(listed.map(({ id }) => id)).toEqual([both, made.own.proposals ?? ''])
    expect(listed.map(({ summary }) => summary)).toEqual(['changes 1 device', 'changes 1 device'])
    expectNothingHidden(made, 'the list', JSON.stringify(body))
  })

  test('sees the items of the scope, without the inputs of the others', async () => {
    const { body } = await made.ada.ask(`GET /api/proposals/${both}`)
    expect(body).toMatchObject({
      ...{ summary: 'changes 1 device', counts: { update: { device: 1 } } },
      operations: [{ input: null }, { input: null }],
    })
    expectNothingHidden(made, 'the proposal', JSON.stringify(body))
    const items = (await made.ada.ask(`GET /api/proposals/${both}/items`)).body as { id: string }[]
    expect(items.map(({ id }) => id)).toEqual([made.own.devices ?? ''])
    const timeline = (await made.ada.ask(`GET /api/proposals/${both}/timeline`)).body as { text: string }[]
    expect(timeline.flatMap(({ text }) => text || [])).toEqual(['here'])
    expect((await made.ada.ask(`GET /api/proposals/${made.other.proposals}`)).status).toBe(404)
  })

  test('sees the requirement of a policy by the items in the scope', async () => {
    const policy = { name: 'two of both', permissions: ['devices:update'], min_objects: 2 }
    const { body: created } = await all.admin.ask('POST /api/policies', policy)
    const { body } = await made.ada.ask(`GET /api/proposals/${both}`)
    expect((body as Body).requirements).toMatchObject([{ policy: 'two of both', objects: 1, is_met: false }])
    expect((await all.admin.ask(`DELETE /api/policies/${(created as { id: string }).id}`)).status).toBe(204)
  })

  test('cannot comment on an item of the other half, nor correct the proposal', async () => {
    const about = (object_id: string | undefined) =>
      made.ada.ask(`POST /api/proposals/${both}/comments`, { text: 'x', kind: 'device', object_id })
    const [there, nowhere] = [await about(made.other.devices), await about('none')]
    expect([there.status, nowhere.status]).toEqual([400, 400])
    expect(JSON.stringify(there.body).replaceAll(made.other.devices ?? '', 'none')).toBe(JSON.stringify(nowhere.body))
    const input = { id: made.own.devices, os: 'x' }
    expect((await made.ada.ask(`PUT /api/devices/${made.own.devices}?proposal=${both}`, { os: 'x' })).status).toBe(403)
    expect((await made.ada.ask(`PUT /api/proposals/${both}/operations/1`, { input })).status).toBe(403)
  })

  test('proposes in the scope what only others may do, and cannot merge it', async () => {
    const { status, body, headers } = await made.ada.ask(`DELETE /api/devices/${made.own.devices}?proposal=open`)
    expect([status, body]).toMatchObject([202, { id: '', summary: expect.stringMatching(/^deletes .*1 device/) }])
    expectNothingHidden(made, 'the answer', JSON.stringify(body))
    const number = headers.get('x-proposal')
    const merged = await made.ada.ask(`POST /api/proposals/${number}/merge`, {})
    expect([merged.status, JSON.stringify(merged.body)]).toEqual([403, expect.stringContaining('devices:delete')])
    expect((await made.ada.ask(`POST /api/proposals/${number}/close`, {})).status).toBe(200)
    expect((await made.ada.ask(`GET /api/devices/${made.own.devices}`)).status).toBe(200)
  })

  test('proposes nothing about the other half, in the words about objects that do not exist', async () => {
    const ask = (id: string | undefined) => made.ada.ask(`PUT /api/devices/${id}?proposal=open`, { os: 'x' })
    const [there, nowhere] = [await ask(made.other.devices), await ask('none')]
    expect([there.status, nowhere.status]).toEqual([404, 404])
    expect(JSON.stringify(there.body).replaceAll(made.other.devices ?? '', 'none')).toBe(JSON.stringify(nowhere.body))
    const move = (datacenter_id: string | undefined) =>
      made.ada.ask(`PUT /api/devices/${made.own.devices}?proposal=open`, { datacenter_id })
    const [moved, lost] = [await move(made.other.datacenters), await move('none')]
    expect([moved.status, lost.status]).toEqual([400, 400])
    const input = { id: made.other.devices, os: 'x' }
    const created = await made.ada.ask('POST /api/proposals', {
      title: 'x',
      operations: [{ operation: 'devices.update', input }],
    })
    expect(created.status).toBe(400)
    expectNothingHidden(made, 'the refusal', JSON.stringify(created.body).replaceAll(made.other.devices ?? '', ''))
  })

  test('has no future of the estate', async () => {
    expect((await made.ada.ask(`GET /api/devices?as_of=proposal:${both}`)).status).toBe(403)
    expect((await made.narrow.ask(`GET /api/devices?as_of=proposal:${both}`)).status).toBe(403)
  })

  test('learns nothing about the other half from a conflict', async () => {
    const draft = { name: 'taken', datacenter_id: made.own.datacenters, refs: { nb: 'omega-1' } }
    const { status, body } = await made.ada.ask('POST /api/devices?proposal=open', draft)
    expect(status).toBe(409)
    expectNothingHidden(made, 'the conflict', JSON.stringify(body).replaceAll('nb:omega-1', ''))
  })
})
