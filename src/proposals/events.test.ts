// Six events are about proposals, each with the whole numbers and the words of its entry. Drafts tell nothing.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { findLastSeq, readEvents } from '../../testing/recorded-events.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Made = { readonly id: string; readonly number: number }

describe.each(onSqlite())('events of proposals on %s', (dialect) => {
  const all: People = people(dialect)
  let device = ''
  let approver: Person
  let count = 0

  const send = async (http: string, body?: unknown, by = all.admin): Promise<Made> => {
    const answer = await by.ask(http, body)
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body])
    // The answer of the route.
    return answer.body as Made
  }
  const propose = (open: boolean): Promise<Made> => {
    const operations = [{ operation: 'devices.update', input: { id: device, os: `System ${++count}` } }]
    return send('POST /api/proposals', { title: 'Change', open, operations })
  }
  /** Returns the events of work, without their data. */
  const watch = async (work: () => Promise<unknown>) => {
    const after = await findLastSeq(all.app)
    await work()
    return (await readEvents(all.app, after)).filter(({ event }) => event.startsWith('proposal.'))
  }
  const listNames = async (work: () => Promise<unknown>) => (await watch(work)).map(({ event }) => event)

  beforeAll(async () => {
    device = (await send('POST /api/devices', { name: 'one' })).id
    approver = await all.person({ roles: ['operator'] })
  })

  test('each step of an open proposal is one event, with its counts', async () => {
    let made: Made | undefined
    const [opened] = await watch(async () => {
      made = await propose(true)
    })
    const path = `/api/proposals/${made?.number}`
    expect(opened).toMatchObject({ event: 'proposal.opened', resource_id: made?.id, change_id: '' })
    expect(opened?.data).toMatchObject({
      ...{ number: made?.number, state: 'open', title: 'Change', author: 'root', username: 'root', text: '' },
      ...{ summary: 'changes 1 device', counts: { update: { device: 1 } } },
    })
    expect(await listNames(() => send(`PUT ${path}`, { title: 'Other' }))).toEqual(['proposal.updated'])
    const edit = () => send(`PUT ${path}/operations/1`, { input: { id: device, os: 'Edited' } })
    expect(await listNames(edit)).toEqual(['proposal.updated'])
    expect(await listNames(() => send(`POST ${path}/refresh`))).toEqual([])
    const [commented] = await watch(() => send(`POST ${path}/comments`, { text: 'Why?' }, approver))
    expect(commented).toMatchObject({
      event: 'proposal.commented',
      data: { username: approver.username, text: 'Why?', title: 'Other' },
    })
    const [approved] = await watch(() => send(`POST ${path}/approve`, { text: 'Fine' }, approver))
    expect(approved).toMatchObject({ event: 'proposal.approved', data: { text: 'Fine' } })
    expect(await listNames(() => send(`POST ${path}/approve`, {}, approver))).toEqual([])
    const merged = await watch(() => send(`POST ${path}/merge`, {}))
    expect(merged).toMatchObject([{ event: 'proposal.merged', data: { state: 'merged', summary: 'changes 1 device' } }])
  })

  test('a draft tells nothing until it is opened, and nothing when it is closed', async () => {
    const { number } = await propose(false)
    const path = `/api/proposals/${number}`
    expect(await listNames(() => send(`POST ${path}/comments`, { text: 'Note' }))).toEqual([])
    expect(await listNames(() => send(`PUT ${path}`, { title: 'Mine' }))).toEqual([])
    expect(await listNames(() => send(`POST ${path}/close`, {}))).toEqual([])
    expect(await listNames(() => send(`POST ${path}/open`))).toEqual(['proposal.opened'])
    expect(await listNames(() => send(`POST ${path}/reject`, { text: 'No' }, approver))).toEqual(['proposal.closed'])
  })
})
