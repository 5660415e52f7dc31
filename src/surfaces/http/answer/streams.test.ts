/**
 * Long answers to clients that read slowly or not at all: they end, or continue from a file, and other answers are
 * unaffected.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../../../testing/until.ts'
import { createLogger } from '../../../base/runtime/log.ts'
import type { Source } from './response-stream.ts'
import { createSpoolSpace } from './spool.ts'
import { createStreams, type StreamLimits, type Streams } from './streams.ts'

/** Bounds that are reached soon. Every test reaches the minimum pace but the one about it. */
const QUICK: StreamLimits = {
  perUser: 2,
  total: 3,
  pace: { silentMs: 40, windowMs: 3_600_000, leastBytes: 1, longestPauseMs: 0 },
  tickMs: 10,
  moveWithinMs: 60_000,
}
const CHUNK = 100_000
const PLENTY = 1024 ** 3

let folder: string
let streams: Streams
let entries: string[]
/** The answers of a test. One that is not cancelled would leave its file to the garbage collector, which throws. */
let readers: Sent['reader'][]
beforeEach(() => {
  readers = []
  folder = mkdtempSync(join(tmpdir(), 'plat-streams-'))
  entries = []
})
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.cancel().catch(() => {})))
  streams.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (limits: Partial<StreamLimits> = {}, mostBytes = PLENTY): void => {
  streams = createStreams({
    limits: { ...QUICK, ...limits },
    log: createLogger({ level: 'debug', format: 'text', write: (entry) => entries.push(entry) }),
    space: createSpoolSpace({ folder, mostBytes, freeBytes: () => 1024 ** 4 }),
  })
}

const chunkOf = (n: number): Uint8Array => new Uint8Array(CHUNK).fill(n % 251)

/** A source that reports how far it was read, and whether it has ended. */
const sourceOf = (chunks: number, before: (n: number) => Promise<void> = async () => {}) => {
  const state = { read: 0, isEnded: false }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (let n = 0; n < chunks; n++) {
        await before(n)
        state.read = n + 1
        yield chunkOf(n)
      }
    } finally {
      state.isEnded = true
    }
  }
  return { state, source: bytes() as Source }
}

type Sent = {
  readonly state: { read: number; isEnded: boolean }
  readonly reader: {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
    readonly cancel: () => Promise<void>
  }
  /** The rest of the answer that the client receives. Rejects if the connection is aborted. */
  readonly rest: () => Promise<Buffer>
  readonly isDisconnected: () => boolean
}

/** An answer of 20 chunks, of which its client has read the first. */
const sent = async (owner: string, chunks = 20, before?: (n: number) => Promise<void>): Promise<Sent> => {
  const { state, source } = sourceOf(chunks, before)
  let isDisconnected = false
  const disconnect = () => {
    isDisconnected = true
  }
  const recipient = { owner, username: owner, route: '/api/things', requestId: 'r1', connection: undefined, disconnect }
  const reader = streams.send(source, recipient, (error) => entries.push(`failed: ${error}`)).getReader()
  readers.push(reader)
  const { value } = await reader.read()
  const parts = [value ?? new Uint8Array()]
  return {
    state,
    reader,
    isDisconnected: () => isDisconnected,
    rest: async () => {
      for (;;) {
        const next = await reader.read()
        if (next.done) return Buffer.concat(parts)
        parts.push(next.value ?? new Uint8Array())
      }
    },
  }
}

const whole = (chunks = 20): Buffer => Buffer.concat(Array.from({ length: chunks }, (_, n) => chunkOf(n)))
const cutOff = () => entries.filter((entry) => entry.includes('answer cut off'))
const someCutOff = (count: number) => until(`${count} cut off`, () => cutOff().length >= count || undefined)
/** Waits until the bounds have been checked many times. */
const manyLooks = async () => {
  for (let turn = 0; turn < 30; turn++) await Bun.sleep(QUICK.tickMs)
}

describe('of answers that are not read', () => {
  test('the oldest of a user ends where there are too many', async () => {
    start()
    const all = [await sent('ann'), await sent('ann'), await sent('ann')]
    await someCutOff(1)
    expect(all.map(({ state }) => state.isEnded)).toEqual([true, false, false])
  })

  test('an ended answer is cut off, so that its client notices', async () => {
    start()
    const [oldest] = [await sent('ann'), await sent('ann'), await sent('ann')]
    await someCutOff(1)
    expect(oldest?.rest()).rejects.toThrow('cut off')
    expect(oldest?.isDisconnected()).toBe(true)
  })

  test('the log warns with the user, the route and the sent bytes', async () => {
    start()
    for (let i = 0; i < 3; i++) await sent('ann')
    await someCutOff(1)
    expect(cutOff()[0]).toMatch(/WARN .*user=ann route=\/api\/things bytes=100000/)
  })

  test('as many as are allowed go on, also of several users', async () => {
    start()
    const all = [await sent('ann'), await sent('ann'), await sent('bob')]
    await manyLooks()
    expect([cutOff(), all.map(({ state }) => state.isEnded)]).toEqual([[], [false, false, false]])
  })

  test('the oldest of all ends where there are too many in all', async () => {
    start()
    const all = [await sent('ann'), await sent('bob'), await sent('cid'), await sent('dan')]
    await someCutOff(1)
    expect(all.map(({ state }) => state.isEnded)).toEqual([true, false, false, false])
  })

  test('an answer that waits for its source does not count', async () => {
    start({ perUser: 1 })
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const slowSources = [1, 2, 3].map(() => sent('ann', 3, (n) => (n === 0 ? Promise.resolve() : answered)))
    const wholes = (await Promise.all(slowSources)).map(({ rest }) => rest())
    await manyLooks()
    answer()
    expect((await Promise.all(wholes)).map((bytes) => bytes.equals(whole(3)))).toEqual([true, true, true])
  })

  test('an answer that is read continues beside any number of others', async () => {
    start({ perUser: 1, total: 1 })
    const oldest = await sent('ann', 60)
    await sent('ann')
    await sent('ann')
    const parts = [chunkOf(0)]
    // The rest comes in smaller pieces if the machine was too busy.
    for (let part = await oldest.reader.read(); !part.done; part = await oldest.reader.read()) {
      if (part.value) parts.push(part.value)
      await Bun.sleep(1)
    }
    expect(Buffer.concat(parts).equals(whole(60))).toBe(true)
  })
})

describe('a client that is too slow', () => {
  const SLOW = { pace: { silentMs: 3_600_000, windowMs: 50, leastBytes: 1000, longestPauseMs: 0 } }

  test('is cut off', async () => {
    start(SLOW)
    const { state } = await sent('ann')
    await someCutOff(1)
    expect(state.isEnded).toBe(true)
  })

  test('a client that was faster before may pause', async () => {
    start({ pace: { ...SLOW.pace, longestPauseMs: 60_000 } })
    const { reader } = await sent('ann')
    await reader.read()
    await manyLooks()
    expect([cutOff(), (await reader.read()).done]).toEqual([[], false])
  })

  test('a client that was faster before is cut off after the longest pause', async () => {
    start({ pace: { ...SLOW.pace, longestPauseMs: 150 } })
    const startedMs = performance.now()
    const { reader } = await sent('ann')
    await reader.read()
    await someCutOff(1)
    expect(performance.now() - startedMs).toBeGreaterThan(150)
  })

  test('a client with a slow source is not too slow', async () => {
    start(SLOW)
    const { rest } = await sent('ann', 3, (n) => (n === 0 ? Promise.resolve() : Bun.sleep(150)))
    expect((await rest()).equals(whole(3))).toBe(true)
  })

  test('that never reads at all is cut off as well', async () => {
    start(SLOW)
    const { state, source } = sourceOf(3)
    const disconnect = () => {}
    streams.send(
      source,
      { owner: 'a', username: 'a', route: '/', requestId: 'r', connection: undefined, disconnect },
      () => {},
    )
    await someCutOff(1)
    expect(state).toEqual({ read: 0, isEnded: false })
    expect((await source.next()).done).toBe(true)
  })
})

describe('an answer with a due snapshot', () => {
  const released = async (answer: Sent) => {
    streams.release(performance.now())
    await until('the end of its source', () => answer.state.isEnded || undefined)
  }

  test('releases its source though its client does not read', async () => {
    start()
    const answer = await sent('ann')
    await released(answer)
    expect(answer.state.read).toBe(20)
  })

  test('is whole all the same, in order', async () => {
    start()
    const answer = await sent('ann')
    await released(answer)
    expect((await answer.rest()).equals(whole())).toBe(true)
  })

  test('is whole also where it is read while it is moved', async () => {
    start()
    const answer = await sent('ann', 200, () => Bun.sleep(0))
    streams.release(performance.now())
    expect((await answer.rest()).equals(whole(200))).toBe(true)
  })

  test('an answer with a due snapshot stays where it is if it began later', async () => {
    start()
    const answer = await sent('ann')
    streams.release(performance.now() - 60_000)
    await manyLooks()
    expect(answer.state.read).toBeLessThan(20)
  })

  test('that is cancelled while it is moved ends its source', async () => {
    start()
    const answer = await sent('ann', 1000, () => Bun.sleep(1))
    streams.release(performance.now())
    await answer.reader.cancel()
    await until('the end of its source', () => answer.state.isEnded || undefined)
    expect(answer.state.read).toBeLessThan(1000)
  })

  test('an answer with a failing source breaks off, and is never taken for whole', async () => {
    start()
    const answer = await sent('ann', 20, async (n) => {
      if (n === 10) throw new Error('the disk is gone')
    })
    streams.release(performance.now())
    expect(answer.rest()).rejects.toThrow()
  })

  test('is cut off where it is not read to its end in time', async () => {
    start({ moveWithinMs: 50 })
    const { promise: never } = Promise.withResolvers<void>()
    await sent('ann', 20, (n) => (n < 3 ? Promise.resolve() : never))
    streams.release(performance.now())
    await someCutOff(1)
    expect(cutOff()[0]).toContain('takes too long')
  })

  test('the oldest of the user with the most is cut off where the files take too much space', async () => {
    start({ perUser: 9, total: 9 }, 45 * CHUNK)
    const all = [await sent('bob'), await sent('ann'), await sent('ann')]
    streams.release(performance.now())
    await until('the end of the sources', () => all.every(({ state }) => state.isEnded) || undefined)
    await manyLooks()
    expect(cutOff()).toHaveLength(1)
    expect(cutOff()[0]).toContain('user=ann')
  })

  test('is cut off where there is no space at all', async () => {
    start({}, 0)
    const answer = await sent('ann')
    streams.release(performance.now())
    await someCutOff(1)
    await until('the end of its source', () => answer.state.isEnded || undefined)
    expect(cutOff()[0]).toContain('no space')
  })
})

test('a body of more than 1 MiB that is not read does not stay in memory', async () => {
  start({ perUser: 9, total: 9 })
  let opened = 0
  const space = createSpoolSpace({ folder, freeBytes: () => 1024 ** 4 })
  streams = createStreams({
    limits: QUICK,
    log: createLogger({ level: 'error', format: 'text', write: (entry) => entries.push(entry) }),
    space: {
      ...space,
      create: () => {
        opened++
        return space.create()
      },
    },
  })
  let body: Uint8Array | undefined = new Uint8Array(3_000_000).fill(7)
  const source: Source = {
    next: async () => {
      const value = body
      body = undefined
      return value ? { done: false, value } : { done: true, value }
    },
  }
  const recipient = {
    owner: 'a',
    username: 'a',
    route: '/',
    requestId: 'r',
    connection: undefined,
    disconnect: () => {},
  }
  const stream = streams.send(source, recipient, () => {})
  const reader = stream.getReader()
  const parts = [(await reader.read()).value ?? new Uint8Array()]
  await until('a file', () => opened > 0 || undefined)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
  }
  expect(Buffer.concat(parts).equals(Buffer.alloc(3_000_000, 7))).toBe(true)
})
