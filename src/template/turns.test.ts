/** The order of turns, and the work that is refused, with work that the test ends itself. */
import { expect, test } from 'bun:test'
import { createFairLane, type Owner } from '../base/jobs/fair-lane.ts'

const MOST_WAITING = 8

/** Returns a lane with work that waits for `finish`, and the names in the order in which they began. */
const createTurns = () => {
  const lane = createFairLane({ atOnce: 1, waiting: MOST_WAITING, refusal: () => new Error('full') })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (name: string, owner: Owner, signal?: AbortSignal): Promise<string> =>
    lane
      .run(
        owner,
        () => {
          begun.push(name)
          return new Promise<void>((resolve) => ends.push(resolve))
        },
        signal,
      )
      .then(
        () => 'done',
        (error: unknown) => String(error),
      )
  /** Ends the work that is running, and lets the next begin. */
  const finish = async (): Promise<void> => {
    await new Promise(setImmediate)
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { add, begun, finish }
}

const ownerOf = (user: string, feed: string): Owner => ({ group: user, key: `${user} ${feed}` })
const mallory = (feed: string): Owner => ownerOf('mallory', feed)
const ann = ownerOf('ann', 'dhcp')

test('a user with 50 renderings delays the rendering of another user by one turn', async () => {
  const { add, begun, finish } = createTurns()
  const flood = Array.from({ length: 50 }, (_, n) => add(`m${n}`, mallory(`feed ${n}`)))
  const other = add('ann', ann)
  await finish()
  expect(begun).toEqual(['m0', 'ann'])
  await finish()
  expect(await other).toBe('done')
  for (let n = 0; n < MOST_WAITING; n++) await finish()
  const results = await Promise.all(flood)
  expect(results.filter((result) => result === 'done')).toHaveLength(MOST_WAITING)
  expect(results.filter((result) => result === 'Error: full')).toHaveLength(50 - MOST_WAITING)
})

test('feeds of one user take turns', async () => {
  const { add, begun, finish } = createTurns()
  for (let n = 0; n < 5; n++) void add(`slow${n}`, mallory('slow'))
  void add('dhcp', mallory('dhcp'))
  for (let n = 0; n < 6; n++) await finish()
  expect(begun).toEqual(['slow0', 'dhcp', 'slow1', 'slow2', 'slow3', 'slow4'])
})

test('a user who was served lately is behind one who was not', async () => {
  const { add, begun, finish } = createTurns()
  void add('m0', mallory('a'))
  await finish()
  void add('b0', ownerOf('bea', 'a'))
  void add('m1', mallory('a'))
  void add('ann', ann)
  for (let n = 0; n < 3; n++) await finish()
  expect(begun).toEqual(['m0', 'b0', 'ann', 'm1'])
})

test('the newest rendering of the user who has most of them is refused', async () => {
  const { add, begun, finish } = createTurns()
  const flood = Array.from({ length: MOST_WAITING + 1 }, (_, n) => add(`m${n}`, mallory('a')))
  const others = ['bea', 'cid', 'dan'].map((user) => add(user, ownerOf(user, 'a')))
  expect(await Promise.all(flood.slice(-3))).toEqual(['Error: full', 'Error: full', 'Error: full'])
  for (let n = 0; n < 4; n++) await finish()
  expect(begun).toEqual(['m0', 'bea', 'cid', 'dan', 'm1'])
  expect(await Promise.all(others)).toEqual(['done', 'done', 'done'])
})

test('work that fails lets the next begin', async () => {
  const lane = createFairLane({ atOnce: 1, waiting: MOST_WAITING, refusal: () => new Error('full') })
  const failed = lane.run(ann, () => Promise.reject(new Error('broken')))
  const next = lane.run(ann, async () => 'next')
  expect(await failed.catch(String)).toBe('Error: broken')
  expect(await next).toBe('next')
})

test('work that is aborted while it waits never begins', async () => {
  const { add, begun, finish } = createTurns()
  void add('m0', mallory('a'))
  const abort = new AbortController()
  const waiting = add('ann', ann, abort.signal)
  abort.abort(new Error('gone'))
  expect(await waiting).toBe('Error: gone')
  const next = add('next', ann)
  await finish()
  await finish()
  expect([await next, begun]).toEqual(['done', ['m0', 'next']])
})

test('an abort after the turn has begun leaves the turn to the work', async () => {
  const { add, begun, finish } = createTurns()
  const abort = new AbortController()
  const running = add('m0', mallory('a'), abort.signal)
  void add('ann', ann)
  await new Promise(setImmediate)
  abort.abort(new Error('gone'))
  expect(begun).toEqual(['m0'])
  await finish()
  expect([await running, begun]).toEqual(['done', ['m0', 'ann']])
})
