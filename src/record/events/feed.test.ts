// The event at which a listener begins, and the events that follow, independent of the speed of the database.
import { expect, test } from 'bun:test'
import { until } from '../../../testing/until.ts'
import { createLogger } from '../../base/runtime/log.ts'
import type { UnderWay } from '../../database/database.ts'
import { createFeed, type Listener } from './feed.ts'
import type { StoredEvent } from './store.ts'

const silent = createLogger({ level: 'error', format: 'text', write: () => {} })
const permissions = new Set(['events:read', 'devices:read'])
const PER_USER = 3

const eventOf = (seq: number): StoredEvent => ({
  seq,
  event: 'device.created',
  resource_id: `device-${seq}`,
  data: '{}',
  change_id: '',
  created_at: '2026-01-01T00:00:00Z',
})

/** Creates a feed of events that are stored in an array. */
const feedOf = (seqs: readonly number[], log = silent) => {
  const events = seqs.map(eventOf)
  const held = {
    ends: Promise.resolve(),
    underWay: undefined as UnderWay | undefined,
    timeline: undefined as number | undefined,
    asked: 0,
  }
  const feed = createFeed({
    log,
    perUser: PER_USER,
    revalidated: () => undefined,
    source: {
      after: async (seq, most) => events.filter((event) => event.seq > seq).slice(0, most),
      ends: async () => {
        await held.ends
        return { first: events[0]?.seq ?? 0, last: events.at(-1)?.seq ?? 0 }
      },
      sight: async () => (event) => event.data,
      timeline: () => held.timeline,
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
  /** Promotes a standby that has not received the events from a number on. */
  const promote = (lost: number): void => {
    held.timeline = (held.timeline ?? 1) + 1
    events.splice(events.findIndex(({ seq }) => seq === lost))
  }
  return { feed, held, add, promote }
}

const listening = (userId = 'ada') => {
  let text = ''
  let isOver = false
  const send = (bytes: Uint8Array): boolean => {
    text += new TextDecoder().decode(bytes)
    return true
  }
  return {
    listener: {
      caller: { userId, username: userId, via: 'key', credentialId: userId, permissions },
      wanted: { types: undefined, resource: undefined },
      sentBytes: () => text.length,
      send,
      drained: async () => {},
      end: () => {
        isOver = true
      },
      cut: (last) => {
        if (last) send(last)
        isOver = true
      },
    } satisfies Listener,
    heard: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    text: () => text,
    isOver: () => isOver,
  }
}

test('a listener receives all events after its first byte, however long the start takes', async () => {
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

test('a feed that cannot start is refused, and removed', async () => {
  const { feed, held } = feedOf([])
  held.ends = Promise.reject(new Error('the database is away'))
  const { listener } = listening()
  await expect(feed.follow(listener, undefined)).rejects.toThrow('the database is away')
  expect(feed.listeners()).toEqual([])
})

test('open transactions are queried only when a number is missing, and a late event is sent in order', async () => {
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

test('after a promotion that lost events, listeners are told to read again, and get later events of the same numbers', async () => {
  const { feed, held, add, promote } = feedOf([1])
  held.timeline = 1
  const { listener, heard, text } = listening()
  await feed.follow(listener, undefined)
  for (const seq of [2, 3]) add(seq)
  await until('the third', () => heard()[1])
  promote(2)
  feed.wake()
  await until('the marker', () => text().includes('event: reset') || undefined)
  add(2)
  await until('the new second', () => heard()[2])
  expect([heard(), text().split('event: reset').length]).toEqual([[2, 3, 2], 2])
  await feed.close()
})

test('a listener that has missed events gets each of them once, beside another listener', async () => {
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

test('a feed beyond the limit of a user ends the oldest one, with its reason', async () => {
  const { feed, add } = feedOf([])
  const [oldest, other] = [listening(), listening('vic')]
  const later = Array.from({ length: PER_USER }, () => listening())
  for (const { listener } of [oldest, other, ...later]) await feed.follow(listener, undefined)
  expect(oldest.text()).toBe('retry: 60000\nevent: limit\ndata: {"feeds_per_user":3,"retry_ms":60000}\n\n')
  expect([oldest, other, ...later].map(({ isOver }) => isOver())).toEqual([true, false, false, false, false])
  add(1)
  await until('the first', () => other.heard()[0])
  expect([oldest, other, ...later].map(({ heard }) => heard().length)).toEqual([0, 1, 1, 1, 1])
  await feed.close()
})

test('the log names each feed that is cut off, with its user, its route and its bytes', async () => {
  const lines: string[] = []
  const log = createLogger({ level: 'warn', format: 'json', write: (line) => lines.push(line) })
  const { feed, add } = feedOf([], log)
  const all = Array.from({ length: PER_USER + 1 }, () => listening())
  for (const { listener } of all) await feed.follow(listener, undefined)
  const slow = listening('vic').listener
  await feed.follow({ ...slow, sentBytes: () => 7, send: () => false }, undefined)
  const gone = listening('eve').listener
  await feed.follow(gone, undefined)
  feed.leave(gone)
  add(1)
  await until('the line of the slow one', () => lines[1])
  await feed.close()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', reason: 'too many live feeds of this user', user: 'ada', route: '/api/events', bytes: 0 },
    { level: 'warn', reason: 'its client does not keep up', user: 'vic', route: '/api/events', bytes: 7 },
  ])
})

test('a closed feed makes room for the next', async () => {
  const { feed } = feedOf([])
  const listeners = Array.from({ length: PER_USER }, () => listening())
  for (const { listener } of listeners) await feed.follow(listener, undefined)
  feed.leave(listeners[1]?.listener ?? listening().listener)
  await feed.follow(listening().listener, undefined)
  expect(listeners.map(({ isOver }) => isOver())).toEqual([false, false, false])
  await feed.close()
})

test('an event is encoded once for all its listeners', async () => {
  const { feed, add } = feedOf([])
  const sent = new Set<Uint8Array>()
  const [one, other] = [listening('ada'), listening('vic')].map(({ listener }) => ({
    ...listener,
    send: (bytes: Uint8Array) => {
      sent.add(bytes)
      return listener.send(bytes)
    },
  }))
  for (const listener of [one, other]) if (listener) await feed.follow(listener, undefined)
  add(1)
  await until('the first', () => sent.size || undefined)
  expect(sent.size).toBe(1)
  await feed.close()
})
