// The estate as a proposal would leave it is for those who may read proposals, whatever else they may read.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { engines } from '../../testing/servers/servers.ts'

describe.each(engines())('as_of a proposal on %s', (dialect) => {
  const all: People = people(dialect)
  let author: Person
  let draft: number
  let open: number

  beforeAll(async () => {
    author = await all.person({ roles: ['operator'] })
    const propose = async (name: string, state: 'draft' | 'open') => {
      const { headers, status } = await author.ask(`POST /api/devices?proposal=${state}`, { name })
      expect(status).toBe(202)
      return Number(headers.get('x-proposal'))
    }
    draft = await propose('drafted', 'draft')
    open = await propose('opened', 'open')
  })

  const readAs = async (reader: Person, number: number) => {
    const { status, body } = await reader.ask(`GET /api/devices?as_of=proposal:${number}`)
    return [
      status,
      status === 200 ? (body as { name: string }[]).map(({ name }) => name) : (body as { error: string }).error,
    ]
  }
  const REFUSED = [403, 'This needs the permission proposals:read']

  test('a reader of proposals sees the open one', async () => {
    const reader = await all.person({ permissions: ['devices:list', 'devices:read', 'proposals:read'] })
    expect(await readAs(reader, open)).toEqual([200, ['opened']])
    expect((await readAs(reader, draft))[0]).toBe(400)
  })

  test('a caller who may not read proposals is refused, also one who may propose', async () => {
    const reader = await all.person({ permissions: ['devices:list', 'devices:read'] })
    const proposer = await all.person({ permissions: ['devices:list', 'devices:read', 'proposals:create'] })
    expect([await readAs(reader, open), await readAs(proposer, open)]).toEqual([REFUSED, REFUSED])
  })

  test('a key of the author that leaves proposals out shows no draft', async () => {
    const { body } = await author.ask('POST /api/keys', { name: 'narrow', permissions: ['devices:list'] })
    const narrow = all.with(author, (body as { key: string }).key)
    expect(await readAs(narrow, draft)).toEqual([403, `${REFUSED[1]}, which the API key leaves out`])
    expect(await readAs(author, draft)).toEqual([200, ['drafted']])
  })

  test('a caller who lists a part of the resources of an answer is refused too', async () => {
    const reader = await all.person({ permissions: ['search:read', 'devices:list', 'devices:read'] })
    const { status, body } = await reader.ask(`GET /api/search?q=opened&as_of=proposal:${open}`)
    expect([status, (body as { error: string }).error]).toEqual(REFUSED)
  })
})
