/** When a batch goes out. The clock is the test's. */
import { expect, test } from 'bun:test'
import { START } from './checkpoint.ts'
import { createFindings } from './findings.ts'
import { createMeter } from './progress.ts'
import type { FromScanner } from './protocol.ts'
import { createReporter } from './reporter.ts'
import { openTargets } from './targets.ts'

const SUBNET = '127.1.0.0/24'

const opened = () => {
  let nowMs = 0
  let tick = (): void => {}
  const sent: Extract<FromScanner, { type: 'batch' }>[] = []
  const targets = openTargets(SUBNET, [])
  const findings = createFindings({ targets, vendorOf: () => '' })
  const meter = createMeter('full', targets.total)
  const reporter = createReporter({
    send: (message) => {
      if (message.type === 'batch') sent.push(message)
    },
    subnet: SUBNET,
    findings,
    meter,
    start: START,
    isDone: () => false,
    clock: {
      nowMs: () => nowMs,
      every: (_, work) => {
        tick = work
        return () => {}
      },
    },
  })
  reporter.start()
  /** Waits for some ticks; each batch is stored at once. Returns the number of sent batches. */
  const ticks = (count: number, each: () => void = () => {}): number => {
    const before = sent.length
    for (let i = 0; i < count; i++) {
      nowMs += 250
      each()
      tick()
      reporter.ack()
    }
    return sent.length - before
  }
  return { reporter, findings, meter, ticks, sent }
}

test('a scan without progress reports nothing', () => {
  const { ticks } = opened()
  ticks(1)
  expect(ticks(40)).toBe(0)
})

test('progress is reported once a second', () => {
  const { ticks, meter } = opened()
  ticks(1)
  let done = 0
  expect(ticks(40, () => meter.set('liveness', ++done / 40))).toBe(10)
})

test('a host is reported at the next tick', () => {
  const { ticks, findings } = opened()
  ticks(1)
  findings.tcp(5, 'open', 22)
  expect(ticks(1)).toBe(1)
})

test('the next stage is reported at the next tick', () => {
  const { ticks, meter, sent } = opened()
  ticks(1)
  ticks(1, () => meter.set('ports', 0))
  expect(sent.at(-1)?.progress.stage).toBe('ports')
})

test('a position is saved, though no further address counts as scanned', () => {
  const { ticks, reporter, sent } = opened()
  ticks(1)
  reporter.at({ ...START, place: 77 })
  ticks(4)
  expect(sent.at(-1)?.checkpoint).toMatchObject({ place: 77 })
})
