// Where a listener begins, and what it is sent from there on, whatever the database takes its time with.
import { expect, test } from 'bun:test'
import type { UnderWay } from '../../platform/db/database.ts'
import { createLogger } from '../../platform/log.ts'
import { until } from '../../testing/until.ts'
import { createFeed } from './feed.ts'
import type { StoredEvent } from './store.ts'

const silent = createLogger({ level: 'error', format: 'text', write: () => {} })
const permissions = new Set(['devices:read'])

const eventOf = (seq: number): StoredEvent => ({
  seq,
  event: 'device.created',
  resource_id: `device-${seq}`,
  data: '{}',
  created_at: '2026-01-01T00:00:00Z',
})

/** A feed of events that are kept in an array. */
const feedOf = (seqs: readonly number[]) => {
  const events = seqs.map(eventOf)
  const held = { ends: Promise.resolve(), underWay: undefined as UnderWay | undefined, asked: 0 }
  const feed = createFeed({
    log: silent,
    source: {
      after: async (seq, most) => events.filter((event) => event.seq > seq).slice(0, most),
      ends: async () => {
        await held.ends
        return { first: events[0]?.seq ?? 0, last: events.at(-1)?.seq ?? 0 }
      },
      underWay: async () => {
        held.asked++
        return held.underWay
      },
    },
  })
  const add = (seq: number): void => {
    events.push(eventOf(seq))
    events.sort((a, b) => a.seq - b.seq)
    feed.wake()
  }
  return { feed, held, add }
}

const listening = (access = '') => {
  let text = ''
  let isOver = false
  return {
    listener: {
      wanted: { permissions, types: undefined, resource: undefined },
      rights: { access, people: '' },
      send: (more: string) => {
        text += more
        return true
      },
      end: () => {
        isOver = true
      },
    },
    heard: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    isOver: () => isOver,
  }
}

test('whoever has been told to follow hears of all that comes then, however long it took to know where it begins', async () => {
  const { feed, held, add } = feedOf([1, 2])
  const { promise, resolve } = Promise.withResolvers<void>()
  held.ends = promise
  const { listener, heard } = listening()
  let isFollowing = false
  const following = feed.follow(listener, undefined).then(() => {
    isFollowing = true
  })
  await Bun.sleep(20)
  expect(isFollowing).toBe(false)
  resolve()
  await following
  add(3)
  await until('the third', () => heard()[0])
  expect(heard()).toEqual([3])
  await feed.close()
})

test('one that can not be begun is refused, and forgotten', async () => {
  const { feed, held } = feedOf([])
  held.ends = Promise.reject(new Error('the database is away'))
  const { listener } = listening()
  await expect(feed.follow(listener, undefined)).rejects.toThrow('the database is away')
  expect(feed.listeners()).toBe(0)
})

test('who writes is asked for only when a number is missing, and what comes late is sent in its place', async () => {
  const { feed, held, add } = feedOf([1])
  held.underWay = { oldest: 10n, next: 12n }
  const { listener, heard } = listening()
  await feed.follow(listener, undefined)
  add(2)
  await until('the second', () => heard()[0])
  expect(held.asked).toBe(0)
  add(4)
  await until('a look', () => held.asked || undefined)
  await Bun.sleep(60)
  expect(heard()).toEqual([2])
  add(3)
  await until('the fourth', () => heard()[2])
  expect(heard()).toEqual([2, 3, 4])
  add(7)
  held.underWay = { oldest: 12n, next: 12n }
  await until('the seventh', () => heard()[3])
  expect(heard()).toEqual([2, 3, 4, 7])
  await feed.close()
})

test('one that has missed some while another listens is sent each of them once', async () => {
  const { feed, add } = feedOf([1, 2, 3])
  const [first, second] = [listening(), listening()]
  await feed.follow(first.listener, undefined)
  await feed.follow(second.listener, 1)
  add(4)
  await until('all', () => (second.heard().length >= 3 && first.heard().length >= 1) || undefined)
  expect([first.heard(), second.heard()]).toEqual([[4], [2, 3, 4]])
  await feed.close()
  expect([first.isOver(), second.isOver()]).toEqual([true, true])
})

test('those are let go of whose rights are outdated, and no others', async () => {
  const { feed } = feedOf([])
  const [before, after] = [listening('1'), listening('2')]
  for (const { listener } of [before, after]) await feed.follow(listener, undefined)
  feed.release(({ access }) => access !== '2')
  expect([before.isOver(), after.isOver(), feed.listeners()]).toEqual([true, false, 1])
  await feed.close()
})
