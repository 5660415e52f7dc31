/** The time at which each job gets a worker, on a fake clock and with scripted workers that take a second per job. */
import { describe, expect, test } from 'bun:test'
import type { Turn } from './fair-queue.ts'
import { type Clock, createWorkerGate } from './worker-pool.ts'

const JOB_MS = 1000
const MAX_WAIT_MS = 25_000

type Timer = { readonly atMs: number; readonly callback: () => void }

const fakeTime = () => {
  const timers = new Set<Timer>()
  let nowMs = 0
  const clock: Clock = {
    now: () => nowMs,
    after: (ms, callback) => {
      const timer = { atMs: nowMs + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  /** Advances the clock and runs all timers in order. */
  const pass = async (ms: number): Promise<void> => {
    const endMs = nowMs + ms
    for (;;) {
      const [next] = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)
      if (!next) break
      nowMs = next.atMs
      timers.delete(next)
      next.callback()
      // The continuation of a job runs in microtasks.
      for (let i = 0; i < 10; i++) await Promise.resolve()
    }
    nowMs = endMs
  }
  return { clock, pass }
}

/** A worker that answers each job after a second, with only the methods that the gate calls. */
const scriptedWorker = ({ after }: Clock): Worker => {
  const worker = {
    onmessage: (_: { data: unknown }) => {},
    postMessage: (job: string) => {
      after(JOB_MS, () => worker.onmessage({ data: { ok: true, value: job } }))
    },
    ref: () => {},
    unref: () => {},
    terminate: () => {},
    addEventListener: () => {},
  }
  return worker as unknown as Worker
}

const setUp = ({ workers = 1, queueLimit = 2000 } = {}) => {
  const { clock, pass } = fakeTime()
  const busy = () => new Error('busy')
  const gate = createWorkerGate<string, string>({
    spawn: () => scriptedWorker(clock),
    workers,
    queueLimit,
    busy,
    clock,
  })
  const ended: { name: string; isServed: boolean; atMs: number }[] = []
  const ask = async (turn: Turn, name = turn.key, signal?: AbortSignal): Promise<void> => {
    const work = gate.run(name, { turn, deadlineMs: clock.now() + MAX_WAIT_MS, signal })
    const isServed = await work.then(
      () => true,
      () => false,
    )
    ended.push({ name, isServed, atMs: clock.now() })
  }
  return { ask, pass, ended, clock }
}

const stranger = (address: string): Turn => ({
  lane: 'common',
  group: address.slice(0, address.lastIndexOf('.')),
  key: address,
})
const account = (name: string): Turn => ({ lane: 'known', group: name, key: name })

/** Thirty clients of as many networks. From now on each sends its next request when the last one is answered. */
const flood = ({ ask, clock }: ReturnType<typeof setUp>, untilMs: number): void => {
  const one = async (address: string): Promise<void> => {
    while (clock.now() < untilMs) await ask(stranger(address), 'attacker')
  }
  for (let n = 1; n <= 30; n++) void one(`198.51.${n}.1`)
}

test.each([1, 2])('25 people from 25 addresses all get in, with %i workers', async (workers) => {
  const { ask, pass, ended } = setUp({ workers })
  for (let n = 1; n <= 25; n++) {
    void ask(stranger(`192.0.2.${n}`))
    await pass(JOB_MS / 25)
  }
  await pass(60_000)
  expect(ended.filter(({ isServed }) => isServed)).toHaveLength(25)
})

test('no job is refused before 25 s, and each that waits that long is', async () => {
  const { ask, pass, ended } = setUp()
  for (let n = 1; n <= 60; n++) void ask(stranger(`192.0.${n}.1`))
  await pass(60_000)
  expect(ended.filter(({ isServed }) => isServed)).toHaveLength(25)
  expect(new Set(ended.flatMap(({ isServed, atMs }) => (isServed ? [] : [atMs])))).toEqual(new Set([MAX_WAIT_MS]))
})

describe('while thirty networks flood the queue', () => {
  test('a stranger of another network has the next turn', async () => {
    const world = setUp()
    flood(world, 120_000)
    await world.pass(60_500)
    void world.ask(stranger('203.0.113.9'), 'stranger')
    await world.pass(10_000)
    expect(world.ended.find(({ name }) => name === 'stranger')).toEqual({
      name: 'stranger',
      isServed: true,
      atMs: 62_000,
    })
  })

  test('known accounts have every other turn', async () => {
    const world = setUp()
    flood(world, 120_000)
    await world.pass(60_500)
    for (const name of ['ada', 'ben', 'cy']) void world.ask(account(name))
    await world.pass(10_000)
    const since = world.ended.filter(({ isServed, atMs }) => isServed && atMs > 61_000).map(({ name }) => name)
    expect(since.slice(0, 6)).toEqual(['ada', 'attacker', 'ben', 'attacker', 'cy', 'attacker'])
  })
})

test('of a flood from one address one job is in the common queue; another client waits for one turn', async () => {
  const { ask, pass, ended } = setUp({ workers: 2 })
  for (let n = 0; n < 100; n++) void ask(stranger('198.51.100.1'), 'attacker')
  void ask(stranger('203.0.113.9'), 'stranger')
  await pass(JOB_MS)
  expect(ended.map(({ name }) => name)).toEqual(['attacker', 'stranger'])
})

test('a network that fills the queue shuts out only itself', async () => {
  const { ask, pass, ended } = setUp({ queueLimit: 20 })
  for (let n = 0; n < 200; n++) void ask(stranger(`198.51.100.${n}`), 'attacker')
  for (let n = 1; n <= 8; n++) void ask(stranger(`203.0.${n}.1`), 'stranger')
  await pass(MAX_WAIT_MS)
  const strangers = ended.filter(({ name }) => name === 'stranger')
  expect(strangers.map(({ isServed }) => isServed)).toEqual(Array(8).fill(true))
})

test('a client that is gone leaves its place', async () => {
  const { ask, pass, ended } = setUp()
  const gone = new AbortController()
  void ask(stranger('192.0.2.1'), 'first')
  void ask(stranger('192.0.2.2'), 'gone', gone.signal)
  void ask(stranger('192.0.2.3'), 'last')
  gone.abort()
  await pass(2 * JOB_MS)
  expect(ended).toEqual([
    { name: 'gone', isServed: false, atMs: JOB_MS },
    { name: 'first', isServed: true, atMs: JOB_MS },
    { name: 'last', isServed: true, atMs: 2 * JOB_MS },
  ])
})
