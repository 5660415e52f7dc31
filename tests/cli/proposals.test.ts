/** Proposals on the command line, against a real server in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import type { MemoryIo } from '../../testing/memory-io.ts'
import { runCommand } from '../../testing/run-command.ts'

let app: TestApp
let admin: TestCaller
let other: TestCaller
let folder: string
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  other = await app.as('admin')
  folder = mkdtempSync(join(tmpdir(), 'plat-proposals-'))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const runWith = (options: MemoryIo) => runCommand({ app, key: admin.key }, options)
const run = (...argv: string[]) => runWith({ argv })
const runAsOther = (...argv: string[]) => runCommand({ app, key: other.key }, { argv })

/** Returns the number that a command has told. */
const readNumber = ({ err }: { readonly err: string }): string => {
  const [, number = '', url] = /^Proposed as (\d+): (\S+)$/m.exec(err) ?? []
  expect([number, url]).toEqual([expect.stringMatching(/^\d+$/), `http://plat.test/proposals/${number}`])
  return number
}
const countNetworks = async () => (await admin.api.networks.list({})).length

describe('a write with --propose', () => {
  test('prints its answer, tells the proposal, and changes nothing', async () => {
    const done = await run('network', 'create', 'core', '10.1.0.0/24', '--propose', '-o', 'json')
    const proposal = await admin.api.proposals.get({ id: readNumber(done) })
    const answer = { name: 'core', subnet: '10.1.0.0/24', proposal: proposal.number }
    expect([done.code, JSON.parse(done.out)]).toMatchObject([0, answer])
    expect(proposal).toMatchObject({ state: 'open', summary: 'creates 1 network' })
    expect(await countNetworks()).toBe(0)
  })

  test('prints the objects that a delete takes along, and asks nothing', async () => {
    await admin.api.networks.create({ name: 'lan', subnet: '10.2.0.0/24' })
    const done = await runWith({ argv: ['network', 'delete', 'lan', '--propose'], typed: [], columns: 120 })
    expect([done.code, done.out.split('\n')[0]]).toEqual([0, 'This deletes 1 network.'])
    readNumber(done)
    expect(await countNetworks()).toBe(1)
  })

  test.each([
    ['of a create', ['device', 'create', 'quiet', '--propose']],
    ['of a create, also with JSON', ['device', 'create', 'quiet JSON', '--propose', '-o', 'json']],
    ['of a delete', ['network', 'delete', 'lan', '--propose']],
  ])('prints only the number of the proposal with --quiet: %s', async (_, argv) => {
    const { code, out, err } = await run(...argv, '--quiet')
    const [newest] = await admin.api.proposals.list({ limit: 1 })
    expect([code, out, err]).toEqual([0, `${newest?.number}\n`, ''])
  })

  test.each(['json', 'yaml'])('has the number of the proposal in the %s of a delete', async (format) => {
    const { code, out } = await run('network', 'delete', 'lan', '--propose', '-o', format)
    const [newest] = await admin.api.proposals.list({ limit: 1 })
    const answer: unknown = format === 'json' ? JSON.parse(out) : Bun.YAML.parse(out)
    expect([code, answer]).toMatchObject([0, { summary: 'deletes 1 network', proposal: newest?.number }])
  })

  test('that is a dry run makes no proposal', async () => {
    const before = (await admin.api.proposals.list({})).length
    const { code, out, err } = await run('device', 'create', 'tried', '--propose', '--dry-run')
    expect([code, out.split('\n')[0], err]).toEqual([0, 'This creates 1 device.', ''])
    expect((await admin.api.proposals.list({})).length).toBe(before)
  })

  test('takes a title from its note', async () => {
    const done = await run('device', 'create', 'noted', '--propose', '--change-note', 'For the printer')
    expect((await admin.api.proposals.get({ id: readNumber(done) })).title).toBe('For the printer')
  })

  test('of DNS records and of an undo is proposed as well', async () => {
    const zone = await admin.api.dnsZones.create({ name: 'proposed.example' })
    const record = await run('dns', 'record', 'create', zone.id, 'www', 'A', '192.0.2.1', '--propose')
    expect(record.code).toBe(0)
    readNumber(record)
    const { id } = await admin.api.devices.create({ name: 'undone' })
    const [change] = await admin.api.history.list({ limit: 1 })
    const undo = await run('undo', change?.id ?? '', '--propose')
    expect([undo.code, undo.out.split('\n')[0]]).toEqual([0, 'This deletes 1 device.'])
    readNumber(undo)
    expect((await admin.api.devices.get({ id })).name).toBe('undone')
  })

  test('is refused beside --proposal', async () => {
    const { code, err } = await run('device', 'create', 'x', '--propose', '--proposal', '1')
    expect([code, err]).toEqual([2, expect.stringContaining('--propose is short for --proposal open')])
  })

  test('is no flag of a write that cannot be proposed', async () => {
    const { code, err } = await run('webhook', 'create', 'x', 'http://hook.example/', '--propose')
    expect([code, err]).toEqual([2, expect.stringContaining('unknown flag --propose')])
  })
})

test('a later write names objects that the proposal makes, and reads show them', async () => {
  const number = readNumber(await run('network', 'create', 'future', '10.3.0.0/24', '--proposal', 'draft'))
  const pool = await run('pool', 'create', 'future', 'hosts', '10.3.0.10', '10.3.0.20', '--proposal', number)
  expect(pool).toMatchObject({ code: 0 })
  const renamed = await run('network', 'update', 'future', '--name', 'later', '--proposal', number)
  expect(renamed).toMatchObject({ code: 0 })
  const shown = await run('network', 'list', '--as-of', `proposal:${number}`, '-o', 'name')
  expect(shown.out.split('\n')).toContain('later')
  const exported = await run('export', '-', '--as-of', `proposal:${number}`)
  expect([exported.code, exported.out]).toEqual([0, expect.stringContaining('"hosts"')])
  expect((await run('network', 'list', '-o', 'name')).out).not.toContain('later')
})

describe('plat apply --propose', () => {
  const write = (text: string): string => {
    const file = join(folder, 'estate.yaml')
    writeFileSync(file, text)
    return file
  }

  test('shows the plan, asks nothing, and applies nothing', async () => {
    const file = write('datacenters:\n  - name: proposed\n')
    const done = await run('apply', '-f', file, '--propose')
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('+ datacenter proposed')])
    const proposal = await admin.api.proposals.get({ id: readNumber(done) })
    expect(proposal.operations.map(({ operation }) => operation)).toEqual(['estate.apply'])
    expect(await admin.api.datacenters.list({})).toEqual([])
    const merged = await admin.api.proposals.merge({ id: proposal.id })
    expect([merged.state, (await admin.api.datacenters.list({})).map(({ name }) => name)]).toEqual([
      'merged',
      ['proposed'],
    ])
  })

  test('prints only the number with --quiet, and has it in JSON', async () => {
    const file = write('datacenters:\n  - name: counted\n')
    const quiet = await run('apply', '-f', file, '--propose', '--quiet')
    const json = await run('apply', '-f', file, '--propose', '-o', 'json')
    const [newest, older] = await admin.api.proposals.list({ limit: 2 })
    expect([quiet.code, quiet.out]).toEqual([0, `${older?.number}\n`])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([0, { applied: false, proposal: newest?.number }])
  })

  test('makes no proposal of files that change nothing', async () => {
    const before = (await admin.api.proposals.list({})).length
    const { code, err } = await run('apply', '-f', write('datacenters:\n  - name: proposed\n'), '--propose')
    expect([code, err]).toEqual([0, 'Nothing to do.\n'])
    expect((await admin.api.proposals.list({})).length).toBe(before)
  })

  test('names the lines of wrong files', async () => {
    const { code, err } = await run('apply', '-f', write('devices:\n  - name: ""\n'), '--propose')
    expect([code, err]).toEqual([2, expect.stringContaining('estate.yaml:2')])
  })
})

test('the review of a proposal, to the undo of its merge', async () => {
  const number = readNumber(await run('device', 'create', 'reviewed', '--propose'))
  const listed = await runAsOther('proposal', 'list', '--to-review', '-o', 'csv')
  expect(listed.out).toContain(`${number},open,`)
  for (const argv of [
    ['comment', number, 'Why?'],
    ['approve', number, '--text', 'Good'],
  ])
    expect(await runAsOther('proposal', ...argv)).toMatchObject({ code: 0 })
  const timeline = await run('proposal', 'timeline', number, '-o', 'csv')
  expect(['opened', 'commented', 'approved'].filter((type) => timeline.out.includes(type))).toHaveLength(3)
  expect((await run('proposal', 'items', number, '-o', 'name')).out).toBe('reviewed\n')
  expect((await run('proposal', 'approve', number)).code).toBe(3)
  const merged = await runWith({ argv: ['proposal', 'merge', number], columns: 120 })
  const [, change = ''] = /plat undo (\S+)/.exec(merged.err) ?? []
  expect([merged.code, change]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect((await run('undo', change)).code).toBe(0)
  expect((await run('proposal', 'merge', number)).code).toBe(2)
})

test('a merge with a conflict or without an approval has its exit code', async () => {
  const { id } = await admin.api.devices.create({ name: 'gone later' })
  const number = readNumber(await run('device', 'update', id, '--os', 'x', '--propose'))
  await admin.api.devices.delete({ id })
  expect((await run('proposal', 'merge', number)).code).toBe(5)
  const policy = await admin.api.policies.create({ name: 'all', protect: true })
  const refused = await run('device', 'create', 'protected')
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('all')])
  const open = readNumber(await run('device', 'create', 'protected', '--propose'))
  expect((await run('proposal', 'merge', open)).code).toBe(3)
  expect((await runAsOther('proposal', 'merge', open)).code).toBe(0)
  await admin.api.policies.delete({ id: policy.id })
})

test('an answer that is cut is not asked for again, so that nothing is proposed twice', async () => {
  let asked = 0
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (init.method !== 'POST') return app.fetch(new Request(url, init))
    asked++
    expect(new Headers(init.headers).get('idempotency-key')).toBeNull()
    throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
  }
  expect((await runWith({ argv: ['device', 'create', 'cut', '--propose'], fetch })).code).not.toBe(0)
  expect(asked).toBe(1)
})

test('the completion offers the flags and the numbers of no proposal', async () => {
  const offered = (await run('__complete', '--', 'device', 'create', 'x', '--prop')).out.split('\n').filter(Boolean)
  expect(offered).toEqual(['--proposal', '--propose'])
})
