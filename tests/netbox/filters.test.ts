// Random filters of the NetBox API find exactly the objects that an independent test of the whole list's answers finds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { countCases } from '../../testing/cases.ts'
import type { Door } from '../../testing/netbox/door.ts'
import { openFilled } from '../../testing/netbox/filled.ts'
import { decide } from '../../testing/netbox/oracle/decide.ts'
import { buildQuery, choose, createRandom, type Drawn, draw, listKnown } from '../../testing/netbox/oracle/draw.ts'
import { type Lists, pick, readLists, readPage } from '../../testing/netbox/oracle/lists.ts'
import { engines } from '../../testing/servers/servers.ts'

const CASES = countCases(1000)
const TIMEOUT_MS = 120_000

const known = listKnown()

/** Values that are none of a filter, by its rule. Any text is a value of the others. */
const BAD = { number: 'many', moment: 'soon', flag: 'perhaps', choice: 'no-choice', object: '424242', all: '424242' }

const isBadAnyhow = (is: string): is is keyof typeof BAD => Object.hasOwn(BAD, is)

describe.each(engines())('the lists of the NetBox API on %s', (dialect) => {
  let door: Door
  let lists: Lists
  beforeAll(async () => {
    door = await openFilled(dialect)
    lists = await readLists(door)
  }, TIMEOUT_MS)
  afterAll(() => door.close())

  /** Compares a filtered list with the objects of the whole list that meet the same filters. */
  const check = async (drawn: readonly Drawn[], size: number): Promise<string[]> => {
    const path = drawn[0]?.known.path ?? ''
    const query = buildQuery(drawn)
    const wanted = lists
      .get(path)
      .filter((item) => drawn.every((one) => decide(one.known.rule, item, one.asked, lists)))
      .map(({ id }) => id)
    const { count, results } = await readPage(door, path, `${query}&limit=0&fields=id`)
    const pages: number[] = []
    for (let offset = 0; offset === 0 || offset < count; offset += size) {
      const page = await readPage(door, path, `${query}&limit=${size}&offset=${offset}&fields=id`)
      if (page.count !== count) return [`${path}/?${query}: ${page.count} on a page, and ${count} of all`]
      pages.push(...page.results.map(({ id }) => id))
    }
    const found = results.map(({ id }) => id)
    if (`${found}` !== `${wanted}`) return [`${path}/?${query}: found ${found}, wanted ${wanted}`]
    if (count !== found.length) return [`${path}/?${query}: counted ${count} of ${found.length}`]
    return `${pages}` === `${found}` ? [] : [`${path}/?${query}: pages of ${size} have ${pages}, all are ${found}`]
  }

  test(
    'random filters find what the same test on the answers finds, by pages too',
    async () => {
      const random = createRandom(54)
      const compared = known.filter(({ rule }) => rule.is !== 'words')
      const problems: string[] = []
      let tried = 0
      while (tried < CASES) {
        const first = choose(random, compared)
        const others = compared.filter(({ path, name }) => path === first?.path && name !== first.name)
        const some = [first, ...(random() < 0.5 ? [] : [choose(random, others)])]
        const drawn = some.flatMap((one) => (one ? (draw(random, one, lists) ?? []) : []))
        if (drawn.length === 0) continue
        tried++
        problems.push(...(await check(drawn, 1 + Math.floor(random() * 6)).catch((error: Error) => [error.message])))
      }
      expect(problems).toEqual([])
    },
    TIMEOUT_MS,
  )

  const nameOf = ({ name }: { readonly name: string }, lookup: string) => (lookup === '' ? name : `${name}__${lookup}`)

  test('a value that is none of a filter is refused on its parameter, or finds nothing', async () => {
    const problems: string[] = []
    for (const one of known) {
      const { path, rule, lookups } = one
      if (!isBadAnyhow(rule.is)) continue
      const parameter = nameOf(one, lookups.at(-1) ?? '')
      const { status, body } = await door.get(`${path}/?${parameter}=${BAD[rule.is]}`)
      const isRefused = status === 400 && Object.keys(body ?? {}).join() === parameter
      const isNothing = status === 200 && JSON.stringify(body).startsWith('{"count":')
      if (rule.isLenient ? !isNothing : !isRefused) problems.push(`${path}/?${parameter}: ${status}`)
    }
    expect(problems).toEqual([])
  })

  test('an empty value counts as absent, but of objects, tags and choices it is refused', async () => {
    const problems: string[] = []
    for (const { path, name, rule } of known) {
      const { status, body } = await door.get(`${path}/?${name}=&limit=1&fields=id`)
      const isAll = status === 200 && pick(body, 'count') === lists.get(path).length
      const isRefused = status === 400 && Object.keys(body ?? {}).join() === name
      const wantsValue = ['object', 'all', 'choice'].includes(rule.is)
      if (rule.isLenient && pick(body, 'count') === 0) continue
      if (wantsValue ? !isRefused : !isAll) problems.push(`${path}/?${name}=: ${status} ${pick(body, 'count')}`)
    }
    expect(problems).toEqual([])
  })

  test('a parameter or a lookup that a list does not have is refused', async () => {
    for (const path of new Set(known.map((one) => one.path)))
      for (const parameter of ['cpu', 'name__regex', 'id__ic', 'cf_nothing', 'as_of', 'dry_run', 'proposal'])
        expect(await door.get(`${path}/?${parameter}=1`)).toEqual({
          status: 400,
          body: { [parameter]: [expect.any(String)] },
        })
  })

  test('words find the objects of that name, and none without them', async () => {
    const problems: string[] = []
    for (const { path, rule } of known.filter((one) => one.rule.is === 'words')) {
      for (const item of lists.get(path)) {
        const [name] = rule.read(item, lists).map((one) => String(one).replace(/\/\d+$/, ''))
        if (!name) continue
        const query = `q=${encodeURIComponent(name)}`
        const { count, results } = await readPage(door, path, `${query}&limit=0&fields=id`)
        if (!results.some(({ id }) => id === item.id) || count !== results.length)
          problems.push(`${path}/?${query}: ${count} counted, ${results.length} found, without ${item.id}`)
      }
      const { count } = await readPage(door, path, 'q=no-such-word&fields=id')
      if (count !== 0) problems.push(`${path}/?q=no-such-word: ${count}`)
    }
    expect(problems).toEqual([])
  })
})
