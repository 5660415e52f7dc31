/** The small pure parts: pace, round trip, sets, progress, checkpoint, the guess. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildCheckpoint, readCheckpoint } from './checkpoint.ts'
import { orderPorts } from './ports/port-scan.ts'
import { COMMON_PORTS } from './ports/ports.ts'
import { createSemaphore } from './ports/semaphore.ts'
import { computeDescriptorBudget } from './ports/tcp-connector.ts'
import { createMeter } from './progress.ts'
import { guessOs } from './services/os-guess.ts'
import { createPacer } from './sweeps/pacer.ts'
import { createRoundTrip } from './sweeps/round-trip.ts'
import { createBitset } from './sys/bitset.ts'

describe('pace', () => {
  const paced = (perSecond: number) => {
    let now = 0
    const pacer = createPacer(perSecond, () => now)
    const after = (ms: number): number => {
      now += ms
      return pacer.take()
    }
    return { pacer, after }
  }

  test('as many leave in a second as are allowed', () => {
    const { after } = paced(2000)
    let sum = 0
    for (let i = 0; i < 500; i++) sum += after(2)
    expect(sum).toBe(2000)
  })

  test('after a stall no more than 20 ms worth leaves at once', () => expect(paced(2000).after(5000)).toBe(40))

  test('and no more than 100 ms worth is caught up', () => {
    const { after } = paced(2000)
    let sum = after(5000)
    for (let i = 0; i < 20; i++) sum += after(0)
    expect(sum).toBe(200)
  })

  test('the slowest pace still sends', () => {
    const { after } = paced(1)
    expect([after(500), after(500)]).toEqual([0, 1])
  })

  test('halving never stops it', () => {
    const { pacer } = paced(50)
    for (let i = 0; i < 10; i++) pacer.halve()
    expect(pacer.perSecond()).toBe(20)
  })

  test('one that is slower than that by plan is not made faster', () =>
    expect(paced(5).pacer.halve()).toBeLessThanOrEqual(5))
})

describe('round trip', () => {
  const bounds = { leastMs: 150, mostMs: 1000 }

  test('too few answers say nothing', () => {
    const trip = createRoundTrip()
    for (let i = 0; i < 7; i++) trip.add(10)
    expect(trip.timeoutMs(bounds)).toBeUndefined()
  })

  test.each([
    [0.2, 150],
    [80, 240],
    [900, 1000],
  ])('answers after %d ms are waited for about %d ms', (ms, wait) => {
    const trip = createRoundTrip()
    for (let i = 0; i < 40; i++) trip.add(ms)
    expect(Math.round(trip.timeoutMs(bounds) ?? 0)).toBe(wait)
  })
})

test('a set of bits is a set', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 299 }))), (steps) => {
      const bits = createBitset(300)
      const model = new Set<number>()
      for (const [isAdd, index] of steps) {
        if (isAdd) {
          expect(bits.add(index)).toBe(!model.has(index))
          model.add(index)
        } else {
          bits.remove(index)
          model.delete(index)
        }
      }
      const members: number[] = []
      for (let at = bits.next(0); at !== undefined; at = bits.next(at + 1)) members.push(at)
      expect([members, bits.count()]).toEqual([[...model].sort((a, b) => a - b), model.size])
    }),
  )
})

describe('progress', () => {
  test('progress never goes back, and is only whole at the end', () => {
    const meter = createMeter('deep', 1000)
    const seen: number[] = []
    const see = () => seen.push(meter.scanned())
    meter.set('liveness', 0.5)
    see()
    meter.set('liveness', 0.2)
    see()
    meter.set('ports', 1)
    see()
    meter.set('services', 1)
    see()
    meter.finish()
    see()
    expect(seen).toEqual([300, 300, 850, 999, 1000])
  })

  test('goes on from where an earlier process was', () => {
    expect(createMeter('quick', 1000, 700).scanned()).toBe(700)
  })

  test('of no address at all is none', () => {
    const meter = createMeter('full', 0)
    meter.set('ports', 1)
    expect(meter.scanned()).toBe(0)
  })
})

describe('checkpoint', () => {
  const position = { stage: 'services', sweep: '', pass: 0, place: 77 } as const

  test('is read as it was written', () => {
    const told = createBitset(256)
    for (const index of [1, 77, 255]) told.add(index)
    const read = readCheckpoint('10.0.0.0/24', buildCheckpoint('10.0.0.0/24', { position, scanned: 99, told }))
    expect([read?.position, read?.scanned, [...(read?.told ?? [])]]).toEqual([position, 99, [...told.bytes]])
  })

  test('of a /16 stays small as JSON', () => {
    const told = createBitset(65_536)
    expect(JSON.stringify(buildCheckpoint('10.0.0.0/16', { position, scanned: 0, told })).length).toBeLessThan(12_000)
  })

  test.each([
    ['another scan', '10.0.1.0/24', {}],
    ['another version', '10.0.0.0/24', { version: 2 }],
    ['a place outside', '10.0.0.0/24', { place: -1 }],
    ['no stage', '10.0.0.0/24', { stage: 'sleep' }],
  ])('of %s is none', (_, subnet, change) => {
    const made = buildCheckpoint('10.0.0.0/24', { position, scanned: 0, told: createBitset(256) })
    expect(
      readCheckpoint(subnet, { ...made, ...change, version: (change as { version?: 1 }).version ?? 1 }),
    ).toBeUndefined()
  })
})

describe('guess of the system', () => {
  const none = { votes: [], ttl: null, vendor: '', openPorts: [] }

  test.each([
    [63, 'Linux/Unix'],
    [127, 'Windows'],
    [254, 'Network device'],
  ])('a TTL of %i without other clues stays general', (ttl, os) => {
    expect(guessOs({ ...none, ttl })).toMatchObject({ os, osConfidence: 15 })
  })

  test('nothing known is nothing guessed', () => {
    expect(guessOs(none)).toEqual({ os: '', osConfidence: 0, osVotes: [] })
  })

  test('the heaviest vote names the system, and votes of the same family make it surer', () => {
    const vote = { os: 'Linux (Debian)', weight: 60, because: 'ssh on tcp/22' }
    const alone = guessOs({ ...none, votes: [vote] })
    const backed = guessOs({ ...none, votes: [vote], ttl: 64 })
    expect([alone.os, alone.osConfidence, backed.os, backed.osConfidence]).toEqual([
      'Linux (Debian)',
      60,
      'Linux (Debian)',
      66,
    ])
  })

  test('a vote for another family makes it less sure', () => {
    const vote = { os: 'Windows', weight: 60, because: 'rdp on tcp/3389' }
    expect(guessOs({ ...none, votes: [vote], ttl: 64 }).osConfidence).toBeLessThan(60)
  })

  test('Samba itself is no sign of Windows', () => {
    expect(guessOs({ ...none, openPorts: [139, 445] }).os).toBe('')
  })
})

describe('ports', () => {
  test('there are a hundred, each once', () => {
    expect([COMMON_PORTS.length, new Set(COMMON_PORTS).size]).toEqual([100, 100])
  })

  test('the common ones come first, whatever the order they are given in', () => {
    expect(orderPorts([1, 65_535, 22, 443, 7777, 22])).toEqual([443, 22, 1, 7777, 65_535])
  })

  test('half of the free file descriptors are used', () => {
    expect(computeDescriptorBudget('Max open files            1024                 524288               files')).toBe(
      384,
    )
  })

  test('hardly any descriptors leave a few probes', () => {
    expect(computeDescriptorBudget('Max open files            200                  200                  files')).toBe(8)
  })
})

test('a semaphore lets no more through than it should, and all in the end', async () => {
  const semaphore = createSemaphore(3)
  let [active, most, done] = [0, 0, 0]
  await Promise.all(
    Array.from({ length: 20 }, () =>
      semaphore(async () => {
        most = Math.max(most, ++active)
        await Promise.resolve()
        active--
        done++
      }),
    ),
  )
  expect([most, done]).toEqual([3, 20])
})
