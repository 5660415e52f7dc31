// Lists and searches of so many devices that the first page is found in another way. The page must be the same.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

const BULK = 1000
const COUNT = 5 * BULK

/** Device 17 is `node 2017`: the order of names differs from the order of creation. */
const nameOf = (i: number): string => `node ${String((i * 2017) % COUNT).padStart(4, '0')}`

const draftOf = (i: number) => ({
  name: nameOf(i),
  description: [
    'every',
    ...(i % 2 === 0 ? ['half'] : []),
    ...(i % 5 === 0 ? ['fifth'] : []),
    ...(i % 100 === 0 ? ['percent'] : []),
  ].join(' '),
  tags: ['all', ...(i % 5 === 0 ? ['fifth'] : []), ...(i % 100 === 0 ? ['percent'] : [])],
  ...(i % 2 === 0 ? { status: 'planned' as const } : {}),
  ...(i % 4 === 0 ? { addresses: [{ ip: `10.1.${Math.floor(i / 250)}.${i % 250}` }] } : {}),
})

const ALL = Array.from({ length: COUNT }, (_, i) => draftOf(i))
const sorted = (devices: readonly { name: string }[]) => devices.map(({ name }) => name).toSorted()
const having = (word: string) => sorted(ALL.filter(({ description }) => description.split(' ').includes(word)))

describe.each(engines())('of 5,000 devices on %s', (dialect) => {
  const inv = inventory(dialect)
  const page = async (path: string) => {
    const { body, total } = await inv.ask(`GET ${path}`)
    return { total: Number(total), names: (body as { name: string }[]).map(({ name }) => name) }
  }

  let network = ''
  beforeAll(async () => {
    network = (await inv.api.networks.create({ name: 'n', subnet: '10.1.0.0/16' })).id
    for (let i = 0; i < COUNT; i += BULK)
      await inv.api.devices.bulk({
        operations: ALL.slice(i, i + BULK).map((device) => ({ op: 'create' as const, device })),
      })
  })

  test.each(['every', 'half', 'fifth', 'percent'])('the search for %s finds all of them by name', async (word) => {
    const names = having(word)
    expect(await page(`/api/devices/search?q=${word}`)).toEqual({ total: names.length, names })
  })

  test.each(['every', 'half', 'fifth', 'percent'])('the search for %s has the pages of the whole', async (word) => {
    const names = having(word)
    for (const [limit, offset] of [
      [50, 0],
      [7, 43],
      [1000, 100],
      [50, names.length - 3],
    ] as const) {
      const expected = { total: names.length, names: names.slice(offset, offset + limit) }
      expect(await page(`/api/devices/search?q=${word}&limit=${limit}&offset=${offset}`)).toEqual(expected)
    }
  })

  test('several words find the devices with all of them', async () => {
    const names = having('half').filter((name) => having('fifth').includes(name))
    const answer = await page('/api/devices/search?q=fifth%20half&limit=20')
    expect(answer).toEqual({ total: names.length, names: names.slice(0, 20) })
  })

  test('names that begin with the words go before whatever else holds them', async () => {
    const names = sorted(ALL).filter((name) => name.startsWith('node 1'))
    const { names: found } = await page(`/api/devices/search?q=node%201&limit=${names.length + 1}`)
    expect([found.slice(0, -1), found.at(-1)]).toEqual([names, 'node 0000'])
  })

  test.each(['all', 'fifth', 'percent'])('the list of devices tagged %s has the pages of the whole', async (tag) => {
    const names = sorted(ALL.filter(({ tags }) => tags.includes(tag)))
    expect(await page(`/api/devices?tags=${tag}`)).toEqual({ total: names.length, names })
    expect(await page(`/api/devices?tags=${tag}&limit=20&offset=10`)).toEqual({
      total: names.length,
      names: names.slice(10, 30),
    })
  })

  test.each(['every', 'half', 'fifth', 'percent'])(
    'the list of devices with the text %s has its pages in either order',
    async (word) => {
      const names = having(word)
      for (const [sort, all] of [
        ['name', names],
        ['-name', names.toReversed()],
      ] as const) {
        expect(await page(`/api/devices?q=${word}&sort=${sort}`)).toEqual({ total: all.length, names: all })
        for (const [limit, offset] of [
          [7, 0],
          [50, names.length - 3],
          [1000, 40],
        ] as const)
          expect(await page(`/api/devices?q=${word}&sort=${sort}&limit=${limit}&offset=${offset}`)).toEqual({
            total: all.length,
            names: all.slice(offset, offset + limit),
          })
      }
      expect((await page(`/api/devices?q=${word}&offset=3`)).names).toEqual(names.slice(3))
    },
  )

  test('a text, a block and a tag narrow one another', async () => {
    const addressed = (device: object) => 'addresses' in device
    const names = sorted(ALL.filter((device) => addressed(device) && device.tags.includes('fifth')))
    expect(await page('/api/devices?q=10.1.0.0/16&tags=fifth&sort=-name&limit=9&offset=4')).toEqual({
      total: names.length,
      names: names.toReversed().slice(4, 13),
    })
    const planned = sorted(ALL.filter(({ tags, status }) => tags.includes('fifth') && status === 'planned'))
    expect(await page('/api/devices?q=half%20every&tags=fifth&status=planned&limit=9&offset=400')).toEqual({
      total: planned.length,
      names: planned.slice(400, 409),
    })
  })

  test('filters narrow one another', async () => {
    const names = sorted(ALL.filter(({ tags, status }) => tags.includes('fifth') && status === 'planned'))
    expect(await page('/api/devices?tags=all&tags=fifth&status=planned&limit=5')).toEqual({
      total: names.length,
      names: names.slice(0, 5),
    })
  })

  test('a network and a block know all their devices', async () => {
    const names = sorted(ALL.filter((device) => 'addresses' in device))
    for (const path of [
      '/api/devices/search?q=10.1.0.0/16&',
      `/api/devices?network_id=${network}&`,
      `/api/networks/${network}/devices?`,
    ])
      expect(await page(`${path}limit=10&offset=5`)).toEqual({ total: names.length, names: names.slice(5, 15) })
  })

  test('the beginning of an address finds each device once, by address', async () => {
    const { total, names } = await page('/api/devices/search?q=10.1.1&limit=50')
    const expected = ALL.flatMap((device) => ('addresses' in device ? [device] : []))
      .filter(({ addresses }) => addresses?.some(({ ip }) => ip.startsWith('10.1.1')))
      .toSorted((a, b) => ((a.addresses?.[0]?.ip ?? '') < (b.addresses?.[0]?.ip ?? '') ? -1 : 1))
      .map(({ name }) => name)
    expect({ total, names }).toEqual({ total: expected.length, names: expected.slice(0, 50) })
  })

  test('a page that was read before has the later changes', async () => {
    const names = having('percent')
    const path = '/api/devices/search?q=percent&limit=3&offset=2'
    expect(await page(path)).toEqual({ total: names.length, names: names.slice(2, 5) })
    const { body } = await inv.ask('GET /api/devices/search?q=percent&limit=2')
    const [first, second] = body as { id: string }[]
    await inv.api.devices.update({ id: first?.id ?? '', name: 'zz: the last one now' })
    await inv.api.devices.delete({ id: second?.id ?? '' })
    const left = [...names.slice(2), 'zz: the last one now']
    expect(await page(path)).toEqual({ total: left.length, names: left.slice(2, 5) })
    expect((await page(`/api/devices/search?q=percent&offset=${left.length - 1}`)).names).toEqual(left.slice(-1))
  })
})
