/** The order of turns between lanes, networks and clients of a network, and the items that a full lane drops. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createFairQueue, type FairQueue, type Turn } from './fair-queue.ts'

type Item = { readonly name: string; readonly turn: Turn }

/** @example of('net1/a') // an unknown client of the network net1 */
const of = (place: string, name = place): Item => {
  const [group = '', key = ''] = place.split('/')
  return { name, turn: { lane: 'common', group, key: place + (key === '' ? group : '') } }
}
const known = (account: string): Item => ({ name: account, turn: { lane: 'known', group: account, key: account } })

const queueOf = (items: readonly Item[], limit = 1000): FairQueue<Item> => {
  const queue = createFairQueue<Item>(limit)
  for (const item of items) queue.add(item)
  return queue
}

/** The order in which a worker serves all waiting items. */
const served = (queue: FairQueue<Item>): string[] => {
  const names: string[] = []
  for (let item = queue.next(); item; item = queue.next()) {
    names.push(item.name)
    queue.done(item.turn)
  }
  return names
}

describe('turns go', () => {
  test('from network to network, however many clients of one are waiting', () => {
    const crowd = [1, 2, 3, 4].map((n) => of(`crowd/${n}`))
    expect(served(queueOf([...crowd, of('home/1'), of('shop/1')]))).toEqual([
      'crowd/1',
      'home/1',
      'shop/1',
      'crowd/2',
      'crowd/3',
      'crowd/4',
    ])
  })

  test('from client to client within a network', () => {
    const queue = queueOf([of('net/a', 'a1'), of('net/a', 'a2'), of('net/a', 'a3'), of('net/b', 'b1')])
    expect(served(queue)).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  test('first to a network that was not served lately', () => {
    const queue = queueOf([])
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 30; n++) queue.add(of(`attacker-${n}/1`))
      if (round < 2) served(queue)
    }
    queue.add(of('stranger/1'))
    expect(queue.next()?.name).toBe('stranger/1')
  })

  test('first to a client of the network that was not served lately', () => {
    const queue = queueOf([of('net/1'), of('net/2')])
    served(queue)
    for (const place of ['net/1', 'net/2', 'net/new']) queue.add(of(place))
    expect(queue.next()?.name).toBe('net/new')
  })

  test('from lane to lane', () => {
    const strangers = [1, 2, 3].map((n) => of(`net-${n}/1`))
    expect(served(queueOf([...strangers, known('ada'), known('ben')]))).toEqual([
      'ada',
      'net-1/1',
      'ben',
      'net-2/1',
      'net-3/1',
    ])
  })

  test('from account to account', () => {
    expect(served(queueOf([known('ada'), known('ada'), known('ada'), known('ben')]))).toEqual([
      'ada',
      'ben',
      'ada',
      'ada',
    ])
  })
})

test('one job of a client runs at a time; its others wait behind it', () => {
  const queue = queueOf([of('net/a', 'a1'), of('net/a', 'a2')])
  const first = queue.next()
  expect([first?.name, queue.next(), queue.size()]).toEqual(['a1', undefined, 1])
  if (first) queue.done(first.turn)
  expect(queue.next()?.name).toBe('a2')
})

test('a removed item is not served', () => {
  const [one, two] = [of('net/a', 'one'), of('net/a', 'two')]
  const queue = queueOf([one, two])
  queue.remove(one)
  queue.remove(one)
  expect([queue.size(), served(queue)]).toEqual([1, ['two']])
})

describe('of a full lane', () => {
  test('the newest of the client that waits most in the longest network goes', () => {
    const queue = queueOf([of('flood/a', 'a1'), of('flood/a', 'a2'), of('flood/b', 'b1'), of('home/1')], 3)
    expect([queue.overflow()?.name, queue.overflow()]).toEqual(['a2', undefined])
  })

  test('a newcomer stays while one network is longer', () => {
    const queue = queueOf([], 100)
    for (let n = 0; n < 100; n++) queue.add(of(`flood/${n}`))
    const gone = Array.from({ length: 50 }, (_, n) => {
      queue.add(of(`home-${n}/1`))
      return queue.overflow()?.turn.group
    })
    expect(new Set(gone)).toEqual(new Set(['flood']))
  })

  test('a network that was just served goes before one that was not', () => {
    const queue = queueOf([of('busy/1')], 2)
    served(queue)
    for (const place of ['busy/1', 'new-1/1', 'new-2/1']) queue.add(of(place))
    expect(queue.overflow()?.name).toBe('busy/1')
  })

  test('the other lane is none the worse', () => {
    const queue = queueOf([known('ada'), of('net/1'), of('net/2')], 2)
    expect(queue.overflow()).toBeUndefined()
  })
})

test('serves each item once, and no network twice before another that waits', () => {
  const place = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 3 }))
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), (places) => {
      const items = places.map(([group, key], i) => of(`${group}/${key}`, String(i)))
      const names = served(queueOf(items))
      expect(names.toSorted()).toEqual(items.map(({ name }) => name).toSorted())
      // Round robin: in each prefix, networks with waiting items are at most one turn apart.
      const groupOf = (name: string) => items[Number(name)]?.turn.group ?? ''
      const left = Map.groupBy(items, ({ turn }) => turn.group)
      const turns = new Map([...left.keys()].map((group) => [group, 0]))
      for (const name of names) {
        const group = groupOf(name)
        turns.set(group, (turns.get(group) ?? 0) + 1)
        const waiting = [...turns].filter(([one, count]) => count < (left.get(one)?.length ?? 0))
        const counts = waiting.map(([, count]) => count)
        if (counts.length > 0) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      }
    }),
  )
})
