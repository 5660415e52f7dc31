/** `plat discovery scan` against a real server in process, with a scripted scanner. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'
import { host, type ScriptedScan, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'

describe('plat discovery scan', () => {
  const scanner = scriptedScanner()
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ startScan: scanner.startScan })
    admin = await app.as('admin')
    await admin.api.networks.create({ name: 'office', subnet: '127.3.0.0/24' })
  })
  afterAll(() => app.close())

  const run = (argv: readonly string[], columns?: number) =>
    runCommand(
      { app, key: admin.key },
      { argv: ['discovery', 'scan', ...argv], ...(columns === undefined ? {} : { columns }) },
    )
  /** Follows a scan that the test scripts. */
  const watched = async (play: (scan: ScriptedScan) => Promise<void>, columns?: number) => {
    const running = run(['office', '--type', 'full', '--watch'], columns)
    await play(await scanner.next())
    return running
  }
  const finds = async (scan: ScriptedScan) => {
    await scan.found([host('127.3.0.9', { vendor: 'Acme', openPorts: [22, 80] })], { stage: 'ports', share: 0.5 })
    scan.end('done')
  }

  test('prints the estimate of a dry run', async () => {
    const { code, out } = await run(['office', '--dry-run', '-o', 'json'])
    expect([code, JSON.parse(out).total_hosts]).toEqual([0, 254])
  })

  test('starts a scan by the name of the network and goes', async () => {
    const { code, out } = await run(['office', '-o', 'json'])
    const scan = await scanner.next()
    scan.end('done')
    expect([code, JSON.parse(out).status, scan.plan.type]).toEqual([0, 'pending', 'quick'])
  })

  test('that is watched shows hosts on a terminal', async () => {
    const { code, out } = await watched(finds, 120)
    const [heading, line, verdict] = out.split('\n')
    expect([code, heading?.split(/\s+/).slice(0, 2), line?.split(/\s+/), verdict]).toEqual([
      0,
      ['IP', 'MAC_ADDRESS'],
      ['127.3.0.9', '-', '-', 'Acme', '22,80'],
      'completed; 1 of 254 addresses are in use',
    ])
  })

  test('that is watched shows its progress on a terminal', async () => {
    expect((await watched(finds, 120)).err).toContain('scanning [')
  })

  test('that is watched prints the scan into a pipe, and no progress', async () => {
    const { code, out, err } = await watched(finds)
    expect([code, /^status: +completed$/m.test(out), err]).toEqual([0, true, ''])
  })

  test('that fails exits with a failure', async () => {
    const { code, out } = await watched(async (scan) => scan.end('failed', 'no such interface'), 120)
    expect([code, out]).toEqual([1, 'failed: no such interface; 0 of 254 addresses are in use\n'])
  })

  test('refuses an unknown type', async () => {
    const { code, err } = await run(['office', '--type', 'slow'])
    expect([code, err]).toEqual([2, 'error: --type must be one of quick, full, deep\n'])
  })

  test('of an unknown network is not found', async () => {
    expect((await run(['nowhere'])).code).toBe(4)
  })
})
