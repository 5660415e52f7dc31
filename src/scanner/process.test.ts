/** Real scanner processes on loopback. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testAll } from '../../testing/cases.ts'
import { startScan } from './process.ts'
import type { Checkpoint, FromScanner } from './protocol.ts'
import { buildPlan, isRunning, runPlan, waitUntil } from './testing/plans.ts'

/** So slow that no test sees its end. */
const ENDLESS = buildPlan({ subnet: '127.9.0.0/16', probesPerSecond: 200 })

test('a scan of a /24 of loopback finds all of it', async () => {
  const { hosts, result } = await runPlan(buildPlan({ subnet: '127.1.2.0/24' }))
  expect([result, hosts.size]).toEqual(['done', 254])
})

test('an address that is excluded is not found', async () => {
  const { hosts } = await runPlan(
    buildPlan({ subnet: '127.1.3.0/28', excludes: ['127.1.3.4-127.1.3.9', '127.1.3.12/30'] }),
  )
  expect([...hosts.keys()].sort()).toEqual(['127.1.3.1', '127.1.3.10', '127.1.3.11', '127.1.3.2', '127.1.3.3'])
})

test('the first message has its privileges', async () => {
  const { reports } = await runPlan(buildPlan({ subnet: '127.1.4.0/30' }))
  expect(reports[0]?.type).toBe('ready')
})

test('progress never goes back, and ends at the total', async () => {
  const { progress } = await runPlan(buildPlan({ subnet: '127.2.0.0/21', probesPerSecond: 4000 }))
  const scanned = progress.map((one) => one.scanned)
  expect(scanned).toEqual(scanned.toSorted((a, b) => a - b))
  expect(scanned.at(-1)).toBe(2046)
  expect(scanned.filter((one) => one === 2046)).toHaveLength(1)
})

test('a plan that cannot be carried out fails with the field', async () => {
  const { result, message } = await runPlan(buildPlan({ subnet: '127.0.0.0/12' }))
  expect([result, message]).toEqual(['failed', 'subnet: 127.0.0.0/12 is wider than /16'])
})

test('a test cannot scan a real network', async () => {
  const { result, message } = await runPlan(buildPlan({ subnet: '192.0.2.0/24' }))
  expect([result, message.slice(0, 23)]).toEqual(['failed', 'subnet: a test may scan'])
})

test('the next batch waits until the last is stored', async () => {
  let [isStoring, overlaps, batches] = [false, 0, 0]
  const scan = startScan(buildPlan({ subnet: '127.4.0.0/20', probesPerSecond: 10_000 }), async (report) => {
    if (report.type !== 'batch') return
    if (isStoring) overlaps++
    batches++
    isStoring = true
    await Bun.sleep(20)
    isStoring = false
  })
  expect([(await scan.ended).result, overlaps, batches > 1]).toEqual(['done', 0, true])
})

testAll('hosts found while the database was slow are all reported', async () => {
  const found = new Set<string>()
  const scan = startScan(buildPlan({ subnet: '127.5.0.0/19', probesPerSecond: 50_000 }), async (report) => {
    if (report.type !== 'batch') return
    await Bun.sleep(100)
    for (const { ip } of report.hosts) found.add(ip)
  })
  expect([await scan.ended, found.size]).toEqual([{ result: 'done', message: '' }, 8190])
})

test('a report that cannot be stored ends the scan and the process', async () => {
  const scan = startScan(ENDLESS, async (report) => {
    if (report.type === 'batch') throw new Error('disk full')
  })
  expect(await scan.ended).toEqual({ result: 'failed', message: 'disk full' })
  expect(isRunning(scan.pid)).toBe(false)
})

test('a scan that is cancelled says so and ends', async () => {
  const types: string[] = []
  const scan = startScan(ENDLESS, async (report) => {
    types.push(report.type)
    if (report.type === 'batch') scan.cancel()
  })
  expect((await scan.ended).result).toBe('cancelled')
  expect(types.at(-1)).toBe('cancelled')
  expect(isRunning(scan.pid)).toBe(false)
})

test('a scan that is cancelled before it began ends as well', async () => {
  const scan = startScan(ENDLESS, async () => {})
  scan.cancel()
  expect((await scan.ended).result).toBe('cancelled')
})

test('a cancelled scan that is killed during a slow start counts as cancelled', async () => {
  const scan = startScan(ENDLESS, async () => {})
  process.kill(scan.pid, 'SIGSTOP')
  scan.cancel()
  expect(await scan.ended).toEqual({ result: 'cancelled', message: '' })
  expect(isRunning(scan.pid)).toBe(false)
})

test('a process that does not answer a cancel is killed', async () => {
  const scan = startScan(ENDLESS, async (report) => {
    if (report.type !== 'ready') return
    process.kill(scan.pid, 'SIGSTOP')
    scan.cancel()
  })
  expect((await scan.ended).result).toBe('died')
})

test('a process that is killed has died, and says how', async () => {
  const scan = startScan(ENDLESS, async (report) => {
    if (report.type === 'batch') process.kill(scan.pid, 'SIGKILL')
  })
  expect(await scan.ended).toEqual({ result: 'died', message: 'the scanner process ended by SIGKILL' })
})

test('a killed scan goes on from its checkpoint, and nothing is lost', async () => {
  const plan = buildPlan({ subnet: '127.6.0.0/18', probesPerSecond: 20_000 })
  const found = new Set<string>()
  let checkpoint: Checkpoint | null = null
  const keep = async (report: FromScanner) => {
    if (report.type !== 'batch') return
    for (const { ip } of report.hosts) found.add(ip)
    checkpoint = report.checkpoint
  }
  const first = startScan(plan, async (report) => {
    await keep(report)
    if (found.size > 4000) process.kill(first.pid, 'SIGKILL')
  })
  expect((await first.ended).result).toBe('died')
  const before = found.size
  let again = 0
  const second = startScan({ ...plan, checkpoint }, async (report) => {
    if (report.type === 'batch') again += report.hosts.length
    await keep(report)
  })
  expect([(await second.ended).result, found.size]).toEqual(['done', 16_382])
  // No stored host is found a second time.
  expect(again).toBe(16_382 - before)
})

test('a scan ends with the process that started it', async () => {
  const parent = Bun.spawn([process.execPath, join(import.meta.dirname, 'testing', 'parent.ts')], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, NODE_ENV: 'test' },
  })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await waitUntil(() => !isRunning(pid), 'the scanner ends')
})

test('it refuses to start without its server', async () => {
  const main = join(import.meta.dirname, '..', 'main.ts')
  const child = Bun.spawn([process.execPath, main, 'scanner-child'], { stdout: 'pipe', stderr: 'pipe', env: {} })
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    2,
    'plat: scanner-child is started by the server, not by hand\n',
  ])
})
