// A caller limited to one half of a doubled estate calls the whole NetBox API about objects of the other half: it learns nothing of them.
import { describe, expect, test } from 'bun:test'
import { ENDPOINT_ROUTES } from '../../src/netbox/endpoint/routes.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import { listFilters } from '../../src/netbox/list/common-filters.ts'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { expectNothingHidden, type Halves, halves, textOf } from '../../testing/hostile/halves.ts'
import { type Item, Page, pick } from '../../testing/netbox/oracle/lists.ts'
import { engines } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 180_000
const API = '/netbox/api'

const paths = REGISTERED.map(({ path }) => path)

const hasRoute = (method: string, path: string): boolean =>
  ENDPOINT_ROUTES.some((route) => route.method === method && route.path === path)

describe.each(engines())('of the other half, a scoped caller of the NetBox API on %s', (dialect) => {
  const all: People = people(dialect)
  const estate = halves(all)

  const listAll = async ({ ask }: Person, path: string): Promise<readonly Item[]> => {
    const { status, body } = await ask(`GET ${API}/${path}/?limit=0`)
    expect([path, status, body]).toEqual([path, 200, expect.anything()])
    return Page.parse(body).results
  }

  /** Returns the objects that an administrator sees and the person does not. */
  const listHidden = async (person: Person, path: string): Promise<readonly Item[]> => {
    const own = new Set((await listAll(person, path)).map(({ id }) => id))
    return (await listAll(all.admin, path)).filter(({ id }) => !own.has(id))
  }

  const callers = ({ ada, narrow }: Halves) => [ada, narrow]

  test(
    'sees no part of it in any list, object, count or description',
    async () => {
      const made = await estate()
      for (const path of paths) {
        // Every object has its number before the scoped callers ask.
        expect((await listAll(all.admin, path)).length).toBeGreaterThanOrEqual(0)
        for (const person of callers(made)) {
          const items = await listAll(person, path)
          for (const query of ['limit=0', 'limit=1', 'brief=1', 'ordering=-id', 'ordering=name', 'q=omega'])
            expectNothingHidden(made, `${path}?${query}`, await person.ask(`GET ${API}/${path}/?${query}`))
          for (const { id } of items) {
            const answer = await person.ask(`GET ${API}/${path}/${id}/`)
            expect([path, id, answer.status]).toEqual([path, id, 200])
            expectNothingHidden(made, `${path}/${id}`, answer)
          }
          expectNothingHidden(made, `OPTIONS ${path}`, await person.ask(`OPTIONS ${API}/${path}/`))
        }
      }
    },
    TIMEOUT_MS,
  )

  test(
    'gets 404 for its numbers, whatever it sends',
    async () => {
      const made = await estate()
      for (const path of paths)
        for (const person of callers(made))
          for (const { id } of (await listHidden(person, path)).slice(0, 5)) {
            const about = (number: number, method: string, body?: object) =>
              person.ask(`${method} ${API}/${path}/${number}/`, body)
            for (const [method, body] of [['GET'], ['PATCH', {}], ['PUT', { name: 'x' }], ['DELETE']] as const) {
              if (method !== 'GET' && !hasRoute(method, path)) continue
              const [answer, twin] = [await about(id, method, body), await about(999_999_998, method, body)]
              expect([path, method, id, answer.status]).toEqual([path, method, id, twin.status])
              expect(textOf(answer)).toBe(textOf(twin))
              expect([403, 404]).toContain(answer.status)
            }
          }
    },
    TIMEOUT_MS,
  )

  test(
    'finds by no filter what it does not see',
    async () => {
      const made = await estate()
      const problems: string[] = []
      for (const { path, use } of REGISTERED) {
        const names = use((endpoint) => Object.keys(listFilters(endpoint)))
        const hidden = (await listHidden(made.narrow, path)).slice(0, 2)
        const values = hidden.flatMap((item) =>
          ['id', 'name', 'slug', 'prefix', 'address', 'mac_address', 'vid'].flatMap((one) => pick(item, one) ?? []),
        )
        for (const name of names)
          for (const value of [...new Set(values.map(String))]) {
            const { status, body } = await made.narrow.ask(`GET ${API}/${path}/?${name}=${encodeURIComponent(value)}`)
            const found = status === 200 ? Page.parse(body).results.map(({ id }) => id) : []
            if (found.some((id) => hidden.some((one) => one.id === id))) problems.push(`${path}?${name}=${value}`)
            const text = JSON.stringify(body).replaceAll(value, '')
            const secret = made.hidden.find((one) => text.includes(one))
            if (secret !== undefined) problems.push(`${path}?${name}=${value} holds ${secret}`)
          }
      }
      expect(problems).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'names its numbers in a body as if they did not exist',
    async () => {
      const made = await estate()
      const seen: string[] = []
      for (const [path, field, other] of [
        ['dcim/devices', 'site', 'dcim/sites'],
        ['dcim/devices', 'rack', 'dcim/racks'],
        ['ipam/prefixes', 'vrf', 'ipam/vrfs'],
        ['virtualization/virtual-machines', 'device', 'dcim/devices'],
      ] as const) {
        const [hidden] = await listHidden(made.ada, other)
        if (!hidden) continue
        seen.push(other)
        const [{ id: own } = { id: 0 }] = await listAll(made.ada, path)
        const send = async (id: number) => {
          const { status, body } = await made.ada.ask(`PATCH ${API}/${path}/${own}/`, { [field]: id })
          return [path, field, status, JSON.stringify(body).replaceAll(String(id), '<id>')]
        }
        const answer = await send(hidden.id)
        expect(answer).toEqual(await send(999_999_998))
        if (own !== 0) expect(answer).toContainEqual(expect.stringContaining('Related object not found'))
      }
      expect(seen).toContain('dcim/sites')
      expect(seen).toContain('dcim/devices')
    },
    TIMEOUT_MS,
  )
})
